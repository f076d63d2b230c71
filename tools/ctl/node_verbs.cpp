// node confirm-down|drain|resume.
#include <CLI/CLI.hpp>
#include <ctime>
#include <nlohmann/json.hpp>

#include "config/quantities.hpp"
#include "monitor/codec_words.hpp"
#include "tools/ctl/amounts.hpp"
#include "tools/ctl/begin_time.hpp"
#include "tools/ctl/table.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

// What becomes of each job, a line each.
std::string jobs_text(const json& jobs, const TableStyle& style) {
  if (jobs.empty()) return "no job is concerned\n";
  Table table{{{"JOB", Align::right}, {"NAME"}, {"WHAT"}, {"WHY"}}, {}};
  for (const json& job : jobs)
    table.rows.push_back({job["job"].dump(), job["name"].get<std::string>(), job["what"].get<std::string>(),
                          job["text"].get<std::string>()});
  return to_text(table, style);
}

Result<int> show_jobs(Session& session, const json& body, const std::string& done) {
  const std::string first = body["dry_run"] == true ? "would be done:\n" : done;
  return session.show(body, {[&](bool) { return first + jobs_text(body["jobs"], session.style()); },
                             [&body] { return std::vector{body["node"].get<std::string>()}; }});
}

}  // namespace

Run declare_node_confirm_down(CLI::App& app) {
  auto request = std::make_shared<NodeConfirmDown>();
  app.add_option("NODE", request->node, "a node that is off, and does not come back by itself")->required();
  app.add_option("--why", request->why, "what happened to it, for the records");
  app.add_flag("--dry-run", request->dry_run, "say what would become of its jobs, change nothing");
  return [request](Session& session) -> Result<int> {
    const auto answer = session.ask(*request);
    if (!answer) return tl::unexpected<Error>(answer.error());
    return show_jobs(session, answer->body, "node " + request->node + " is confirmed down\n");
  };
}

Run declare_node_drain(CLI::App& app) {
  auto request = std::make_shared<NodeDrain>();
  auto mode = std::make_shared<std::string>("migrate");
  auto deadline = std::make_shared<std::string>();
  auto then = std::make_shared<std::string>("save");
  auto at = std::make_shared<std::string>();
  app.add_option("NODE", request->node, "name of the node")->required();
  app.add_option("--mode", *mode,
                 "its jobs are: migrate (moved while they run), save (saved, and go on elsewhere), requeue "
                 "(rerun), wait (left to end)")
      ->check(CLI::IsMember({"migrate", "save", "requeue", "wait"}))
      ->capture_default_str();
  CLI::Option* until = app.add_option("--deadline", *deadline,
                                      "after this time, for example 2h, what is left is saved; see --then");
  app.add_option("--then", *then,
                 "what is left at the deadline is: save (saved), requeue (rerun), stay (left as it is)")
      ->check(CLI::IsMember({"save", "requeue", "stay"}))
      ->needs(until)
      ->capture_default_str();
  app.add_option("--at", *at,
                 "the drain begins then: now+2h, 22:00, 2026-12-01T22:00; --deadline counts from then on");
  app.add_flag("--dry-run", request->dry_run, "say what would become of its jobs, change nothing");
  return [request, mode, deadline, then, at](Session& session) -> Result<int> {
    request->mode = from_word<DrainMode>(*mode).value_or(DrainMode::migrate);
    request->then = from_word<AfterDeadline>(*then).value_or(AfterDeadline::save);
    if (!deadline->empty()) {
      const auto within = parse_duration(*deadline);
      if (!within) return fail(ErrorKind::invalid_argument, "--deadline: " + within.error().message);
      request->within = *within;
    }
    if (!at->empty()) {
      const auto begins = parse_begin(*at, std::time(nullptr));
      if (!begins) return fail(ErrorKind::invalid_argument, "--at: " + begins.error().message);
      request->at_unix_us = std::int64_t{*begins} * kMillion;
    }
    const auto answer = session.ask(*request);
    if (!answer) return tl::unexpected<Error>(answer.error());
    const std::string done =
        at->empty() ? " is draining"
                    : " is to be drained from " + answer->body["at"].get<std::string>() + " on";
    return show_jobs(session, answer->body, "node " + request->node + done + "\n");
  };
}

Run declare_node_resume(CLI::App& app) {
  auto request = std::make_shared<NodeResume>();
  app.add_option("NODE", request->node, "name of the node")->required();
  return [request](Session& session) -> Result<int> {
    const auto answer = session.ask(*request);
    if (!answer) return tl::unexpected<Error>(answer.error());
    return session.show(answer->body, {[&](bool) { return "node " + request->node + " is in service\n"; },
                                       [&request] { return std::vector{request->node}; }});
  };
}

}  // namespace aliquot::ctl
