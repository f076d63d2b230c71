// The jobs of a trace, handed to a simulation while the rest of it is still being read.
//
// A reader publishes them as it goes, as long as they come in order of submission, then id, and stay where
// they are in memory. Where it finds that they do not, or that the file is bad, it withdraws them: what was
// simulated of them is worth nothing, and to be simulated again once all is read. One thread reads, another
// simulates; neither knows more of the other than this.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>

#include "tools/sim/workload.hpp"

namespace aliquot {

class EarlyJobs {
 public:
  // --- the reader's side. After finish() or withdraw() nothing of it is called again.
  // These jobs and those that were published before stay as they are until withdraw() returns.
  void publish(std::span<const WorkloadJob> jobs) { set(jobs, State::reading); }
  // These are all. They stay as they are.
  void finish(std::span<const WorkloadJob> jobs) { set(jobs, State::all); }
  // Returns when nobody looks at them any more.
  void withdraw() {
    std::unique_lock lock(mutex_);
    jobs_ = {};
    state_ = State::withdrawn;
    changed_.notify_all();
    changed_.wait(lock, [this] { return let_go_; });
  }

  // --- the simulation's side.
  struct Known {
    std::span<const WorkloadJob> jobs;
    bool all = false;
  };
  // Waits until there are more than so many, or no more to come. Withdrawn: none at all.
  [[nodiscard]] Known wait_for_more(std::size_t than) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return state_ != State::reading || jobs_.size() > than; });
    return {jobs_, state_ != State::reading};
  }
  // Nothing that was handed out is looked at any more. Were they withdrawn?
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
