// What every backend of the hypervisor port owes, as one set of tests. A backend brings a BackendUnderTest
// and instantiates the suite:
//
//   INSTANTIATE_TEST_SUITE_P(Libvirt, HypervisorContract, testing::Values(BackendFactory(make_libvirt)));
//
// Two nodes of equal cores; a backend with one node only passes what does not need a second. The tests know
// no clock: time goes on by BackendUnderTest::let_pass.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "manager/hypervisor/hypervisor.hpp"

namespace aliquot {

class BackendUnderTest {
 public:
  virtual ~BackendUnderTest() = default;
  // Not empty: it cannot be tested here, and why.
  [[nodiscard]] virtual std::string cannot_run() const = 0;
  // Of which it has nodes 0 and 1, or 0 alone.
  [[nodiscard]] virtual std::uint32_t nodes() const { return 2; }
  // What it answers with ErrorKind::unsupported is not tested.
  [[nodiscard]] virtual bool migrates() const { return true; }
  [[nodiscard]] virtual bool makes_checkpoints() const { return true; }
  // A hypervisor over these nodes, empty of this test's jobs.
  virtual std::unique_ptr<Hypervisor> start(Hypervisor::Sink sink) = 0;
  virtual void let_pass(Duration span) = 0;
  // Tasks of one core each that never end, or end with exit code 0 after so long at full yield.
  [[nodiscard]] virtual Submission endless() const = 0;
  [[nodiscard]] virtual Submission ending(Duration alone) const = 0;
  // Work the task has done, in any unit; never falls.
  virtual std::int64_t progress(Hypervisor& hypervisor, JobId job, std::uint32_t task) = 0;
  // What is wrong with the task's output, as far as it shows: lost, repeated or miscomputed work. Empty:
  // whole.
  [[nodiscard]] virtual std::string fault(JobId job, std::uint32_t task) const = 0;
  // Do its VMs live on when the manager dies? Then every action may be asked for twice.
  [[nodiscard]] virtual bool outlives_its_manager() const = 0;
  // By how much longer its guests take than others to boot and to answer.
  [[nodiscard]] virtual int slowness() const { return 1; }
  // At yields of 0.02 and 0.1 the second must be so much faster at least: 5 in theory.
  [[nodiscard]] virtual double least_speedup() const = 0;
};

using BackendFactory = std::function<std::unique_ptr<BackendUnderTest>()>;

// Collects what the hypervisor says, and lets time pass until something has been said.
class EventLog {
 public:
  [[nodiscard]] Hypervisor::Sink sink() {
    return [this](Event event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    };
  }
  template <class T>
  [[nodiscard]] std::vector<T> all(const std::function<bool(const T&)>& which = [](const T&) {
    return true;
  }) {
    const std::lock_guard lock(mutex_);
    std::vector<T> out;
    for (const Event& event : events_) {
      if (const T* one = std::get_if<T>(&event); one != nullptr && which(*one)) out.push_back(*one);
    }
    return out;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    events_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<Event> events_;
};

class HypervisorContract : public testing::TestWithParam<BackendFactory> {
 protected:
  void SetUp() override;
  void TearDown() override;

  // A job of its own for each test, its VMs on node 0 until `place` says otherwise.
  void submit(Submission submission, std::uint32_t tasks = 1);
  void place(std::uint32_t node);
  // Where a VM of node 0 goes: another node, if the backend has one.
  [[nodiscard]] NodeId other() const { return {backend_->nodes() - 1}; }
  // The first task here, the second there.
  void place(std::uint32_t first, std::uint32_t second);

  // Heads of the next action, over all tasks of the job or those named.
  ActionHead next();
  ActionHead next(TaskRun tasks);

  // Does it and returns the outcome of each task; fails unless there is exactly one for each.
  std::vector<Outcome> outcomes(const Action& action);
  // The error of the first that has one; `ok` if all succeeded.
  std::string act(const Action& action);
  void start_only(const Action& action);
  std::vector<Outcome> wait_for_outcomes(const Action& action);

  // What an inspection finds; repeated a few times while that is unknown.
  Inspected look(std::uint32_t task = 0);
  Inspected inspect_once(std::uint32_t task);
  bool passes_until(const std::function<bool()>& condition, Duration patience);
  std::int64_t progress(std::uint32_t task = 0);
  // Work done while so much time passes.
  std::int64_t progress_in(Duration span, std::uint32_t task = 0);
  // It makes progress, however slow the machine is.
  bool goes_on();
  // Of the first task, which must stand on this node: the sum over the runs of its VM.
  Duration cpu_time(std::uint32_t node);
  // Created on node 0 at this yield and released.
  void run(Submission submission, Yield yield = kFullYield, std::uint32_t tasks = 1);

  // The last of each run, from answers and from VMs that left their nodes.
  struct Counted {
    std::mutex mutex;
    std::map<std::tuple<JobId, std::uint32_t, std::uint32_t, std::int64_t>, Duration> cpu;
  };
  void keep(const std::vector<VmSample>& samples);

  std::shared_ptr<Counted> counted_ = std::make_shared<Counted>();
  std::unique_ptr<BackendUnderTest> backend_;
  std::unique_ptr<Hypervisor> hypervisor_;
  EventLog log_;
  std::shared_ptr<const JobSpec> spec_;
  OpId last_op_{0};
};

inline constexpr char kDone[] = "ok";

}  // namespace aliquot
