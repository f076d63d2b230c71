// Hands the jobs of a trace to a simulation while the rest of the trace is still being read. One thread
// reads, another simulates.
//
// The reader publishes jobs as long as they come in order of submission, then id, and keep their addresses.
// If it finds later that they do not, or that the file is bad, it withdraws them: the simulation's results
// are then discarded, and the run starts again when the whole trace is known.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>

#include "tools/sim/workload.hpp"

namespace aliquot {

class EarlyJobs {
 public:
  // --- For the reader, which calls nothing more after finish() or withdraw().
  // All jobs published so far. They do not change until withdraw() returns.
  void publish(std::span<const WorkloadJob> jobs) { set(jobs, State::reading); }
  // All jobs of the trace. They do not change any more.
  void finish(std::span<const WorkloadJob> jobs) { set(jobs, State::all); }
  // Returns when the simulation has let go of the jobs.
  void withdraw() {
    std::unique_lock lock(mutex_);
    jobs_ = {};
    state_ = State::withdrawn;
    changed_.notify_all();
    changed_.wait(lock, [this] { return let_go_; });
  }

  // --- For the simulation.
  struct Known {
    std::span<const WorkloadJob> jobs;
    bool all = false;
  };
  // Waits until more than `than` jobs are known, or all are. No jobs at all if they were withdrawn.
  [[nodiscard]] Known wait_for_more(std::size_t than) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return state_ != State::reading || jobs_.size() > than; });
    return {jobs_, state_ != State::reading};
  }
  // Promises not to look at the jobs again. Returns whether they were withdrawn.
  bool let_go() {
    const std::lock_guard lock(mutex_);
    let_go_ = true;
    changed_.notify_all();
    return state_ == State::withdrawn;
  }

 private:
  enum class State : std::uint8_t { reading, all, withdrawn };

  void set(std::span<const WorkloadJob> jobs, State state) {
    {
      const std::lock_guard lock(mutex_);
      jobs_ = jobs;
      state_ = state;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::span<const WorkloadJob> jobs_;
  State state_ = State::reading;
  bool let_go_ = false;
};

}  // namespace aliquot
