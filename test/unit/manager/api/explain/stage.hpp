// A state put together by hand, under a real policy, and what `why` and `plan` answer to it. The instant is
// 100 s after the birth of the store; periods of 60 s end at 120 s. Job ids must increase.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "manager/api/explain/why_answer.hpp"
#include "test/support/json_form.hpp"
#include "test/support/small_view.hpp"

namespace aliquot::test {

inline constexpr Instant kStageNow{100'000'000};

class Stage {
 public:
  explicit Stage(const std::string& spec) : policy_(std::move(*make_policy(spec))) {
    state.view.now = kStageNow;
    state.view.costs.restart = seconds(10);
    if (policy_->period()) state.view.next_tick = Instant{120'000'000};
    state.policy = policy_->name();
  }

  // Alike; a second call adds others.
  Stage& nodes(std::uint32_t count, std::int64_t cores = 1, std::int64_t mib = 1000) {
    for (std::uint32_t n = 0; n < count; ++n)
      state.view.nodes.push_back(node(static_cast<std::uint32_t>(state.view.nodes.size()), cores, mib));
    return *this;
  }
  Stage& run(std::uint64_t id, const Submission& what, Placement placement,
             std::int64_t yield_ppm = kMillion) {
    Job job = running(id, what, std::move(placement), yield_ppm);
    job.submitted = {10'000'000};
    job.phase_since = {20'000'000};
    job.progress = {{}, job.yield, {20'000'000}, {}};
    JobRecord& record = add(job, what);
    record.started = Instant{20'000'000};
    record.vms.clear();
    for (const Share& share : job.placement)
      for (std::uint32_t unit = 0; unit < share.units; ++unit) {
        Vm vm;
        vm.state = VmState::running;
        vm.incarnation = 1;
        vm.node = vm.wanted = share.node;
        vm.cap = job.yield;
        vm.has_run = true;
        record.vms.push_back(vm);
      }
    return *this;
  }
  Stage& wait(std::uint64_t id, const Submission& what) {
    Job job = waiting(id, what);
    job.submitted = job.phase_since = {50'000'000};
    add(job, what);
    return *this;
  }
  Stage& saved(std::uint64_t id, const Submission& what) {
    Job job = waiting(id, what);
    job.submitted = {10'000'000};
    job.phase = Phase::paused;
    job.phase_since = {90'000'000};
    JobRecord& record = add(job, what);
    record.started = Instant{20'000'000};
    record.preemptions = 1;
    for (Vm& vm : record.vms) {
      vm.state = VmState::saved;
      vm.incarnation = 1;
      vm.has_run = true;
    }
    return *this;
  }

  [[nodiscard]] Job& job(std::uint64_t id) { return state.view.jobs.at({id}); }
  [[nodiscard]] JobRecord& record(std::uint64_t id) { return state.records.at({id}); }
  [[nodiscard]] const Policy& policy() const { return *policy_; }
  [[nodiscard]] AnswerClock clock() const { return {kStageNow, Calendar(1'700'000'000'000'000)}; }
  [[nodiscard]] nlohmann::json why(std::uint64_t id) {
    const auto answer = why_answer(state, *policy_, {id}, clock(), refused);
    return answer ? in_form("why", *answer) : nlohmann::json(answer.error().message);
  }

  CoreState state;
  PlanRefusal refused;

 private:
  JobRecord& add(const Job& job, const Submission& what) {
    state.view.jobs[job.id] = job;
    JobRecord& record = state.records[job.id];
    record.submission = what;
    record.vms.resize(what.demand.tasks);
    return record;
  }

  std::shared_ptr<const Policy> policy_;
};

inline Submission with_estimate(Submission what, std::int64_t estimate_s) {
  what.demand.estimate = seconds(estimate_s);
  return what;
}
inline Submission with_wall_limit(Submission what, std::int64_t limit_s) {
  what.wall_limit = seconds(limit_s);
  return what;
}
inline Submission with_limit(Submission what, std::int64_t limit_s) {
  what.time_limit = seconds(limit_s);
  return what;
}
inline Submission with_floor(Submission what, std::int64_t ppm) {
  what.demand.min_yield = {ppm};
  return what;
}

}  // namespace aliquot::test
