// What is done to all tasks of a job at once is reckoned once where its VMs are alike; told task by task it
// must come to the same, lawful or not.
#include <gtest/gtest.h>

#include <random>

#include "test/unit/manager/hypervisor/model/one_job.hpp"

namespace aliquot {
namespace {

constexpr std::uint32_t kTasks = 3;

struct Said {
  std::uint32_t task;
  std::string what;
  friend bool operator==(const Said&, const Said&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Said& said) {
    return out << said.task << ": " << said.what;
  }
};

// Task by task, in their order.
std::vector<Said> said(const std::vector<Event>& events) {
  std::vector<Said> all;
  const auto each = [&all](TaskRun tasks, const std::string& what) {
    for (std::uint32_t t = tasks.first; t < tasks.first + tasks.count; ++t) all.push_back({t, what});
  };
  for (const Event& event : events) {
    if (const auto* outcome = std::get_if<Outcome>(&event))
      each(outcome->tasks, "stall " + std::to_string(outcome->stall.raw) +
                               (outcome->error ? " error " + outcome->error->message : ""));
    if (const auto* ended = std::get_if<TaskEnded>(&event))
      each(ended->tasks, "ended " + std::to_string(ended->incarnation) + " " +
                             std::to_string(ended->exit_code.value_or(-1)));
  }
  std::ranges::stable_sort(all, {}, &Said::task);
  return all;
}

TaskNodes nodes_of(const std::vector<std::uint32_t>& raw) {
  TaskNodes nodes(NodeId{raw.front()});
  for (std::uint32_t t = 1; t < raw.size(); ++t) nodes.append(t, NodeId{raw[t]});
  return nodes;
}

// The same action for the job, by `tell`, on these nodes.
template <class Tell>
std::vector<Event> act(std::size_t kind, const std::vector<std::uint32_t>& raw, Yield yield, Tell tell) {
  const TaskNodes nodes = nodes_of(raw);
  switch (kind) {
    case 0:
      return tell(Create{{}, nodes, yield});
    case 1:
      return tell(Restore{{}, nodes, yield});
    case 2:
      return tell(Save{{}, nodes});
    case 3:
      return tell(Cap{{}, yield});
    case 4:
      return tell(Suspend{});
    case 5:
      return tell(Destroy{{}, nodes});
    default:
      return tell(Release{});
  }
}

class Pair {
 public:
  explicit Pair(std::uint64_t seed) : random_(seed) {
    ModelOptions options;
    options.penalty = seconds(30);
    together_.emplace(options, kTasks, Memory{300});
    apart_.emplace(options, kTasks, Memory{300});
  }

  void step() {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t t = 0; t < kTasks; ++t) {
      const bool nowhere = draw(20) == 0;  // node 9 does not exist
      const std::uint32_t on = nowhere ? 9 : static_cast<std::uint32_t>(draw(2));
      nodes.push_back(last_ && draw(4) > 0 ? (*last_)[t] : on);
    }
    last_ = nodes;
    const std::size_t kind = draw(8);
    const Yield yield{draw(30) == 0 ? 0 : 250'000 * (1 + static_cast<std::int64_t>(draw(4)))};
    const auto one = act(kind, nodes, yield, [&](auto action) { return together_->tell(action); });
    std::vector<Event> two;
    const auto by_task = [&](auto action) {
      for (std::uint32_t t = 0; t < kTasks; ++t) {
        auto part = action;
        if constexpr (requires { part.nodes; }) part.nodes = NodeId{nodes[t]};
        std::ranges::move(apart_->tell(part, {t, 1}), std::back_inserter(two));
      }
      return two;
    };
    (void)act(kind, nodes, yield, by_task);
    EXPECT_EQ(said(one), said(two)) << "action " << kind;
    compare();
  }

  void wait() {
    if (together_->model.next() == kNever) return;
    const auto one = together_->wait();
    EXPECT_EQ(said(one), said(apart_->wait()));
    ended += one.size();
    compare();
  }
  void pass() {
    if (together_->model.next() < kNever) return;
    const std::int64_t second = together_->now.raw / kMillion + 7;
    together_->go_to(second);
    apart_->go_to(second);
  }

  std::size_t draw(std::size_t below) { return random_() % below; }
  [[nodiscard]] const ConformanceChecker& checker() const { return together_->model.checker(); }
  std::size_t ended = 0;

 private:
  void compare() {
    const ModelHypervisor& one = together_->model;
    const ModelHypervisor& two = apart_->model;
    EXPECT_EQ(together_->model.next(), apart_->model.next());
    EXPECT_EQ(one.leftovers(), two.leftovers());
    EXPECT_EQ(one.checker().violation_count(), two.checker().violation_count());
    for (const NodeId node : {NodeId{0}, NodeId{1}})
      EXPECT_EQ(one.checker().memory_used(node), two.checker().memory_used(node));
  }

  std::mt19937_64 random_;
  std::optional<OneJob> together_;
  std::optional<OneJob> apart_;
  std::optional<std::vector<std::uint32_t>> last_;
};

TEST(ModelTogether, ComesToTheSameAsTaskByTask) {
  std::size_t ended = 0;
  std::uint64_t faults = 0;
  for (std::uint64_t seed = 0; seed < 400 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Pair pair(seed);
    for (int k = 0; k < 60 && !::testing::Test::HasFailure(); ++k) {
      pair.step();
      if (pair.draw(3) == 0) pair.pass();
      if (pair.draw(6) == 0) pair.wait();
    }
    ended += pair.ended;
    faults += pair.checker().violation_count();
  }
  // The walks went through lawful lives and unlawful ones.
  EXPECT_GT(ended, 50U);
  EXPECT_GT(faults, 1000U);
}

}  // namespace
}  // namespace aliquot
