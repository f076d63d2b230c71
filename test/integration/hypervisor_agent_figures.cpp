// What caps, saves and samples cost through an agent and without one, on the same libvirt nodes. Their
// difference is the wire's, whatever backend an agent hosts. ALIQUOT_TEST_ROUNDS: of each (default 3).
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "test/integration/hypervisor_agents.hpp"
#include "test/integration/hypervisor_libvirt_nodes.hpp"

namespace aliquot {
namespace {

using Clock = std::chrono::steady_clock;

int rounds() {
  const char* const text = std::getenv("ALIQUOT_TEST_ROUNDS");
  return text == nullptr ? 3 : std::max(1, std::atoi(text));
}

// A job of one task on node 0, and how long each question about it takes to be answered.
class TimedJob {
 public:
  TimedJob(BackendUnderTest& backend, JobId job)
      : hypervisor_(backend.start([this](const Event& event) { hear(event); })) {
    auto spec = std::make_shared<JobSpec>();
    spec->job = job;
    spec->submission = backend.endless();
    spec->tasks.assign(1, {1, NodeId{0}, false});
    spec_ = spec;
    wait([this] { return nodes_up_ >= 2; });
  }

  ActionHead next() { return {OpId{++asked_}, spec_->job, {0, 1}}; }
  void act(const Action& action) {
    const auto begin = Clock::now();
    hypervisor_->perform(action, spec_);
    ASSERT_TRUE(wait([this] { return answered_ == asked_; })) << "no outcome of " << word(action);
    EXPECT_EQ(error_, "") << word(action);
    keep(std::string(word(action)), begin);
  }
  void sample() {
    const auto begin = Clock::now();
    bool came = false;
    hypervisor_->sample(NodeId{0}, [&](NodeId, const std::vector<VmSample>& samples) {
      const std::lock_guard lock(mutex_);
      came = !samples.empty();
      heard_at_ = Clock::now();
      heard_.notify_all();
    });
    ASSERT_TRUE(wait([&] { return came; })) << "no samples";
    keep("sample", begin);
  }
  void say(const char* way) {
    for (auto& [what, took] : took_) {
      std::sort(took.begin(), took.end());
      std::printf("%-7s %-8s least %8.2f ms, median %8.2f ms of %zu\n", way, what.c_str(), took.front(),
                  took[took.size() / 2], took.size());
    }
  }

 private:
  void hear(const Event& event) {
    const std::lock_guard lock(mutex_);
    if (const auto* change = std::get_if<NodeChanged>(&event))
      nodes_up_ += change->state == NodeState::up ? 1 : 0;
    if (const auto* outcome = std::get_if<Outcome>(&event)) {
      answered_ = outcome->op.raw;
      error_ = outcome->error ? outcome->error->message : "";
      heard_at_ = Clock::now();
    }
    heard_.notify_all();
  }
  template <class Condition>
  bool wait(Condition condition) {
    std::unique_lock lock(mutex_);
    return heard_.wait_for(lock, std::chrono::seconds(60), condition);
  }
  void keep(const std::string& what, Clock::time_point begin) {
    const std::chrono::duration<double, std::milli> span = heard_at_ - begin;
    took_[what].push_back(span.count());
  }

  std::mutex mutex_;
  std::condition_variable heard_;
  int nodes_up_ = 0;
  std::uint64_t asked_ = 0, answered_ = 0;
  std::string error_;
  Clock::time_point heard_at_;
  std::map<std::string, std::vector<double>> took_;
  std::shared_ptr<const JobSpec> spec_;
  std::unique_ptr<Hypervisor> hypervisor_;  // last: it ends before what it tells
};

class WayToANode : public testing::TestWithParam<std::pair<const char*, BackendFactory>> {};

TEST_P(WayToANode, costs_what_is_told) {
  const auto backend = GetParam().second();
  if (const std::string why = backend->cannot_run(); !why.empty()) GTEST_SKIP() << why;
  static std::uint64_t last_job = 90;  // below those of the contract's tests
  TimedJob job(*backend, {++last_job});
  job.act(Create{job.next(), NodeId{0}, kFullYield});
  job.act(Release{job.next()});
  backend->let_pass(seconds(1));
  for (int i = 0; i < rounds() && !HasFatalFailure(); ++i) {
    for (int each = 0; each < 5; ++each) {
      job.act(Cap{job.next(), {each % 2 == 0 ? 500'000 : kMillion}});
      job.sample();
    }
    job.act(Save{job.next(), NodeId{0}});
    job.act(Restore{job.next(), NodeId{0}, kFullYield});
    job.act(Release{job.next()});
  }
  job.act(Destroy{job.next(), NodeId{0}});
  job.say(GetParam().first);
}

INSTANTIATE_TEST_SUITE_P(Figures, WayToANode,
                         testing::Values(std::pair{"direct", BackendFactory(make_libvirt_backend)},
                                         std::pair{"agent", BackendFactory(make_agents_backend)}),
                         [](const auto& one) { return std::string(one.param.first); });

}  // namespace
}  // namespace aliquot
