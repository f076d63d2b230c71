// The contract of the hypervisor port on two real Xen machines, over the wire of their agents: the
// manager's backend runs here, the agents in emulated dom0s that hypervisor_xen_agents.sh has brought up.
#include "test/integration/hypervisor_xen_agents.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "manager/hypervisor/agent/agent_hypervisor.hpp"
#include "manager/hypervisor/agent/keys.hpp"
#include "test/integration/hypervisor_disks.hpp"
#include "test/integration/hypervisor_xen_guests.hpp"

namespace aliquot {
namespace {

std::string state() { return from_environment("ALIQUOT_LOCALCLUSTER", ""); }

std::string first_line(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string directory(std::uint32_t node) { return state() + "/n" + std::to_string(node + 1); }

// Two nodes of the local cluster, which shares one spool with them.
class XenAgentsUnderTest final : public XenUnderTest {
 public:
  template <class... Steps>
  explicit XenAgentsUnderTest(Steps... steps) : XenUnderTest(Spool(state() + "/spool"), steps...) {}
  [[nodiscard]] std::string cannot_run() const override {
    return state().empty() ? "no local cluster of Xen nodes: hypervisor_xen_agents.sh" : "";
  }
  std::unique_ptr<Hypervisor> start(Hypervisor::Sink sink) override {
    static std::uint64_t starts = 0;
    AgentHypervisorSetup setup;
    setup.keys = agent::read_keys(state() + "/manager.keys").value();
    setup.spool_dir = state() + "/spool";
    setup.cluster = "contract";
    setup.epoch = ++starts;
    auto made = std::make_unique<AgentHypervisor>(std::move(setup), std::move(sink));
    for (std::uint32_t i = 0; i < nodes(); ++i) made->set_node({i}, settings(i), "");
    return made;
  }

 private:
  static NodeSettings settings(std::uint32_t i) {
    NodeSettings node;
    node.name = "node" + std::to_string(i + 1);
    node.uri = "agent://" + xen_agent_address(i);
    node.agent_key = first_line(directory(i) + "/public");
    return node;
  }
};

class XenAgentDisks : public HypervisorContract {
 protected:
  std::ptrdiff_t steps() const {
    return std::ranges::count(text_of(Spool(state() + "/spool").console(spec_->job, 0)), '+');
  }
  bool passes(std::ptrdiff_t step) {
    return passes_until([&] { return steps() >= step; }, seconds(300));
  }
};

// There and back. Memory, disk and console agree at its end, so nothing was lost or done twice.
TEST_P(XenAgentDisks, a_vm_with_a_disk_moves_between_two_machines) {
  constexpr std::uint16_t kSteps = 200;
  submit(counting_job(Spool(state() + "/spool"), kSteps));
  ASSERT_EQ(act(Create{next(), NodeId{0}, kFullYield}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  ASSERT_TRUE(passes(20));
  ASSERT_EQ(act(Migrate{next(), NodeId{0}, NodeId{1}}), kDone);
  place(1);
  ASSERT_TRUE(passes(60));
  ASSERT_EQ(act(Migrate{next(), NodeId{1}, NodeId{0}}), kDone);
  place(0);
  ASSERT_TRUE(passes(kSteps));
  ASSERT_TRUE(passes_until([&] { return !log_.all<TaskEnded>().empty(); }, seconds(60)));
  EXPECT_EQ(log_.all<TaskEnded>()[0].exit_code, 4) << log_.all<TaskEnded>()[0].note;
  EXPECT_EQ(steps(), kSteps);
}

// Back to it on the other machine, where all that came after it is gone.
TEST_P(XenAgentDisks, memory_disk_and_console_go_back_to_a_checkpoint) {
  constexpr std::uint16_t kSteps = 200;
  submit(counting_job(Spool(state() + "/spool"), kSteps));
  ASSERT_EQ(act(Create{next(), NodeId{0}, kFullYield}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  ASSERT_TRUE(passes(20));
  ASSERT_EQ(act(Checkpoint{next(), 1}), kDone);
  const std::ptrdiff_t then = steps();
  ASSERT_TRUE(passes(then + 20)) << "it does not go on";
  ASSERT_EQ(act(Destroy{next(), NodeId{0}}), kDone);
  ASSERT_EQ(act(Restore{next(), NodeId{1}, kFullYield, 1}), kDone);
  place(1);
  EXPECT_LT(steps(), then + 20) << "the console was not cut";
  ASSERT_EQ(act(Release{next()}), kDone);
  ASSERT_TRUE(passes(kSteps));
  ASSERT_TRUE(passes_until([&] { return !log_.all<TaskEnded>().empty(); }, seconds(60)));
  EXPECT_EQ(log_.all<TaskEnded>()[0].exit_code, 4) << log_.all<TaskEnded>()[0].note;
  EXPECT_EQ(steps(), kSteps);
}

class XenAgentMoves : public HypervisorContract {
 protected:
  using Clock = std::chrono::steady_clock;
  struct Moved {
    Clock::duration took{};
    Clock::duration longest{};  // time without progress, part of it
  };
  Moved move_and_watch() {
    const Action action = Migrate{next(), NodeId{0}, NodeId{1}};
    const auto begun = Clock::now();
    std::atomic<bool> is_over{false};
    Moved moved;
    std::thread watching([&] {
      auto last = begun;
      for (std::int64_t then = progress(); !is_over;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        const auto now = Clock::now();
        moved.longest = std::max(moved.longest, now - last);
        if (const std::int64_t links = progress(); links != then) then = links, last = now;
      }
    });
    start_only(action);
    const auto outcomes = wait_for_outcomes(action);
    EXPECT_TRUE(outcomes.size() == 1 && !outcomes[0].error);
    place(1);
    EXPECT_TRUE(goes_on());
    moved.took = Clock::now() - begun;
    is_over = true;
    watching.join();
    return moved;
  }
};

// Xen tells which pages of such a guest change, so it runs while its memory is written.
TEST_P(XenAgentMoves, a_pvh_vm_runs_for_most_of_its_move) {
  if (from_environment("ALIQUOT_TEST_GUESTS", "pv") != "pvh")
    GTEST_SKIP() << "a PV guest stands still while it is moved; ALIQUOT_TEST_GUESTS=pvh";
  run(backend_->endless());
  const Moved moved = move_and_watch();
  const auto in_seconds = [](Clock::duration span) { return std::chrono::duration<double>(span).count(); };
  std::cout << "moved in " << in_seconds(moved.took) << " s, " << in_seconds(moved.longest)
            << " s without progress\n";
  EXPECT_LT(2 * moved.longest, moved.took);
}

std::unique_ptr<BackendUnderTest> xen_agents() { return std::make_unique<XenAgentsUnderTest>(); }

INSTANTIATE_TEST_SUITE_P(XenAgents, HypervisorContract, testing::Values(BackendFactory(xen_agents)));
INSTANTIATE_TEST_SUITE_P(XenAgents, XenAgentMoves, testing::Values(BackendFactory(xen_agents)));
INSTANTIATE_TEST_SUITE_P(XenAgents, XenAgentDisks, testing::Values(BackendFactory(xen_agents)));

}  // namespace

std::unique_ptr<BackendUnderTest> xen_agents_with_long_blocks() {
  return std::make_unique<XenAgentsUnderTest>(4'000'000U);
}

std::string xen_agent_address(std::uint32_t node) {
  return "127.0.0.1:" + first_line(directory(node) + "/port");
}

}  // namespace aliquot
