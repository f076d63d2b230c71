#include "tools/sim/validity/live_run.hpp"

#include "tools/replay/journal_lines.hpp"

namespace aliquot {
namespace {

// Takes the steps of a journal one after the other.
class Reading {
 public:
  explicit Reading(LiveRun& run) : run_(run) {}

  // Not empty: why this journal is of no use.
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

}  // namespace aliquot
