// For tests: two nodes of one core; job 1 runs on both at yield 0.5, job 2 waits, job 3 has failed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "manager/api/answers/cluster_answers.hpp"
#include "monitor/record/step.hpp"
#include "policies/policy.hpp"
#include "test/support/small_view.hpp"

namespace aliquot::test {

// Changes nothing; says of every job that memory is short and job 1 holds it.
class IdlePolicy final : public Policy {
 public:
  [[nodiscard]] std::string name() const override { return "SCRIPTED"; }
  [[nodiscard]] std::optional<Duration> period() const override { return seconds(60); }
  [[nodiscard]] Plan decide(const ClusterView&) const override { return {}; }
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId) const override {
    Explanation why;
    why.reason = Reason::memory;
    why.text = "No node has 192 MiB of free memory.";
    why.nodes = {{"free memory below 192 MiB", 2}};
    why.tightest = "memory";
    why.held_by = {{1}};
    why.retry_at = view.now + seconds(30);
    return why;
  }
};

struct SmallState {
  SmallState() {
    state.view.now = {100'000'000};
    state.view.next_tick = Instant{120'000'000};
    state.view.nodes = {node(0), node(1)};
    state.policy = "SCRIPTED";
    Submission two = submission(2, 1000, 128);
    two.demand.memory = mebibytes(192);
    two.program = HashChain{3, 9};
    two.name = "chain";
    Job first = running(1, two, {{{0}, 1}, {{1}, 1}}, 500'000);
    first.submitted = {10'000'000};
    first.progress = {{}, {500'000}, {20'000'000}, {}};
    add(first, two);
    JobRecord& record = state.records.at({1});
    record.started = Instant{20'000'000};
    record.vms.resize(2);
    for (std::uint32_t task = 0; task < 2; ++task) {
      Vm& vm = record.vms[task];
      vm.state = VmState::running;
      vm.incarnation = 1;
      vm.node = vm.wanted = {task};
      vm.cap = {500'000};
      vm.has_run = true;
    }
    const Submission one = submission(1, 1000, 128);
    Job second = waiting(2, one);
    second.submitted = {50'000'000};
    add(second, one);
    state.records.at({2}).vms.resize(1);
  }

  [[nodiscard]] JobOutcome ended() const {
    JobOutcome out;
    out.job = {3};
    out.submission = submission(1, 1000, 128);
    out.result = JobResult::failed;
    out.exit_code = 3;
    out.note = "task 0 exited with 3";
    out.submitted = {10'000'000};
    out.started = Instant{10'000'000};
    out.ended = {70'000'000};
    return out;
  }
  [[nodiscard]] DaemonFacts facts() const {
    DaemonFacts f;
    f.version = "0.1.0";
    f.cluster = "test";
    f.epoch = 2;
    f.up = seconds(3);
    f.last_event = 17;
    return f;
  }

  CoreState state;
  AnswerClock clock{{100'000'000}, Calendar(1'700'000'000'000'000)};
  std::unique_ptr<Policy> policy = std::make_unique<IdlePolicy>();

 private:
  void add(const Job& job, const Submission& what) {
    state.view.jobs[job.id] = job;
    state.records[job.id].submission = what;
  }
};

}  // namespace aliquot::test
