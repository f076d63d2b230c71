// Caps on Xen bind to two points and progress follows them: before and after a restore and a move.
//
// The machines are emulated, and a processor that is emulated while the machine that emulates it has no
// time for it loses its time slices: such windows prove nothing of Xen and are measured again.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>

#include "manager/hypervisor/node_hypervisor.hpp"
#include "test/integration/hypervisor_xen_agents.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kWindows = 10;
constexpr int kMostWindows = 60;  // of which so many must be valid
constexpr Duration kWindow = seconds(4);
constexpr Duration kToTakeEffect = seconds(1);
constexpr double kPoints = 2;
constexpr double kProgress = 0.05;
// Of a window, in which a thread of the machine was ready and did not run, or was taken by another machine.
constexpr double kMostDelay = 0.4;

std::string whole(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The process that emulates a machine, by the address that it forwards.
class Emulator {
 public:
  explicit Emulator(const std::string& address) {
    const std::string forwards = "hostfwd=tcp:" + address + "-";
    for (const auto& each : fs::directory_iterator("/proc"))
      if (std::string words = whole(each.path() / "cmdline");
          words.starts_with("qemu-system") && words.find(forwards) != std::string::npos)
        tasks_ = each.path() / "task";
  }
  [[nodiscard]] bool was_found() const { return !tasks_.empty(); }
  // Time that its threads have waited for a processor of this machine, and that others took from all of
  // them, since ever.
  [[nodiscard]] Seconds waited() const {
    double nanoseconds = 0;
    for (const auto& task : fs::directory_iterator(tasks_)) {
      std::istringstream in(whole(task.path() / "schedstat"));
      double ran = 0, waited = 0;
      if (in >> ran >> waited) nanoseconds += waited;
    }
    std::istringstream in(whole("/proc/stat"));
    std::string word;
    double stolen = 0;  // the eighth number, in hundredths of a second
    in >> word;
    for (int i = 0; i < 8; ++i) in >> stolen;
    return Seconds(nanoseconds / 1e9 + stolen / 100);
  }

 private:
  fs::path tasks_;
};

// What a VM did in some windows.
struct Windows {
  std::vector<double> shares;  // CPU time for the time that passed, in percent
  double cpu = 0;              // seconds, of all of them
  std::int64_t links = 0;
  int invalid = 0;
  [[nodiscard]] double rate() const { return static_cast<double>(links) / cpu; }
};

// Two emulated machines have no room beside each other on two cores.
void power(const std::string& word, NodeId node) {
  const std::string command = "tools/localcluster " + word + " " + std::to_string(node.raw + 1);
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

class XenCaps : public HypervisorContract {
 protected:
  void measure(Windows& windows, std::uint32_t node) {
    const Emulator machine(xen_agent_address(node));
    ASSERT_TRUE(machine.was_found());
    backend_->let_pass(kToTakeEffect);
    const Seconds waited = machine.waited();
    const std::int64_t links = progress();
    const Duration cpu = cpu_time(node);
    const auto begin = Clock::now();
    backend_->let_pass(kWindow);
    const Duration used = cpu_time(node) - cpu;
    const Seconds span = Clock::now() - begin;
    const std::int64_t done = progress() - links;
    if ((machine.waited() - waited).count() > most_delay_ * span.count()) {
      ++windows.invalid;
      return;
    }
    const double used_seconds = static_cast<double>(used.raw) / 1e6;
    windows.shares.push_back(100 * used_seconds / span.count());
    windows.cpu += used_seconds;
    windows.links += done;
  }

  double most_delay_ = kMostDelay;

  struct Measured {
    Windows full, capped;
    // Of the progress for CPU time, capped and not: 1 if progress follows what the cap gives.
    [[nodiscard]] double proportion() const { return capped.rate() / full.rate(); }
  };
  // In turns with windows at full yield, so that the speed of the machine cancels out.
  void measure(Measured& all, Yield yield, std::uint32_t node) {
    const auto valid = [&] { return std::min(all.full.shares.size(), all.capped.shares.size()); };
    for (int i = 0; i < kMostWindows && valid() < kWindows; ++i) {
      ASSERT_EQ(act(Cap{next(), i % 2 == 0 ? kFullYield : yield}), kDone);
      measure(i % 2 == 0 ? all.full : all.capped, node);
    }
    ASSERT_GE(valid(), kWindows) << "the machine is too busy: " << all.full.invalid + all.capped.invalid
                                 << " windows are not valid";
  }

  using Check = void (*)(const std::string& when, double cap, const Measured& measured);
  void for_each_cap(Check check) {
    const auto look = [&](const std::string& when, Yield yield, NodeId node) {
      Measured measured;
      measure(measured, yield, node.raw);
      if (!HasFatalFailure()) check(when, static_cast<double>(yield.raw) / kMillion, measured);
    };
    power("kill", other());
    run(backend_->endless());
    look("created", {500'000}, NodeId{0});
    look("created", {250'000}, NodeId{0});
    look("created", {100'000}, NodeId{0});
    ASSERT_EQ(act(Save{next(), NodeId{0}}), kDone);
    ASSERT_EQ(act(Restore{next(), NodeId{0}, {250'000}}), kDone);
    ASSERT_EQ(act(Release{next()}), kDone);
    look("restored", {250'000}, NodeId{0});
    power("start", other());
    ASSERT_TRUE(passes_until(
        [&] {
          return act(Migrate{next(), NodeId{0}, other()}) == kDone;
        },
        seconds(20)));
    place(other().raw);
    power("kill", NodeId{0});
    dynamic_cast<NodeHypervisor&>(*hypervisor_).write_off(NodeId{0});
    look("moved", {250'000}, other());
  }
};

void say(const std::string& when, double cap, const Windows& full, const Windows& capped) {
  const auto [least, most] = std::ranges::minmax(capped.shares);
  std::cout << when << ", cap " << 100 * cap << " %: used " << least << " to " << most << " % in "
            << capped.shares.size() << " windows (" << full.invalid + capped.invalid << " not valid)"
            << std::endl;
}

TEST_P(XenCaps, bind_within_two_points) {
  for_each_cap([](const std::string& when, double cap, const Measured& measured) {
    say(when, cap, measured.full, measured.capped);
    const auto [least, most] = std::ranges::minmax(measured.capped.shares);
    EXPECT_GE(least, 100 * cap - kPoints) << when;
    EXPECT_LE(most, 100 * cap + kPoints) << when;
  });
}

// The machines count instructions: each takes 2 ns of their time. An emulated processor is otherwise up to
// two times slower while other machines use its core, and loses milliseconds for its caches of translated
// code at each time slice. Counted so, what else this machine does makes no difference.
TEST_P(XenCaps, are_followed_by_progress) {
  most_delay_ = std::numeric_limits<double>::infinity();
  for_each_cap([](const std::string& when, double cap, const Measured& measured) {
    const double proportion = measured.proportion();
    std::cout << when << ", cap " << 100 * cap << " %: progress for CPU time " << proportion
              << " of that at full yield" << std::endl;
    EXPECT_NEAR(proportion, 1, kProgress) << when;
  });
}

INSTANTIATE_TEST_SUITE_P(XenAgents, XenCaps, testing::Values(BackendFactory(xen_agents_with_long_blocks)));

}  // namespace
}  // namespace aliquot
