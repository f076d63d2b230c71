// usage: what jobs declare, and what they use; and what accounts have used in a span of time.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tools/ctl/amounts.hpp"
#include "tools/ctl/job_filter.hpp"
#include "tools/ctl/job_lookup.hpp"
#include "tools/ctl/job_table.hpp"
#include "tools/ctl/usage_report.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

// Of an object that is null where nothing is known, or of another user's job.
json field(const json& object, const char* key) {
  return object.is_object() ? object.value(key, json()) : json();
}

// "83%", or "-".
std::string percent(const json& part, const json& whole) {
  if (!part.is_number() || !whole.is_number() || whole.get<double>() <= 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.0f%%", 100 * part.get<double>() / whole.get<double>());
  return text;
}

// What of `show` is about declared, counted and used CPU and memory.
json usage_of(const json& job) {
  const json cpu = job.value("cpu", json());
  json row{{"need", job.value("need", json())}, {"memory", job.value("memory", json())}};
  for (const char* key : {"job", "name", "state", "tasks"}) row[key] = job.value(key, json());
  for (const char* key : {"granted_s", "used_s", "advice"}) row["cpu"][key] = field(cpu, key);
  return row;
}

Table usage_table(const json& rows) {
  using enum Align;
  Table table{{{"JOB", right},
               {"NAME"},
               {"STATE"},
               {"TASKS", right},
               {"CPUS", right},
               {"COUNTED", right},
               {"GRANTED", right},
               {"USED", right},
               {"OF IT", right},
               {"MEM", right},
               {"LARGEST", right},
               {"ENOUGH", right}},
              {}};
  for (const json& row : rows) {
    const json &need = row["need"], &cpu = row["cpu"], &memory = row["memory"];
    const std::string name = row["name"].is_string() ? row["name"].get<std::string>() : "";
    const std::string state = row["state"].get<std::string>();
    table.rows.push_back(
        {row["job"].dump(), name.empty() ? "-" : name, Cell{state, state_tint(state)}, row["tasks"].dump(),
         short_number(field(need, "declared_cpus")), short_number(field(need, "cpus")),
         short_seconds(cpu["granted_s"]), short_seconds(cpu["used_s"]),
         percent(cpu["used_s"], cpu["granted_s"]), short_bytes(field(memory, "declared_bytes")),
         short_bytes(field(memory, "largest_bytes")), short_bytes(field(memory, "to_declare_bytes"))});
  }
  return table;
}

// The jobs that are named, or those of a listing.
Result<std::vector<JobId>> jobs_meant(Session& session, const std::vector<std::string>& named,
                                      const FilterText& text, List list) {
  if (!named.empty()) return find_jobs(session, named);
  const auto filter = JobFilter::of(text);
  if (!filter) return tl::unexpected<Error>(filter.error());
  list.all = list.all || filter->wants_ended();
  const auto answer = session.list(list, &*filter);
  if (!answer) return tl::unexpected<Error>(answer.error());
  std::vector<JobId> ids;
  for (const json& job : answer->body["jobs"]) ids.push_back(JobId{job["job"].get<std::uint64_t>()});
  return ids;
}

}  // namespace

Run declare_usage(CLI::App& app) {
  auto named = std::make_shared<std::vector<std::string>>();
  auto text = std::make_shared<FilterText>();
  auto list = std::make_shared<List>();
  list->limit = 100;
  auto span = std::make_shared<UsageSpanText>();
  auto* const jobs = app.add_option("JOB", *named, "job numbers (yours that have not ended)");
  app.add_option("--start", span->start, "of accounts, from this hour on (the first of the month)")
      ->excludes(jobs);
  app.add_option("--end", span->end, "and up to this one (now)")->excludes(jobs);
  app.add_option("--by", span->by, "account, user or job")
      ->check(CLI::IsMember({"account", "user", "job"}))
      ->excludes(jobs);
  app.add_flag("-a,--all", list->all, "ended jobs too, newest first");
  app.add_option("--limit", list->limit, "at most so many")->check(CLI::Range(1, 10'000));
  declare_filter(app, *text);
  app.footer(
      "CPUS   a task's need as declared\nCOUNTED  the need in force\nGRANTED, USED  CPU time of all tasks\n"
      "OF IT  used / granted\nMEM    of a task, as declared\nLARGEST  the most that a task has used\n"
      "ENOUGH what to declare instead\n"
      "With --start, --end or --by: core-hours of accounts, users or jobs, by whole hours of UTC.");
  return [named, text, list, span](Session& session) -> Result<int> {
    if (span->is_meant()) return show_usage_report(session, *span);
    if (text->user.empty()) text->user = "me";
    const auto ids = jobs_meant(session, *named, *text, *list);
    if (!ids) return tl::unexpected<Error>(ids.error());
    json rows = json::array();
    for (const JobId id : *ids) {
      const auto answer = session.ask(Show{id});
      if (!answer) return tl::unexpected<Error>(answer.error());
      rows.push_back(usage_of(answer->body));
    }
    if (rows.empty() && session.globals.form <= Form::wide)
      Session::say("no such jobs; `aliquot usage --all` has those that have ended");
    return session.show(rows, {[&](bool) { return to_text(usage_table(rows), session.style()); }, {}});
  };
}

}  // namespace aliquot::ctl
