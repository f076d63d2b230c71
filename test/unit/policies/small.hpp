// Small views for hand-computed examples: nodes of one core and 100 MiB, so that amounts read as percent.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "monitor/record/plan_check.hpp"
#include "policies/policy.hpp"

namespace aliquot::test {

class SmallView {
 public:
  explicit SmallView(std::uint32_t nodes) {
    view.now = Instant{seconds(1000).raw};
    for (std::uint32_t n = 0; n < nodes; ++n) {
      view.nodes.push_back(
          {{n}, std::string("n").append(std::to_string(n)), cores(1), mebibytes(100), NodeState::up, 1});
    }
  }

  // Percent of a node; submitted so many seconds ago.
  Job& waiting(std::uint64_t id, std::uint32_t tasks, std::int64_t cpu, std::int64_t memory,
               std::int64_t flow_s = 0) {
    Job& job = view.jobs[{id}];
    job.id = {id};
    job.demand.tasks = tasks;
    job.demand.need = {cpu * 10'000};
    job.demand.memory = mebibytes(memory);
    job.submitted = view.now - seconds(flow_s);
    job.progress.since = view.now;
    return job;
  }
  Job& arrived(std::uint64_t id, std::uint32_t tasks, std::int64_t cpu, std::int64_t memory) {
    view.cause.arrived.push_back({id});
    return waiting(id, tasks, cpu, memory);
  }
  Job& running(std::uint64_t id, Placement placement, std::int64_t cpu, std::int64_t memory,
               std::int64_t flow_s = 100, std::int64_t virtual_s = 100) {
    std::uint32_t tasks = 0;
    for (const Share& share : placement) tasks += share.units;
    Job& job = waiting(id, tasks, cpu, memory, flow_s);
    job.phase = Phase::running;
    job.placement = std::move(placement);
    job.yield = job.progress.rate = kFullYield;
    job.progress.accrued = seconds(virtual_s) * kFullYield;
    return job;
  }
  Job& paused(std::uint64_t id, std::uint32_t tasks, std::int64_t cpu, std::int64_t memory,
              std::int64_t flow_s = 100, std::int64_t virtual_s = 100) {
    Job& job = waiting(id, tasks, cpu, memory, flow_s);
    job.phase = Phase::paused;
    job.progress.accrued = seconds(virtual_s) * kFullYield;
    return job;
  }

  [[nodiscard]] Plan decide(std::string_view spec) const { return (*make_policy(spec))->decide(view); }
  [[nodiscard]] Explanation explain(std::string_view spec, std::uint64_t job) const {
    return (*make_policy(spec))->explain(view, {job});
  }

  ClusterView view;
};

inline const Change* change_of(const Plan& plan, std::uint64_t job) {
  for (const Change& change : plan.changes) {
    if (change.job.raw == job) return &change;
  }
  return nullptr;
}

// Where the plan puts the job; empty: not named, or paused.
inline Placement placed(const Plan& plan, std::uint64_t job) {
  const Change* change = change_of(plan, job);
  return change ? change->placement : Placement{};
}
inline bool pauses(const Plan& plan, std::uint64_t job) {
  const Change* change = change_of(plan, job);
  return change && change->placement.empty();
}
inline std::int64_t yield_ppm(const Plan& plan, std::uint64_t job) {
  const Change* change = change_of(plan, job);
  return change ? change->yield.raw : -1;
}

inline Share on(std::uint32_t node, std::uint32_t units = 1) { return {{node}, units}; }

}  // namespace aliquot::test
