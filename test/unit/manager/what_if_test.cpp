#include "manager/what_if.hpp"

#include <gtest/gtest.h>

#include "manager/core/scheduler.hpp"
#include "manager/store/state_codec.hpp"
#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

using test::node;
using test::submission;

// A cluster in which every action succeeds at once.
class WhatIf : public testing::Test {
 protected:
  explicit WhatIf(std::vector<Node> nodes = {node(0, 2), node(1, 2)})
      : scheduler_(Cluster(std::move(nodes)), *make_policy("DYNMCB8-ASAP-PER-600")) {}

  void at(std::int64_t second, std::vector<Event> events) {
    Step step = scheduler_.round(Instant{} + seconds(second), std::move(events));
    for (int turn = 0; !step.actions.empty() && turn < 100; ++turn) {
      std::vector<Event> outcomes;
      for (const Action& action : step.actions)
        outcomes.emplace_back(Outcome{head(action).op, head(action).job, head(action).tasks, {}, {}, {}});
      step = scheduler_.round(Instant{} + seconds(second), std::move(outcomes));
    }
  }
  void submit(std::uint64_t job, std::int64_t milli_cores, std::int64_t mib, std::uint32_t requeue = 1) {
    Submission what = submission(1, milli_cores, mib);
    what.requeue = requeue;
    at(0, {Submitted{{job}, what}});
  }
  [[nodiscard]] const CoreState& state() const { return scheduler_.cluster().state(); }
  [[nodiscard]] const Job& job(std::uint64_t id) const { return state().view.jobs.at({id}); }
  [[nodiscard]] std::string name_of_node(std::uint64_t id) const {
    return state().view.nodes[job(id).placement.at(0).node.raw].name;
  }
  [[nodiscard]] std::string fault(const std::string& assumption) const {
    const auto found = suppose(state(), {assumption});
    return found ? "" : found.error().message;
  }
  static const Change* change_of(const Supposition& found, std::uint64_t job) {
    const auto at = std::ranges::find(found.plan.changes, JobId{job}, &Change::job);
    return at == found.plan.changes.end() ? nullptr : &*at;
  }

  Scheduler scheduler_;
};

TEST_F(WhatIf, ANodeThatGoesDownDoesWhatItThenDoes) {
  submit(1, 1000, 400);
  submit(2, 1000, 400);
  const std::string down = name_of_node(1);
  const NodeId node = job(1).placement.at(0).node;
  const std::string before = encode_state(state());
  const auto found = suppose(state(), {"node-down=" + down});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(encode_state(state()), before) << "a question changes nothing";
  ASSERT_EQ(found->lost.size(), 1U);
  EXPECT_EQ(found->lost[0].job, JobId{1});
  EXPECT_EQ(found->lost[0].what, "rerun");
  EXPECT_TRUE(found->violations.empty());
  const Change* again = change_of(*found, 1);
  ASSERT_NE(again, nullptr);
  at(10, {NodeChanged{node, NodeState::down, ""}});
  at(10, {NodeFenced{node, "uid 0", ""}});
  at(11, {Inspected{{1}, 0, state().records.at({1}).vms[0].incarnation, VmFact::absent, {}, {}}});
  at(600, {});
  EXPECT_EQ(job(1).placement, again->placement);
  EXPECT_EQ(job(1).yield, again->yield);
}

TEST_F(WhatIf, AJobWithoutRerunsFailsWithItsNode) {
  submit(1, 1000, 400, 0);
  const auto found = suppose(state(), {"node-down=" + name_of_node(1)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->lost.at(0).what, "fail");
  EXPECT_FALSE(found->state.view.jobs.contains({1}));
}

TEST_F(WhatIf, ADrainMovesWhatHasAPlaceElsewhereAndSaysWhatWaits) {
  submit(1, 1000, 700);
  submit(2, 1000, 700);
  const std::string drained = name_of_node(1);
  auto found = suppose(state(), {"drain=" + drained});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->drained.size(), 1U);
  EXPECT_EQ(found->drained[0].turn, "wait");
  EXPECT_NE(found->drained[0].why.find("no place"), std::string::npos);
  EXPECT_TRUE(found->plan.changes.empty());
  found = suppose(state(), {"drain=" + drained, "add-node=cpu:2,memory:1000MiB"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->drained.at(0).turn, "move");
  const Change* moved = change_of(*found, 1);
  ASSERT_NE(moved, nullptr);
  EXPECT_EQ(found->state.view.nodes.at(moved->placement.at(0).node.raw).name, "new1");
}

TEST_F(WhatIf, ABlockerIsNamedWithItsReason) {
  Submission stays = submission(1, 1000, 400);
  stays.demand.movable = false;
  at(0, {Submitted{{1}, stays}});
  const auto found = suppose(state(), {"drain=" + name_of_node(1)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->drained.at(0).turn, "stay");
  EXPECT_NE(found->drained.at(0).why.find("not movable"), std::string::npos);
}

TEST_F(WhatIf, AnotherNodeTakesWhatWaits) {
  for (std::uint64_t id = 1; id <= 3; ++id) submit(id, 1000, 700);
  const auto waits = std::ranges::find_if(
      state().view.jobs, [](const auto& entry) { return entry.second.phase == Phase::waiting; });
  ASSERT_NE(waits, state().view.jobs.end());
  const std::uint64_t id = waits->first.raw;
  auto found = suppose(state(), {"add-node=like:n0"});
  ASSERT_TRUE(found) << found.error().message;
  const Change* starts = change_of(*found, id);
  ASSERT_NE(starts, nullptr);
  EXPECT_FALSE(starts->placement.empty());
  found = suppose(state(), {"add-node=cpu:1,memory:100MiB"});
  ASSERT_TRUE(found);
  EXPECT_EQ(change_of(*found, id), nullptr) << "it is too small";
}

TEST_F(WhatIf, APeriodAndAPolicyAreThoseOfTheAnswer) {
  submit(1, 1000, 400);
  auto found = suppose(state(), {"period=60"});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->policy->period(), seconds(60));
  found = suppose(state(), {"period=1m", "policy=DYNMCB8-PER-600"});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->policy->name(), "DYNMCB8-PER-60") << "in either order";
  EXPECT_NE(fault("policy=NONSENSE"), "");
}

TEST_F(WhatIf, WhatIsWrongIsSaidInOneSentence) {
  EXPECT_NE(fault("node-down=n7").find("n7"), std::string::npos);
  EXPECT_NE(fault("drain=").find("no"), std::string::npos);
  EXPECT_NE(fault("node-dwn=n1").find("write node-down=NODE"), std::string::npos);
  EXPECT_NE(fault("add-node=cpu:2").find("a node needs both"), std::string::npos);
  EXPECT_NE(fault("add-node=disk:2").find("\"disk\" is not known"), std::string::npos);
  EXPECT_NE(fault("add-node=like:n9").find("n9"), std::string::npos);
  EXPECT_NE(fault("period=0").find("1 at least"), std::string::npos);
  EXPECT_NE(fault("period=x").find("number of seconds"), std::string::npos);
  at(1, {ServiceChanged{{1}, NodeService::removed, {}}});
  EXPECT_NE(fault("drain=n1").find("removed"), std::string::npos);
}

}  // namespace
}  // namespace aliquot
