// A cluster of two nodes for what watches, built by hand, and steps to show to it.
#pragma once

#include <string>

#include "monitor/record/step.hpp"

namespace aliquot::test {

inline Job job(std::uint64_t id, Phase phase, Yield yield = {}, Placement placement = {}) {
  Job made;
  made.id = {id};
  made.demand.tasks = 1;
  made.demand.need = cores(1);
  made.demand.memory = mebibytes(256);
  made.phase = phase;
  made.yield = yield;
  made.placement = std::move(placement);
  return made;
}

// n1: 4 cores, up; n2: 2 cores, suspect. Job 1 runs on n1 at yield 0.5 (2 units), 2 on n1 at 1, 3 waits, 4
// is paused.
inline ClusterView two_nodes() {
  ClusterView view;
  view.nodes.push_back({{0}, "n1", cores(4), mebibytes(4096), NodeState::up, 4});
  view.nodes.push_back({{1}, "n2", cores(2), mebibytes(2048), NodeState::suspect, 2});
  view.jobs[{1}] = job(1, Phase::running, {500'000}, {{{0}, 2}});
  view.jobs[{2}] = job(2, Phase::running, kFullYield, {{{0}, 1}});
  view.jobs[{3}] = job(3, Phase::waiting);
  view.jobs[{4}] = job(4, Phase::paused);
  return view;
}

inline Decision decision(const std::string& policy, bool adopted, std::size_t changes = 0,
                         std::int64_t nanoseconds = 0) {
  Decision made;
  made.policy = policy;
  made.adopted = adopted;
  made.plan.changes.resize(changes);
  made.nanoseconds = nanoseconds;
  return made;
}

// Refused by the checker.
inline Decision refused(const std::string& policy, const std::string& why) {
  Decision made = decision(policy, false);
  made.violations.push_back({Law::memory, why});
  return made;
}

inline Submitted submitted(std::uint64_t id) { return {{id}, {}}; }

// Ended after 100 s of which it worked 50 s at full speed: stretch 2.
inline JobOutcome ended(std::uint64_t id, JobResult result, std::uint32_t tasks = 1) {
  JobOutcome outcome;
  outcome.job = {id};
  Submission submission;
  submission.demand.tasks = tasks;
  outcome.submission = submission;
  outcome.result = result;
  outcome.started = Instant{0};
  outcome.ended = {100 * kMillion};
  outcome.virtual_time = seconds(50) * kFullYield;
  return outcome;
}

inline Create create(std::uint64_t op, std::uint64_t job, std::uint32_t tasks) {
  return {{{op}, {job}, {0, tasks}}, {{0}}, kFullYield};
}

inline Outcome outcome(std::uint64_t op, std::uint32_t first, std::uint32_t count) {
  Outcome made;
  made.op = {op};
  made.tasks = {first, count};
  made.took = seconds(2);
  return made;
}

}  // namespace aliquot::test
