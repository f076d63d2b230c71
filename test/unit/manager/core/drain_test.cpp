#include "manager/core/drain.hpp"

#include <gtest/gtest.h>

#include "manager/core/scheduler.hpp"
#include "test/support/small_view.hpp"

namespace aliquot {
namespace {

using test::node;
using test::submission;

// A cluster on the model of its own outcomes: every action succeeds at once.
class Draining : public testing::Test {
 protected:
  explicit Draining(std::vector<Node> nodes = {node(0, 2), node(1, 2)},
                    const char* policy = "DYNMCB8-ASAP-PER-600")
      : scheduler_(Cluster(std::move(nodes)), *make_policy(policy)) {}

  void at(std::int64_t second, std::vector<Event> events) {
    now_ = Instant{} + seconds(second);
    Step step = scheduler_.round(now_, std::move(events));
    for (int turn = 0; !step.actions.empty() && turn < 100; ++turn) {
      std::vector<Event> outcomes;
      for (const Action& action : step.actions) {
        ++done_[kind(action)];
        outcomes.emplace_back(Outcome{head(action).op, head(action).job, head(action).tasks, {}, {}, {}});
      }
      step = scheduler_.round(now_, std::move(outcomes));
    }
  }
  [[nodiscard]] std::vector<DrainStep> steps_on(NodeId node, const Drain& drain) const {
    return drain_steps(scheduler_.cluster().view(), scheduler_.policy(), node, drain, now_, 10);
  }
  [[nodiscard]] std::vector<DrainStep> steps(DrainMode mode, std::optional<Instant> deadline = {},
                                             AfterDeadline then = AfterDeadline::save) const {
    return steps_on(place(1), Drain{mode, deadline, now_, "uid 0", then});
  }
  [[nodiscard]] DrainTurn turn(DrainMode mode) const { return steps(mode).at(0).turn; }
  [[nodiscard]] NodeId place(std::uint64_t job) const {
    return scheduler_.cluster().view().jobs.at({job}).placement.at(0).node;
  }

  Scheduler scheduler_;
  Instant now_;
  std::map<ActionKind, int> done_;
};

TEST_F(Draining, ByItsModeAJobIsMovedSavedRerunOrLeftToEnd) {
  at(0, {Submitted{{1}, submission(1, 1000, 400)}});
  EXPECT_EQ(turn(DrainMode::migrate), DrainTurn::move);
  EXPECT_EQ(turn(DrainMode::save), DrainTurn::save);
  EXPECT_EQ(turn(DrainMode::requeue), DrainTurn::rerun);
  EXPECT_EQ(turn(DrainMode::wait), DrainTurn::wait);
}

TEST_F(Draining, AJobThatFitsNowhereElseWaitsAndIsSavedAtTheDeadline) {
  at(0, {Submitted{{1}, submission(1, 1000, 900)}, Submitted{{2}, submission(1, 1000, 900)}});
  EXPECT_EQ(turn(DrainMode::migrate), DrainTurn::wait);
  EXPECT_NE(steps(DrainMode::migrate)[0].why, "");
  EXPECT_EQ(steps(DrainMode::migrate, now_)[0].turn, DrainTurn::save);
  EXPECT_EQ(steps(DrainMode::wait, now_)[0].turn, DrainTurn::save);
}

TEST_F(Draining, WhatIsLeftAtTheDeadlineIsRerunOrStaysIfTheOperatorSaysSo) {
  at(0, {Submitted{{1}, submission(1, 1000, 900)}, Submitted{{2}, submission(1, 1000, 900)}});
  EXPECT_EQ(steps(DrainMode::wait, now_, AfterDeadline::requeue)[0].turn, DrainTurn::rerun);
  EXPECT_EQ(steps(DrainMode::migrate, now_, AfterDeadline::stay)[0].turn, DrainTurn::wait);
  const Instant later = now_ + seconds(1);
  EXPECT_EQ(steps(DrainMode::wait, later, AfterDeadline::requeue)[0].turn, DrainTurn::wait);
}

TEST_F(Draining, ARequeueIsNotMilderAfterItsDeadline) {
  Submission stays = submission(1, 1000, 400);
  stays.demand.movable = false;
  at(0, {Submitted{{1}, stays}});
  EXPECT_EQ(steps(DrainMode::requeue, now_)[0].turn, DrainTurn::rerun);
}

TEST(DrainWords, NameWhatIsLeftAndWhy) {
  EXPECT_EQ(left_words({}), "");
  EXPECT_EQ(left_words({{{7}, DrainTurn::stay, "it is not movable"}, {{8}, DrainTurn::save, ""}}),
            "job 7 (stay): it is not movable; job 8 (save)");
  EXPECT_NE(left_words(std::vector<DrainStep>(12, {{1}, DrainTurn::wait, ""})).find(" and 2 more"),
            std::string::npos);
}

std::vector<Node> that_keep_saves() {
  std::vector<Node> nodes{node(0, 2), node(1, 2)};
  for (Node& each : nodes) each.keeps_saves = true;
  return nodes;
}

class DrainingWholeNodes : public Draining {
 protected:
  DrainingWholeNodes() : Draining({node(0, 2)}, "EASY") {}
};

// The two tasks share the node that the job had to itself; once off it, each would need one of its own.
TEST_F(DrainingWholeNodes, AJobThatCouldNeverGoOnIsNotSaved) {
  at(0, {Submitted{{1}, submission(1, 1000, 400)}});
  EXPECT_EQ(turn(DrainMode::save), DrainTurn::save);
  at(10, {TasksChanged{{1}, 2, now_, "uid 1000 has asked for it"}});
  ASSERT_EQ(scheduler_.cluster().view().jobs.at({1}).demand.tasks, 2U);
  EXPECT_EQ(turn(DrainMode::save), DrainTurn::stay);
  EXPECT_NE(steps(DrainMode::save)[0].why.find("more whole nodes than there are"), std::string::npos);
  EXPECT_EQ(turn(DrainMode::requeue), DrainTurn::rerun);
}

class DrainingNodesThatKeepSaves : public Draining {
 protected:
  DrainingNodesThatKeepSaves() : Draining(that_keep_saves()) {}
};

TEST_F(DrainingNodesThatKeepSaves, AJobThatFitsElsewhereIsMovedWhileItRuns) {
  at(0, {Submitted{{1}, submission(1, 1000, 400)}});
  const NodeId from = place(1);
  at(1, {ServiceChanged{from, NodeService::draining, Drain{DrainMode::migrate, {}, now_, "uid 0"}},
         Displaced{{1}, false, "its node is drained"}});
  EXPECT_NE(place(1), from);
  EXPECT_EQ(done_[ActionKind::migrate], 1);
  EXPECT_EQ(done_[ActionKind::save], 0);
}

TEST_F(DrainingNodesThatKeepSaves, WhatIsSavedThereGoesOnThereAfterTheDrain) {
  at(0, {Submitted{{1}, submission(1, 1000, 900)}, Submitted{{2}, submission(1, 1000, 900)}});
  const NodeId from = place(1);
  const Drain drain{DrainMode::save, {}, now_, "uid 0"};
  EXPECT_EQ(steps(DrainMode::save)[0].why, "to a disk of this node: it goes on here, after the drain");
  at(1, {ServiceChanged{from, NodeService::draining, drain}, Displaced{{1}, false, "its node is drained"}});
  const auto left = steps_on(from, drain);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].turn, DrainTurn::stay);
  EXPECT_EQ(left[0].why, "it is saved on a disk of this node: it goes on after the drain");
  at(600, {Cancelled{{2}, JobResult::cancelled, ""}});  // the other node has room, but not its image
  EXPECT_EQ(scheduler_.cluster().view().jobs.at({1}).phase, Phase::paused);
  at(1200, {ServiceChanged{from, NodeService::in_service, {}}});
  EXPECT_EQ(place(1), from);
}

