// account list|show|set|reset: the tree of accounts, their limits, and the fair share of their users.
#include <CLI/CLI.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "config/account_words.hpp"
#include "config/quantities.hpp"
#include "tools/ctl/amounts.hpp"
#include "tools/ctl/job_filter.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

constexpr const char* kNone = "none";

std::string named(const json& account) {
  const auto name = account.get<std::string>();
  return name.empty() ? "(none)" : name;
}

std::string ratio_or_dash(const json& ratio) { return ratio.is_null() ? "-" : short_ratio(ratio); }

std::string counted_text(LimitKind kind, const json& counted) {
  const json& used = counted[std::string(limit_name(kind))];
  if (kind == LimitKind::core_hours) return short_number(json(std::round(used.get<double>() * 100) / 100));
  return print_limit(kind, used.get<std::int64_t>());
}

// "jobs 3 of 4, cpu 2.5 of 8"; `counted` is null for limits of each user.
std::string limits_text(const json& limits, const json& counted) {
  std::string text;
  for (const LimitKind kind : all_limit_kinds()) {
    const std::string name(limit_name(kind));
    if (!limits.contains(name)) continue;
    const std::string most = print_limit(kind, limits[name].get<std::int64_t>());
    text += (text.empty() ? "" : ", ") + name + " " +
            (counted.is_null() ? most : counted_text(kind, counted) + " of " + most);
  }
  return text;
}

// "min yield 0.5, max yield 0.8"; empty: nothing is said of yields.
std::string yields_text(const json& terms) {
  std::string text;
  if (terms["min_yield"] > 0) text = "min yield " + short_ratio(terms["min_yield"]);
  if (terms["max_yield"] < 1)
    text += (text.empty() ? "" : ", ") + ("max yield " + short_ratio(terms["max_yield"]));
  return text;
}

// What an account is limited to, in one line: of all its jobs, of each user, of each job.
std::string all_limits_text(const json& terms, const json& counted) {
  std::string text = limits_text(terms["limits"], counted);
  const auto add = [&text](const std::string& what, const std::string& limits) {
    if (!limits.empty()) text += (text.empty() ? "" : "; ") + what + limits;
  };
  add("each user: ", limits_text(terms["each_user"], json()));
  add("each job: ", yields_text(terms));
  return text;
}

// Accounts under their parents, users under their accounts.
void add_rows(const json& body, const std::string& parent, const std::string& indent, Table& table) {
  for (const json& row : body["accounts"]) {
    if (row["parent"] != parent) continue;
    const auto name = row["account"].get<std::string>();
    table.rows.push_back({indent + named(row["account"]), "", row["shares"].dump(),
                          ratio_or_dash(row["entitled"]), short_seconds(row["used_core_s"]),
                          ratio_or_dash(row["ratio"]), "", row["jobs"].dump(),
                          all_limits_text(row, row["counted"])});
    for (const json& user : body["users"])
      if (user["account"] == name)
        table.rows.push_back({indent + "  " + named(row["account"]),
                              user_name(user["uid"].get<std::uint32_t>()), "1",
                              ratio_or_dash(user["entitled"]), short_seconds(user["used_core_s"]),
                              ratio_or_dash(user["ratio"]), short_ratio(user["weight"]),
                              user["jobs"].dump(), limits_text(row["each_user"], user["counted"])});
    if (!name.empty()) add_rows(body, name, indent + "  ", table);
  }
}

// The account that is shown stands at the top of the table.
std::string tree_text(json body, const std::optional<std::string>& top, const TableStyle& style) {
  using enum Align;
  Table table{{{"ACCOUNT"},
               {"USER"},
               {"SHARES", right},
               {"ENTITLED", right},
               {"USED", right},
               {"RATIO", right},
               {"WEIGHT", right},
               {"JOBS", right},
               {"LIMITS"}},
              {}};
  std::set<std::string> shown;
  for (const json& row : body["accounts"]) shown.insert(row["account"].get<std::string>());
  for (json& row : body["accounts"])
    if (row["account"] == top.value_or("") || !shown.contains(row["parent"].get<std::string>()))
      row["parent"] = "";
  add_rows(body, "", "", table);
  const std::string half_life =
      body["half_life_s"].is_null()
          ? std::string("no fair share: fair_share.half_life is 0, all jobs weigh the same\n")
          : "half-life " + short_seconds(body["half_life_s"]) + "\n";
  return to_text(table, style) + half_life;
}

Result<int> show_tree(Session& session, const AccountShow& request) {
  const auto answer = session.ask(request);
  if (!answer) return tl::unexpected<Error>(answer.error());
  const json& body = answer->body;
  const auto names = [&body] {
    std::vector<std::string> all;
    for (const json& row : body["accounts"]) all.push_back(row["account"]);
    return all;
  };
  if (body["accounts"].empty() && session.globals.form <= Form::wide)
    Session::say("no accounts yet; `aliquot account set NAME --shares 2` makes one");
  return session.show(body,
                      {[&](bool) { return tree_text(body, request.account, session.style()); }, names});
}

