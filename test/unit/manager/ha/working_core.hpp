// For tests: the core of a manager at work. Jobs come to two nodes, run, end, are held and cancelled, and
// actions succeed or fail, as the draws say. It can go on from any state.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "manager/core/scheduler.hpp"
#include "test/support/small_view.hpp"

namespace aliquot::ha::test {

// Where nothing waits for a disk, if there is such a place.
inline std::filesystem::path in_memory() {
  return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path();
}

class WorkingCore {
 public:
  using Draw = std::function<std::uint64_t(std::uint64_t below)>;
  WorkingCore(std::unique_ptr<Scheduler> scheduler, Draw draw)
      : scheduler_(std::move(scheduler)), draw_(std::move(draw)) {}

  [[nodiscard]] const CoreState& state() const { return scheduler_->cluster().state(); }
  Step step() {
    std::vector<Event> events;
    if (state().steps == 0) {
      events.emplace_back(Configured{{aliquot::test::node(0, 4), aliquot::test::node(1, 4)}});
      events.emplace_back(PolicyChanged{"EASY"});
    }
    for (const auto& [id, record] : state().records) add_outcomes(id, record, events);
    if (const std::uint64_t jobs = state().view.jobs.size(); jobs > 0 && draw_(6) == 0) {
      auto job = state().view.jobs.begin();
      std::advance(job, draw_(jobs));
      if (draw_(2) == 0)
        events.emplace_back(Cancelled{job->first, JobResult::cancelled, "a test"});
      else
        events.emplace_back(HoldChanged{job->first, !job->second.held});
    }
    const std::uint64_t more = state().view.jobs.size() > 20 ? 0 : draw_(3);
    for (std::uint64_t i = 0; i < more; ++i) {
      const auto tasks = static_cast<std::uint32_t>(1 + draw_(3));
      events.emplace_back(
          Submitted{{state().next_job.raw + i}, aliquot::test::submission(tasks, 500, 100)});
    }
    return scheduler_->round(state().view.now + seconds(static_cast<std::int64_t>(draw_(20))),
                             std::move(events));
  }

 private:
  void add_outcomes(JobId id, const JobRecord& record, std::vector<Event>& events) {
    for (std::uint32_t task = 0; task < record.vms.size(); ++task) {
      const Vm& vm = record.vms[task];
      if (vm.flight) {
        if (draw_(3) == 0) continue;  // it takes longer
        Outcome outcome{vm.flight->op, id, {task, 1}, {}, seconds(1), {}};
        if (draw_(20) == 0) outcome.error = Error{ErrorKind::unavailable, "a test"};
        events.emplace_back(std::move(outcome));
      } else if (vm.state == VmState::running && draw_(10) == 0) {
        events.emplace_back(TaskEnded{id, {task, 1}, vm.incarnation, 0, "", 0});
      }
    }
  }

  std::unique_ptr<Scheduler> scheduler_;
  Draw draw_;
};

}  // namespace aliquot::ha::test
