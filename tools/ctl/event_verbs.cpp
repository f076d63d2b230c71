// events, watch, logs.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "manager/api/wire/error_names.hpp"
#include "tools/ctl/follow.hpp"
#include "tools/ctl/job_lookup.hpp"
#include "tools/ctl/job_table.hpp"
#include "tools/ctl/verbs.hpp"
#include "tools/ctl/why_text.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

// Before this number are all events: the largest that the protocol takes.
constexpr std::uint64_t kNewestEvent = std::uint64_t{1} << 53;

std::string event_line(const json& row) {
  std::string out = row["at"].get<std::string>();
  if (!row["job"].is_null()) out += "  job " + row["job"].dump();
  return out + "  " + event_words(row["event"]) + "\n";
}

Result<std::optional<JobId>> optional_job(Session& session, const std::string& text) {
  if (text.empty()) return std::optional<JobId>{};
  const auto job = find_job(session, text);
  if (!job) return tl::unexpected<Error>(job.error());
  return std::optional<JobId>{*job};
}

// The jobs to be watched, as a table; sets `over` when the one job has ended.
Result<std::string> picture(Session& session, std::optional<JobId> job, std::optional<int>& over) {
  const auto answer = job ? session.ask(Show{*job}) : session.list(List{});
  if (!answer) return tl::unexpected<Error>(answer.error());
  if (!job) return to_text(job_table(answer->body["jobs"], false), session.style());
  if (has_ended(answer->body)) over = answer->body["state"] == "completed" ? kExitDone : kExitJobFailed;
  return to_text(job_table(json::array({answer->body}), false), session.style());
}

// Redrawn in place whenever something happens, every two seconds otherwise.
Result<int> watch_on_terminal(Session& session, std::optional<JobId> job, EventStream& stream) {
  while (true) {
    std::optional<int> over;
    const auto text = picture(session, job, over);
    if (!text) return tl::unexpected<Error>(text.error());
    if (!print("\033[H\033[2J" + without_direction_changes(*text))) return 0;
    if (over) return *over;
    if (auto rows = stream.next(seconds(2)); !rows) return tl::unexpected<Error>(rows.error());
  }
}

// One line an event, for pipes and files.
Result<int> watch_as_lines(Session& session, std::optional<JobId> job, EventStream& stream) {
  while (true) {
    std::optional<int> over;
    if (job) {
      const auto looked = picture(session, job, over);
      if (!looked) return tl::unexpected<Error>(looked.error());
    }
    const auto rows = stream.next(over ? Duration{0} : seconds(2));
    if (!rows) return tl::unexpected<Error>(rows.error());
    for (const json& row : *rows) {
      const bool lines = session.globals.form <= Form::wide;
      if (!print(without_direction_changes(lines ? event_line(row) : row.dump() + "\n"))) return 0;
    }
    if (over) return *over;
  }
}

// Copies what is there to standard output; whether the task may still write more.
Result<bool> copy_output(Session& session, const JobTask& of, std::uint64_t& offset) {
  while (true) {
    const auto answer = session.ask(Logs{of.job, of.task, offset});
    if (!answer) return tl::unexpected<Error>(answer.error());
    if (!print(answer->blob)) return false;
    const auto next = answer->body["next"].get<std::uint64_t>();
    if (next == offset) return answer->body["ended"] != true;
    offset = next;
  }
}

}  // namespace

Run declare_events(CLI::App& app) {
  constexpr std::uint32_t kUsual = 100;
  auto job = std::make_shared<std::string>();
  auto after = std::make_shared<std::optional<std::uint64_t>>();
  auto limit = std::make_shared<std::uint32_t>(kUsual);
  app.add_option("JOB", *job, "of this job only");
  app.add_option("--after", *after, "after this sequence number, oldest first (the newest, newest first)");
  app.add_option("--limit", *limit, "at most so many")->check(CLI::Range(1, 10'000))->capture_default_str();
  return [job, after, limit](Session& session) -> Result<int> {
    const auto id = optional_job(session, *job);
    if (!id) return tl::unexpected<Error>(id.error());
    Events events{*id, after->value_or(0), *limit};
    if (!*after) events.before = kNewestEvent;
    const auto answer = session.events(events);
    if (!answer) return tl::unexpected<Error>(answer.error());
    const auto text = [&](bool) {
      std::string out;
      for (const json& row : answer->body["events"]) out += event_line(row);
      return out;
    };
    const auto shown = session.show(answer->body, {text, {}});
    if (answer->body["more"] == true)
      Session::say(*after ? "there may be more: aliquot events " + *job + (job->empty() ? "" : " ") +
                                "--after " + answer->body["last"].dump()
                          : "there are older ones; --limit N shows them, or --after 0 the oldest first");
    return shown;
  };
}

Run declare_watch(CLI::App& app) {
  auto job = std::make_shared<std::string>();
  app.add_option("JOB", *job, "this job only, until it ends");
  return [job](Session& session) -> Result<int> {
    const auto id = optional_job(session, *job);
    if (!id) return tl::unexpected<Error>(id.error());
    if (*id) {
      // A job that does not exist is an error now, not silence for ever.
      const auto there = session.ask(Show{**id});
      if (!there) return tl::unexpected<Error>(there.error());
    }
    auto stream = EventStream::open(session, *id, std::nullopt);
    if (!stream) return tl::unexpected<Error>(stream.error());
    if (isatty(STDOUT_FILENO) == 1 && session.globals.form <= Form::wide)
      return watch_on_terminal(session, *id, **stream);
    return watch_as_lines(session, *id, **stream);
  };
}

Run declare_logs(CLI::App& app) {
  auto of = std::make_shared<std::string>();
  auto follow = std::make_shared<bool>(false);
  app.add_option("JOB[.TASK]", *of, "job, or one task of it; tasks are counted from 0")->required();
  app.add_flag("-f,--follow", *follow, "go on until the task ends");
  return [of, follow](Session& session) -> Result<int> {
    const auto task = find_task(session, *of);
    if (!task) return tl::unexpected<Error>(task.error());
    std::uint64_t offset = 0;
    while (true) {
      const auto more = copy_output(session, *task, offset);
      if (!more) return tl::unexpected<Error>(more.error());
      if (!*more || !*follow) return 0;
      usleep(300'000);
    }
  };
}

}  // namespace aliquot::ctl