Result<int> show_changed(Session& session, const Request& request) {
  const auto answer = session.ask(request);
  if (!answer) return tl::unexpected<Error>(answer.error());
  const json& body = answer->body;
  const auto text = [&body](bool) {
    const json& terms = body["terms"];
    const auto account = body["account"].get<std::string>();
    if (terms.is_null()) return "account " + account + " has no shares and no limits of its own any more\n";
    const std::string limits = all_limits_text(terms, json());
    const auto parent = terms["parent"].get<std::string>();
    return "account " + account + (parent.empty() ? "" : " below " + parent) + ": " +
           terms["shares"].dump() + (terms["shares"] == 1 ? " share" : " shares") +
           (limits.empty() ? "" : "; " + limits) +
           (terms["by_uid"].is_null()
                ? ", as configured\n"
                : "; `aliquot account reset " + account + "` goes back to the configuration\n");
  };
  const auto name = [&body] { return std::vector{body["account"].get<std::string>()}; };
  return session.show(body, {text, name});
}

// An amount, or `none`.
Result<void> take_limit(LimitKind kind, const std::string& text,
                        std::map<LimitKind, std::optional<std::int64_t>>& limits) {
  if (text == kNone) {
    limits[kind] = std::nullopt;
    return {};
  }
  const auto most = parse_limit(kind, text);
  if (!most) return tl::unexpected<Error>(most.error());
  limits[kind] = *most;
  return {};
}

struct SetText {
  AccountSet set;
  std::map<LimitKind, std::string> limits, each_user;
  std::string min_yield, max_yield;
};

// A share of a need, or `none`: the share that says nothing.
Result<void> take_yield(const std::string& text, Yield none, std::optional<Yield>& yield) {
  if (text.empty()) return {};
  const auto share = text == kNone ? Result<std::int64_t>(none.raw) : parse_ratio(text);
  if (!share) return tl::unexpected<Error>(share.error());
  yield = Yield{*share};
  return {};
}

std::string option_of(LimitKind kind, const std::string& before) {
  std::string name(limit_name(kind));
  std::replace(name.begin(), name.end(), '_', '-');
  return before + name;
}

}  // namespace

Run declare_account_list(CLI::App&) {
  return [](Session& session) { return show_tree(session, {}); };
}

Run declare_account_show(CLI::App& app) {
  auto request = std::make_shared<AccountShow>();
  app.add_option("ACCOUNT", request->account, "the account, with those below it")->required();
  return [request](Session& session) { return show_tree(session, *request); };
}

Run declare_account_set(CLI::App& app) {
  auto text = std::make_shared<SetText>();
  app.add_option("ACCOUNT", text->set.account, "an account, or a new one")->required();
  app.add_option("--parent", text->set.parent, "the account above it; \"\": none");
  app.add_option("--shares", text->set.shares, "against those of the accounts beside it")
      ->check(CLI::Range(1U, kMostSharesOfAccount));
  app.add_option("--min-yield", text->min_yield,
                 "reservation: a job that runs has at least this part of its need; none: nothing");
  app.add_option("--max-yield", text->max_yield,
                 "limit: a job has at most this part of its need; none: all of it");
  for (const LimitKind kind : all_limit_kinds()) {
    const std::string what = kind == LimitKind::cpu          ? "cores"
                             : kind == LimitKind::memory     ? "memory, such as 64GiB,"
                             : kind == LimitKind::core_hours ? "core-hours served"
                                                             : std::string(limit_name(kind));
    app.add_option(option_of(kind, "--"), text->limits[kind],
                   "at most so many " + what + " for it and all below it; none: no limit");
    app.add_option(option_of(kind, "--user-"), text->each_user[kind],
                   "at most so many " + what + " for each user; none: no limit");
  }
  return [text](Session& session) -> Result<int> {
    AccountSet set = text->set;
    for (const auto& [kind, amount] : text->limits)
      if (!amount.empty())
        if (auto ok = take_limit(kind, amount, set.limits); !ok) return tl::unexpected<Error>(ok.error());
    for (const auto& [kind, amount] : text->each_user)
      if (!amount.empty())
        if (auto ok = take_limit(kind, amount, set.each_user); !ok)
          return tl::unexpected<Error>(ok.error());
    if (auto ok = take_yield(text->min_yield, Yield{}, set.min_yield); !ok)
      return tl::unexpected<Error>(ok.error());
    if (auto ok = take_yield(text->max_yield, kFullYield, set.max_yield); !ok)
      return tl::unexpected<Error>(ok.error());
    return show_changed(session, set);
  };
}

Run declare_account_reset(CLI::App& app) {
  auto request = std::make_shared<AccountReset>();
  app.add_option("ACCOUNT", request->account, "the account")->required();
  return [request](Session& session) { return show_changed(session, *request); };
}

}  // namespace aliquot::ctl
