#include "tools/experiments/validity/live_run.hpp"

#include "tools/replay/journal_lines.hpp"
#include "tools/sim/decimal.hpp"
#include "tools/sim/workload/csv_line.hpp"
#include "tools/sim/workload/limits.hpp"
#include "tools/sim/workload/text_source.hpp"

namespace aliquot {
namespace {

// Collects a live run from the steps of a journal, given in order.
class Reading {
 public:
  explicit Reading(LiveRun& run) : run_(run) {}

  // Not empty: why the journal cannot be used.
  std::string take(const Step& step) {
    now_ = step.now;
    for (const Event& event : step.events) std::visit([this](const auto& e) { on(e); }, event);
    for (const Action& action : step.actions) kinds_[head(action).op] = kind(action);
    for (const JobOutcome& outcome : step.ended) run_.ended.emplace(outcome.job, outcome);
    return std::move(fault_);
  }

 private:
  void on(const Configured& event) { run_.nodes = event.nodes; }
  void on(const PolicyChanged& event) {
    if (!run_.jobs.empty()) fault_ = "the policy changes while jobs are there";
    run_.policy = event.spec;
    run_.ticks_from = now_;
  }
  void on(const Submitted& event) { run_.jobs.emplace(event.job, event.submission); }
  void on(const Outcome& event) {
    const auto kind = kinds_.find(event.op);
    const auto job = run_.jobs.find(event.job);
    if (kind == kinds_.end() || job == run_.jobs.end()) return;
    for (std::uint32_t i = 0; i < event.tasks.count; ++i)
      run_.actions.push_back(
          {kind->second, event.job, job->second->demand.memory, event.took, event.error.has_value()});
  }
  void on(const NodeChanged& event) {
    if (event.state == NodeState::up || run_.jobs.empty()) return;
    run_.troubles.push_back("node " + std::to_string(event.node.raw) + ": " + event.why);
  }
  void on(const ForeignMove& event) {
    run_.troubles.push_back("job " + std::to_string(event.job.raw) + ": " + event.what);
  }
  void on(const Restarted&) { run_.troubles.emplace_back("the manager was started again"); }
  template <class Other>
  void on(const Other&) {}

  LiveRun& run_;
  Instant now_;
  std::map<OpId, ActionKind> kinds_;
  std::string fault_;
};

constexpr std::string_view kHeader = "job,measured,expected";

Result<Duration> seconds_of(const std::string& text) {
  const auto value = parse_decimal(text);
  if (!value) return tl::unexpected(value.error());
  if (*value > kLongestRuntime) return fail(ErrorKind::invalid_argument, "'" + text + "' is too long");
  const Duration duration = to_duration(*value);
  if (duration.raw <= 0) return fail(ErrorKind::invalid_argument, "'" + text + "' is not above 0");
  return duration;
}

Result<void> take_line(std::string_view line, WorkTable& table) {
  const auto fields = split_csv(line);
  if (!fields) return tl::unexpected(fields.error());
  if (fields->size() != 3) return fail(ErrorKind::invalid_argument, "three fields are wanted");
  const auto job = parse_count((*fields)[0], kLargestJobId);
  if (!job) return tl::unexpected(job.error());
  const auto measured = seconds_of((*fields)[1]);
  if (!measured) return tl::unexpected(measured.error());
  const auto expected = seconds_of((*fields)[2]);
  if (!expected) return tl::unexpected(expected.error());
  if (!table.emplace(JobId{*job}, Work{*measured, *expected}).second)
    return fail(ErrorKind::invalid_argument, "job " + (*fields)[0] + " stands there already");
  if (table.size() > kMostJobs) return fail(ErrorKind::too_large, "too many jobs");
  return {};
}

}  // namespace

Result<LiveRun> read_live_run(const std::string& path) {
  auto lines = JournalLines::open(path);
  if (!lines) return tl::unexpected(lines.error());
  const auto useless = [&](const std::string& why) {
    return fail(ErrorKind::invalid_argument, path + ": " + why + ": such a run cannot be simulated again");
  };
  LiveRun run;
  Reading reading(run);
  for (;;) {
    const auto line = lines->next();
    if (!line) return tl::unexpected(line.error());
    if (!*line) break;
    const auto* step = std::get_if<Step>(&**line);
    if (step == nullptr) return useless("it begins in the middle of a manager's life");
    if (const std::string why = reading.take(*step); !why.empty()) return useless(why);
  }
  if (run.nodes.empty() || run.policy.empty()) return useless("it does not say which nodes there were");
  if (run.jobs.empty()) return useless("no job was submitted");
  return run;
}

Result<WorkTable> read_work_table(const std::string& path) {
  auto source = TextSource::open(path);
  if (!source) return tl::unexpected(source.error());
  const auto bad = [&](const std::string& why) {
    return fail(ErrorKind::invalid_argument, path + ":" + std::to_string(source->line()) + ": " + why);
  };
  WorkTable table;
  for (bool first = true;; first = false) {
    const auto line = source->next();
    if (!line) return tl::unexpected(line.error());
    if (!*line) break;
    if (first && **line != kHeader) return bad("the first line is not " + std::string(kHeader));
    if (first || (*line)->empty()) continue;
    if (auto taken = take_line(**line, table); !taken) return bad(taken.error().message);
  }
  if (table.empty()) return fail(ErrorKind::invalid_argument, path + ": no job stands in it");
  return table;
}

}  // namespace aliquot
