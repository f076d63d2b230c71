// accounts.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/ctl/amounts.hpp"
#include "tools/ctl/cpu_text.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

std::string name_of(const json& row) {
  const auto name = row["account"].get<std::string>();
  return name.empty() ? "(none)" : name;
}

std::string count(const json& jobs, std::initializer_list<const char*> states) {
  std::uint64_t all = 0;
  for (const char* state : states) all += jobs[state].get<std::uint64_t>();
  return std::to_string(all);
}

std::string percent(const json& ratio) {
  return ratio.is_null() ? "-" : short_number(json(std::round(1000 * ratio.get<double>()) / 10)) + "%";
}

Table account_table(const json& accounts, bool wide) {
  using enum Align;
  Table table{{{"ACCOUNT"},
               {"RUNNING", right},
               {"WAITING", right},
               {"ENDED", right},
               {"PROMISED", right},
               {"GRANTED", right},
               {"USED", right},
               {"ACCURACY", right},
               {"STRETCH", right}},
              {}};
  if (wide)
    for (const char* title : {"MAX", "COMPLETED", "STRETCH", "MAX", "STOLEN", "THROTTLED", "ENERGY"})
      table.columns.push_back({title, right});
  for (const json& row : accounts) {
    const json &jobs = row["jobs"], &cpu = row["cpu"], &stretch = row["stretch"];
    std::vector<Cell> cells{
        name_of(row),
        count(jobs, {"starting", "running", "migrating", "pausing", "resuming", "ending"}),
        count(jobs, {"pending", "held", "deferred", "paused"}),
        count(jobs, {"completed", "failed", "cancelled", "timed_out"}),
        short_seconds(cpu["promised_s"]),
        short_seconds(cpu["granted_s"]),
        short_seconds(cpu["used_s"]),
        percent(cpu["accuracy"]),
        short_ratio(stretch["so_far"]["mean"])};
    if (wide)
      for (std::string text :
           {short_ratio(stretch["so_far"]["max"]), count(jobs, {"completed"}),
            short_ratio(stretch["completed"]["mean"]), short_ratio(stretch["completed"]["max"]),
            short_seconds(cpu["stolen_s"]), short_seconds(cpu["throttled_s"]),
            short_energy(cpu.value("energy_joules", json()))})
        cells.push_back(std::move(text));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string stretch_line(const char* whose, const json& stretch) {
  if (stretch["jobs"] == 0) return "";
  return std::string(whose) + "mean " + short_ratio(stretch["mean"]) + ", max " +
         short_ratio(stretch["max"]) + ", over " + stretch["jobs"].dump() + "\n";
}

std::string account_text(const json& row) {
  std::string states;
  for (const auto& state : row["jobs"].items())
    if (state.value() != 0)
      states += (states.empty() ? "" : ", ") + state.value().dump() + " " + state.key();
  return "account       " + name_of(row) + "\njobs          " + (states.empty() ? "none" : states) + "\n" +
         account_cpu_text(row["cpu"]) + stretch_line("stretch       so far: ", row["stretch"]["so_far"]) +
         stretch_line("stretch       completed: ", row["stretch"]["completed"]);
}

}  // namespace

Run declare_accounts(CLI::App& app) {
  auto request = std::make_shared<Accounts>();
  app.add_option("ACCOUNT", request->account, "one account in full; \"\": the jobs without one");
  app.add_option("--limit", request->limit, "at most so many")->check(CLI::Range(1, 10'000));
  return [request](Session& session) -> Result<int> {
    const auto answer = session.ask(*request);
    if (!answer) return tl::unexpected<Error>(answer.error());
    const json& accounts = answer->body["accounts"];
    if (accounts.empty() && session.globals.form <= Form::wide)
      Session::say("no jobs yet; `aliquot submit --account NAME` counts a job for an account");
    const auto names = [&accounts] {
      std::vector<std::string> all;
      for (const json& row : accounts) all.push_back(row["account"]);
      return all;
    };
    const auto text = [&](bool wide) {
      return request->account && !wide ? account_text(accounts.at(0))
                                       : to_text(account_table(accounts, wide), session.style());
    };
    const auto shown = session.show(answer->body, {text, names});
    if (answer->body["more"] == true) Session::say("there are more; --limit N shows them");
    return shown;
  };
}

}  // namespace aliquot::ctl