std::vector<Node> of_two_kinds() {
  std::vector<Node> nodes{node(0, 2), node(1, 2), node(2, 2)};
  nodes[1].hypervisor = nodes[2].hypervisor = HypervisorKind::xen;
  return nodes;
}
class DrainingOneOfTwoKinds : public Draining {
 protected:
  DrainingOneOfTwoKinds() : Draining(of_two_kinds()) {}
};

TEST_F(DrainingOneOfTwoKinds, AJobMovesWithinItsHypervisorKindOnly) {
  at(0, {Submitted{{1}, submission(1, 1000, 900)}});
  EXPECT_EQ(place(1), NodeId{1}) << "the kind with the least load after it";
  EXPECT_EQ(turn(DrainMode::migrate), DrainTurn::move);
  at(1, {ServiceChanged{{2}, NodeService::draining, {}}});
  EXPECT_EQ(turn(DrainMode::migrate), DrainTurn::wait);
  EXPECT_EQ(steps(DrainMode::migrate)[0].why,
            "its VMs are of xen, and no other node of xen is up and in service");
  EXPECT_EQ(turn(DrainMode::save), DrainTurn::save);
  EXPECT_EQ(turn(DrainMode::requeue), DrainTurn::rerun);
}

TEST_F(Draining, WhatCannotBeMovedIsABlocker) {
  Submission stays = submission(1, 1000, 400);
  stays.demand.movable = false;
  at(0, {Submitted{{1}, stays}});
  EXPECT_EQ(turn(DrainMode::migrate), DrainTurn::stay);
  EXPECT_EQ(turn(DrainMode::save), DrainTurn::stay);
  EXPECT_EQ(turn(DrainMode::requeue), DrainTurn::rerun);
  EXPECT_NE(steps(DrainMode::save)[0].why.find("not movable"), std::string::npos);
}

TEST_F(Draining, AJobThatIsDisplacedFromItIsMovedWhileItRuns) {
  at(0, {Submitted{{1}, submission(1, 1000, 400)}});
  const NodeId drained = place(1);
  at(10, {ServiceChanged{drained, NodeService::draining, Drain{DrainMode::migrate, {}, now_, "uid 0"}}});
  EXPECT_EQ(place(1), drained) << "policies leave it where it is";
  ASSERT_EQ(turn(DrainMode::migrate), DrainTurn::move);
  at(11, {Displaced{{1}, false, "the node is drained"}});
  EXPECT_NE(place(1), drained);
  EXPECT_EQ(done_[ActionKind::migrate], 1);
  EXPECT_EQ(done_[ActionKind::save], 0);
}

TEST_F(Draining, NothingNewComesToItUntilItIsBackInService) {
  at(0, {ServiceChanged{{0}, NodeService::draining, Drain{DrainMode::wait, {}, now_, "uid 0"}}});
  at(1, {Submitted{{1}, submission(1, 1000, 900)}, Submitted{{2}, submission(1, 1000, 900)}});
  const auto& jobs = scheduler_.cluster().view().jobs;
  EXPECT_EQ(jobs.at({1}).placement.size() + jobs.at({2}).placement.size(), 1U);
  at(2, {ServiceChanged{{0}, NodeService::in_service, {}}});
  at(600, {});  // the policy places what waits at the end of its period
  EXPECT_EQ(jobs.at({1}).placement.size() + jobs.at({2}).placement.size(), 2U);
}

}  // namespace
}  // namespace aliquot
