#include "manager/api/answers/account_tree_answers.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "manager/api/wire/message_text.hpp"
#include "manager/api/wire/strict_json.hpp"
#include "manager/core/account_limits.hpp"

namespace aliquot {

using nlohmann::json;
using namespace wire;

namespace {

double rounded(double value) { return std::round(value * kMillion) / kMillion; }

json limits_json(const AccountLimits& limits) {
  json out = json::object();
  for (const auto& [kind, most] : limits) out[std::string(limit_name(kind))] = most;
  return out;
}

json terms_json(const AccountTerms& terms) {
  return {{"account", terms.name},
          {"parent", terms.parent},
          {"shares", terms.shares},
          {"limits", limits_json(terms.limits)},
          {"each_user", limits_json(terms.each_user)},
          {"min_yield", ratio(terms.min_yield)},
          {"max_yield", ratio(terms.max_yield)},
          {"by_uid", terms.by ? json(*terms.by) : json()}};
}

json amounts_json(const Amounts& amounts, double core_seconds) {
  json out = json::object();
  for (const LimitKind kind : all_limit_kinds())
    out[std::string(limit_name(kind))] =
        kind == LimitKind::core_hours ? json(rounded(core_seconds / 3600)) : json(amounts.of(kind));
  return out;
}

json ratio_of(double used, double all, std::optional<double> entitled) {
  if (!entitled || all <= 0 || *entitled <= 0) return {};
  return rounded(used / all / *entitled);
}

// The sums of an account with all below it.
struct Sum {
  AccountTerms terms;
  std::optional<double> entitled{};
  double used = 0;
  std::uint64_t jobs = 0;
  void add(const UserStanding& user) {
    if (user.entitled) entitled = entitled.value_or(0) + *user.entitled;
    used += user.used;
    jobs += user.jobs;
  }
};

using Sums = std::map<std::string, Sum>;

std::vector<std::string> names_up(const Sums& sums, const std::string& account) {
  std::vector<std::string> path;
  for (auto at = sums.find(account); at != sums.end(); at = sums.find(at->second.terms.parent)) {
    path.push_back(at->first);
    if (at->second.terms.parent.empty()) break;
  }
  return path;
}

Sums sums_of(const CoreState& state, const AccountStandings& standings) {
  Sums sums;
  for (const AccountTerms& terms : state.accounts) sums[terms.name].terms = terms;
  for (const auto& [user, standing] : standings.users) sums[user.account].terms.name = user.account;
  for (const auto& [user, standing] : standings.users)
    for (const std::string& name : names_up(sums, user.account)) sums[name].add(standing);
  return sums;
}

template <class Key>
Amounts used_of(const std::map<Key, Amounts>& sums, const Key& key) {
  const auto found = sums.find(key);
  return found == sums.end() ? Amounts{} : found->second;
}

}  // namespace

Result<std::string> account_tree_answer(const CoreState& state, const LimitUses& uses,
                                        const AccountStandings& standings, const AccountShow& request,
                                        const AnswerClock& clock, const std::optional<OwnAccounts>& only) {
  const Sums sums = sums_of(state, standings);
  if (request.account && !sums.contains(*request.account))
    return fail(ErrorKind::not_found, "there is no account " + in_quotes(*request.account) +
                                          ": it has no shares, no limits and no jobs; see `aliquot account "
                                          "list`");
  const auto is_shown = [&](const std::string& account) {
    if (only && std::ranges::find(only->accounts, account) == only->accounts.end()) return false;
    if (!request.account) return true;
    const std::vector<std::string> path = names_up(sums, account);
    return std::ranges::find(path, *request.account) != path.end();
  };
  json accounts = json::array(), users = json::array();
  for (const auto& [name, sum] : sums) {
    if (!is_shown(name)) continue;
    json row = terms_json(sum.terms);
    row["entitled"] = sum.entitled ? json(rounded(*sum.entitled)) : json();
    row["used_core_s"] = rounded(sum.used);
    row["ratio"] = ratio_of(sum.used, standings.used, sum.entitled);
    row["jobs"] = sum.jobs;
    row["counted"] = amounts_json(used_of(uses.of_accounts, name), sum.used);
    accounts.push_back(std::move(row));
  }
  for (const auto& [user, standing] : standings.users) {
    if (!is_shown(user.account) || (only && only->uid != user.uid)) continue;
    users.push_back(
        {{"account", user.account},
         {"uid", user.uid},
         {"entitled", standing.entitled ? json(rounded(*standing.entitled)) : json()},
         {"used_core_s", rounded(standing.used)},
         {"ratio", ratio_of(standing.used, standings.used, standing.entitled)},
         {"weight", static_cast<double>(standing.weight.raw) / kMillion},
         {"jobs", standing.jobs},
         {"counted", amounts_json(used_of(uses.of_users, {user.account, user.uid}), standing.used)}});
  }
  return to_line({{"now", iso_time(clock.now, clock)},
                  {"half_life_s", seconds_or_null(standings.half_life)},
                  {"accounts", std::move(accounts)},
                  {"users", std::move(users)}});
}

std::string account_changed_answer(const std::string& account, const std::optional<AccountTerms>& terms,
                                   const AnswerClock& clock) {
  return to_line({{"now", iso_time(clock.now, clock)},
                  {"account", account},
                  {"terms", terms ? terms_json(*terms) : json()}});
}

}  // namespace aliquot
