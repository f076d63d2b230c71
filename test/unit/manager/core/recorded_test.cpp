// What a damaged record may hold is refused before the core takes it.
#include "manager/core/recorded.hpp"

#include <gtest/gtest.h>

#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::node;
using test::ScriptedWorld;
using test::submission;

constexpr Yield kHalf{kMillion / 2};

Event submitted(std::uint64_t id, const Submission& what) { return Submitted{{id}, what}; }

class Recorded : public testing::Test {
 protected:
  Recorded() {
    world_.will_decide({{{1}, {{{0}, 1}, {{1}, 1}}, kHalf}});
    world_.complete(world_.at(0, {submitted(1, submission(2, 300, 100))}));
    state_ = world_.scheduler().cluster().state();
  }
  // The state with this change is refused, with these words.
  template <class Change>
  void refuses(const std::string& words, Change change) {
    CoreState changed = state_;
    change(changed, changed.records.at({1}), changed.view.jobs.at({1}));
    const auto checked = check_recorded(changed);
    ASSERT_FALSE(checked) << words;
    EXPECT_NE(checked.error().message.find(words), std::string::npos) << checked.error().message;
  }
  void refuses_action(const std::string& words, const Action& action) {
    const auto checked = check_recorded(std::vector{action}, world_.scheduler().cluster());
    ASSERT_FALSE(checked) << words;
    EXPECT_NE(checked.error().message.find(words), std::string::npos) << checked.error().message;
  }

  ScriptedWorld world_{{node(0), node(1)}};
  CoreState state_;
};

TEST_F(Recorded, WhatACoreLeftIsTaken) {
  const auto checked = check_recorded(state_);
  EXPECT_TRUE(checked) << checked.error().message;
}

TEST_F(Recorded, AStateThatNamesWhatDoesNotExistIsRefused) {
  using State = CoreState;
  refuses("task 1: it stands on node 7 of 2", [](State&, JobRecord& r, Job&) { r.vms[1].node = {7}; });
  refuses("task 0: it stands on node 2 of 2", [](State&, JobRecord& r, Job&) { r.vms[0].wanted = {2}; });
  refuses("node 9 of 2", [](State&, JobRecord& r, Job&) {
    r.vms[0].flight = Flight{{5}, ActionKind::migrate, {9}, {}, {}};
  });
  refuses("job 1", [](State&, JobRecord&, Job& job) { job.placement[1].node = {5}; });
  refuses("job 1", [](State&, JobRecord&, Job& job) { job.placement[1].units = 4; });
  refuses("its yield is -5", [](State&, JobRecord&, Job& job) { job.yield = {-5}; });
  for (const std::int64_t cap : {INT64_MAX, std::int64_t{-1}})
    refuses("its cap is below 0, or beyond all nodes",
            [cap](State&, JobRecord& r, Job&) { r.vms[0].cap = {cap}; });
  refuses("it has 0 VMs", [](State&, JobRecord& r, Job&) { r.vms.clear(); });
  refuses("VMs for 1", [](State&, JobRecord& r, Job&) { r.vms.resize(1); });
  refuses("it runs 0 tasks", [](State&, JobRecord& r, Job&) { r.vms[0].units = 0; });
  refuses("it is leaving and is not", [](State&, JobRecord& r, Job& job) { r.leaving = job; });
  refuses("nothing is known of its VMs", [](State& s, JobRecord&, Job&) { s.records.erase({1}); });
  refuses("and it is not leaving", [](State& s, JobRecord&, Job&) { s.view.jobs.erase({1}); });
  refuses("it arrived", [](State& s, JobRecord&, Job&) { s.view.cause.arrived = {{4}}; });
  refuses("devices for 1 of 2", [](State&, JobRecord& r, Job&) { r.devices = {1}; });
  refuses("it asks for", [](State&, JobRecord&, Job& job) { job.demand.memory.raw = INT64_MAX; });
  refuses("micro-cores", [](State& s, JobRecord&, Job&) { s.view.nodes[1].capacity.raw = INT64_MIN; });
  refuses("did not ask for any", [](State& s, JobRecord&, Job&) { s.checkpoints[{1}] = {}; });
  refuses("did not ask for any", [](State& s, JobRecord&, Job&) { s.checkpoints[{7}] = {}; });
  refuses("has none", [](State&, JobRecord& r, Job&) { r.vms[0].rolls_back = true; });
  refuses("it runs nowhere", [](State&, JobRecord&, Job& job) { job.phase = Phase::waiting; });
}

TEST_F(Recorded, EventsPlansAndActionsThatNameWhatDoesNotExistAreRefused) {
  EXPECT_FALSE(check_recorded(std::vector<Event>{submitted(2, submission(0, 300, 100))}));
  EXPECT_FALSE(check_recorded(std::vector<Event>{submitted(2, submission(4'000'000, 300, 100))}));
  const Cluster& cluster = world_.scheduler().cluster();
  const auto plan = [](Change change) {
    Plan made;
    made.changes.push_back(std::move(change));
    return made;
  };
  EXPECT_TRUE(check_recorded(plan({{1}, {{{0}, 2}}, kHalf}), cluster));
  EXPECT_FALSE(check_recorded(plan({{2}, {{{0}, 2}}, kHalf}), cluster)) << "no such job";
  EXPECT_FALSE(check_recorded(plan({{1}, {{{0}, 3}}, kHalf}), cluster)) << "a task too many";
  EXPECT_FALSE(check_recorded(plan({{1}, {{{4}, 2}}, kHalf}), cluster)) << "no such node";
  refuses_action("the job is not known", Release{{{9}, {2}, {0, 1}}});
  refuses_action("tasks up to 3 of 2", Release{{{9}, {1}, {1, 2}}});
  refuses_action("tasks up to 0 of 2", Release{{{9}, {1}, {0, 0}}});
  refuses_action("it names node 8 of 2", Migrate{{{9}, {1}, {0, 1}}, NodeId{0}, NodeId{8}});
  TaskNodes nodes(NodeId{0});
  nodes.append(1, {1});
  refuses_action("it names 2 nodes for 1 tasks", Create{{{9}, {1}, {0, 1}}, nodes, kHalf});
}

TEST_F(Recorded, AReplayThatCannotGoOnSaysWhy) {
  Scheduler scheduler(Cluster(state_),
                      std::make_unique<test::ScriptedPolicy>(std::make_shared<std::deque<Plan>>()));
  Step step;
  step.number = state_.steps + 1;
  step.actions.emplace_back(Release{{{9}, {2}, {0, 1}}});
  const auto replayed = scheduler.replay(step);
  ASSERT_FALSE(replayed);
  EXPECT_EQ(replayed.error().kind, ErrorKind::refused);
}

}  // namespace
}  // namespace aliquot
