// A job is counted with less memory than its user declares, and with all of it again: others run in what it
// leaves, they make way when it wants it, and nothing is lost.
#include <gtest/gtest.h>

#include "manager/core/memory_transitions.hpp"
#include "manager/core/recorded.hpp"
#include "manager/store/state_codec.hpp"
#include "test/support/scripted_world.hpp"

namespace aliquot {
namespace {

using test::ScriptedWorld;
using test::submission;

struct job_memory : testing::Test {
  void start(std::uint64_t id, std::int64_t mib, Placement at = {{{0}, 1}}) {
    std::uint32_t tasks = 0;
    for (const Share& share : at) tasks += share.units;
    start(id, submission(tasks, 100, mib), std::move(at));
  }
  void start(std::uint64_t id, Submission job, Placement at) {
    world.will_decide({{{id}, std::move(at), kFullYield}});
    (void)world.complete(world.at(0, {Submitted{{id}, std::move(job)}}));
    ASSERT_EQ(world.job(id).phase, Phase::running);
  }
  Step learn(std::uint64_t id, std::int64_t mib) {
    return world.round({MemoryLearned{{id}, mebibytes(mib), mebibytes(mib / 2), "watched"}});
  }
  [[nodiscard]] Memory held(std::uint32_t node) const {
    return world.scheduler().cluster().ledger().charged({node}).memory;
  }
  [[nodiscard]] const JobRecord& record(std::uint64_t id) const {
    return *world.scheduler().cluster().record({id});
  }
  [[nodiscard]] MemoryFound found(std::uint64_t id, std::int64_t mib) const {
    return memory_found(world.scheduler().cluster().state(), world.job(id), mebibytes(mib));
  }

  ScriptedWorld world{{test::node(0, 4, 1000), test::node(1, 4, 1000)}};
};

TEST_F(job_memory, that_is_not_used_is_free_for_others) {
  start(1, 500);
  start(2, 500);
  EXPECT_TRUE(learn(1, 400).actions.empty()) << "its guest has given it back";
  EXPECT_EQ(held(0), mebibytes(900));
  EXPECT_EQ(world.job(1).demand.memory, mebibytes(400));
  EXPECT_EQ(declared_memory(record(1).submission), mebibytes(500));
  const Step step = learn(2, 400);
  ASSERT_TRUE(step.decision) << "the policy is asked";
  EXPECT_TRUE(step.decision->cause.disturbed);
  start(3, 200);
  EXPECT_EQ(held(0), mebibytes(1000));
  EXPECT_EQ(world.violations(), 0U);
}

TEST_F(job_memory, is_never_counted_with_more_than_is_declared) {
  start(1, 500);
  EXPECT_FALSE(learn(1, 600).decision);
  EXPECT_EQ(world.job(1).demand.memory, mebibytes(500));
  (void)learn(1, 400);
  (void)learn(1, 600);
  EXPECT_EQ(world.job(1).demand.memory, mebibytes(500));
  EXPECT_FALSE(record(1).submission->declared_memory);
  EXPECT_EQ(record(1).submission->demand, submission(1, 100, 500).demand) << "as it was declared";
}

TEST_F(job_memory, that_it_wants_back_is_there_at_once_if_its_node_has_it) {
  start(1, 500);
  (void)learn(1, 400);
  EXPECT_EQ(found(1, 500), MemoryFound::as_it_stands);
  EXPECT_TRUE(learn(1, 500).actions.empty());
  EXPECT_EQ(held(0), mebibytes(500));
}

TEST_F(job_memory, that_it_wants_back_takes_the_newest_other_off_the_node) {
  start(1, 500);
  start(2, 500);
  (void)learn(1, 400);
  (void)learn(2, 400);
  start(3, 200);
  EXPECT_EQ(found(1, 500), MemoryFound::by_others);
  const Step step = learn(1, 500);
  EXPECT_EQ(world.job(1).phase, Phase::running);
  EXPECT_EQ(world.job(2).phase, Phase::running);
  EXPECT_EQ(world.job(3).phase, Phase::paused);
  EXPECT_EQ(step.decision->cause.arrived, (std::vector<JobId>{{3}}));
  EXPECT_EQ(held(0), mebibytes(1100)) << "until it is saved, its guests swap";
  world.will_decide({{{3}, {{{1}, 1}}, kFullYield}});
  EXPECT_EQ(world.complete(step), "save 3.0;");
  EXPECT_EQ(held(0), mebibytes(900));
  EXPECT_EQ(world.complete(world.at(10, {HoldChanged{{3}, true}, HoldChanged{{3}, false}})),
            "restore 3.0 n1;release 3.0;")
      << "it goes on elsewhere";
}

TEST_F(job_memory, of_the_newest_job_is_given_back_by_an_older_one) {
  start(1, 500);
  start(2, 500);
  (void)learn(1, 400);
  (void)learn(2, 400);
  start(3, submission(1, 100, 200), {{{0}, 1}});
  (void)world.complete(learn(1, 400));
  EXPECT_EQ(found(3, 200), MemoryFound::as_it_stands);
  (void)learn(3, 150);
  start(4, 50);
  (void)learn(3, 200);
  EXPECT_EQ(world.job(3).phase, Phase::running) << "it has what it declares";
  EXPECT_EQ(world.job(4).phase, Phase::paused);
}

TEST_F(job_memory, is_found_on_each_node_of_the_job) {
  start(1, 500, {{{0}, 1}, {{1}, 1}});
  (void)learn(1, 400);
  start(2, 600, {{{0}, 1}});
  start(3, 600, {{{1}, 1}});
  (void)learn(1, 500);
  EXPECT_EQ(world.job(1).phase, Phase::running);
  EXPECT_EQ(world.job(2).phase, Phase::paused);
  EXPECT_EQ(world.job(3).phase, Phase::paused);
}

TEST_F(job_memory, that_no_other_can_give_takes_the_job_elsewhere) {
  start(1, 600, {{{1}, 1}});
  (void)learn(1, 400);
  Submission fixed = submission(1, 100, 600);
  fixed.demand.movable = false;
  start(2, fixed, {{{1}, 1}});
  EXPECT_EQ(found(1, 600), MemoryFound::elsewhere);
  const Step step = learn(1, 600);
  EXPECT_EQ(world.job(1).phase, Phase::paused);
  EXPECT_EQ(world.job(1).demand.memory, mebibytes(600));
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  EXPECT_EQ(world.complete(step), "save 1.0;");
  EXPECT_EQ(world.complete(world.at(10, {HoldChanged{{1}, true}, HoldChanged{{1}, false}})),
            "restore 1.0 n0;release 1.0;");
}

TEST_F(job_memory, stays_as_it_is_where_nothing_may_be_changed) {
  start(1, 600);
  (void)learn(1, 400);
  start(2, 600);
  (void)world.at(10, {ModeChanged{Mode::advise}});
  EXPECT_EQ(found(1, 600), MemoryFound::not_at_all);
  (void)learn(1, 600);
  EXPECT_EQ(world.job(1).demand.memory, mebibytes(400));
  EXPECT_EQ(world.job(2).phase, Phase::running);
  EXPECT_EQ(record(1).note, "it is counted with less memory than it has: its nodes do not have more");
  (void)world.at(20, {ModeChanged{Mode::automatic}});
  (void)learn(1, 600);
  EXPECT_EQ(world.job(1).demand.memory, mebibytes(600));
  EXPECT_EQ(world.job(2).phase, Phase::paused);
}

TEST_F(job_memory, stays_as_it_is_where_the_nodes_that_keep_the_job_could_never_hold_more) {
  std::vector<Node> nodes{test::node(0, 4, 1000)};
  nodes[0].keeps_saves = true;
  world = ScriptedWorld(nodes);
  start(1, 500, {{{0}, 1}});
  (void)learn(1, 400);
  world.will_decide({{{2}, {{{0}, 1}}, kFullYield}});
  (void)world.complete(world.at(0, {Submitted{{2}, submission(1, 100, 600)}}));
  EXPECT_EQ(found(1, 500), MemoryFound::by_others);
  EXPECT_EQ(found(1, 1001), MemoryFound::not_at_all) << "once it was saved, it could never go on";
}

TEST_F(job_memory, follows_a_vm_that_is_on_its_way) {
  start(1, 500);
  world.will_decide({{{1}, {{{1}, 1}}, kFullYield}});
  const Step moving = world.at(10, {HoldChanged{{1}, true}, HoldChanged{{1}, false}});
  ASSERT_EQ(moving.actions.size(), 1U);
  (void)learn(1, 400);
  EXPECT_EQ(held(0), mebibytes(400));
  EXPECT_EQ(held(1), mebibytes(400));
  (void)world.complete(moving);
  EXPECT_EQ(held(0), Memory{});
  EXPECT_EQ(held(1), mebibytes(400));
}

TEST_F(job_memory, is_what_a_paused_job_needs_to_go_on) {
  start(1, 500);
  (void)learn(1, 400);
  world.will_decide({{{1}, {}, {}}});
  EXPECT_EQ(world.complete(world.at(10, {HoldChanged{{1}, true}})), "save 1.0;");
  EXPECT_EQ(held(0), Memory{});
  world.will_decide({{{1}, {{{0}, 1}}, kFullYield}});
  EXPECT_EQ(world.complete(world.at(20, {HoldChanged{{1}, false}})), "restore 1.0 n0;release 1.0;");
  EXPECT_EQ(held(0), mebibytes(400));
}

TEST_F(job_memory, is_in_a_snapshot) {
  start(1, 500);
  (void)learn(1, 400);
  const auto read = decode_state(encode_state(world.scheduler().cluster().state()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(check_recorded(*read)) << check_recorded(*read).error().message;
  EXPECT_EQ(read->records.at({1}).submission->declared_memory, mebibytes(500));
  EXPECT_EQ(read->view.jobs.at({1}).demand.memory, mebibytes(400));
}

TEST_F(job_memory, of_no_job_or_of_one_that_is_leaving_means_nothing) {
  start(1, 500);
  (void)world.at(10, {Cancelled{{1}, JobResult::cancelled, "its user"}});
  EXPECT_TRUE(learn(1, 400).actions.empty());
  EXPECT_TRUE(learn(7, 400).actions.empty());
  EXPECT_EQ(record(1).submission->demand.memory, mebibytes(500));
}

TEST_F(job_memory, of_nothing_is_no_event) {
  const std::vector<Event> none{MemoryLearned{{1}, Memory{}, Memory{}, ""}};
  const auto sane = check_recorded(std::span<const Event>(none));
  ASSERT_FALSE(sane);
  EXPECT_NE(sane.error().message.find("it is counted with 0 bytes"), std::string::npos)
      << sane.error().message;
}

std::vector<JobId> leave(std::vector<std::int64_t> mib, std::int64_t missing) {
  std::vector<MayLeave> jobs;
  for (std::size_t k = 0; k < mib.size(); ++k) jobs.push_back({{mib.size() - k}, mebibytes(mib[k])});
  return which_leave(jobs, mebibytes(missing));
}

TEST(which_leave, are_the_newest_that_suffice) {
  EXPECT_EQ(leave({300, 300, 300}, 300), (std::vector<JobId>{{3}}));
  EXPECT_EQ(leave({300, 300, 300}, 301), (std::vector<JobId>{{3}, {2}}));
  EXPECT_EQ(leave({300}, 0), std::vector<JobId>{});
  EXPECT_EQ(leave({300}, -5), std::vector<JobId>{});
}

TEST(which_leave, are_none_whose_memory_is_not_needed) {
  EXPECT_EQ(leave({10, 10, 10, 300}, 200), (std::vector<JobId>{{1}}));
  EXPECT_EQ(leave({10, 100, 10, 100}, 150), (std::vector<JobId>{{3}, {1}}));
}

TEST(which_leave, are_all_if_they_are_too_few) {
  EXPECT_EQ(leave({10, 20}, 100), (std::vector<JobId>{{2}, {1}}));
}

// Whatever they hold: it is enough if all are, and no one of them stays away for nothing.
TEST(which_leave, suffice_and_are_needed_for_any_sizes) {
  std::uint64_t state = 3;
  const auto draw = [&state](std::uint64_t most) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::int64_t>((state >> 33) % most);
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<MayLeave> jobs;
    Memory all;
    for (std::int64_t k = 1 + draw(6); k > 0; --k) {
      jobs.push_back({{static_cast<std::uint64_t>(k)}, mebibytes(1 + draw(100))});
      all += jobs.back().memory;
    }
    const Memory missing = mebibytes(1 + draw(300));
    const std::vector<JobId> leaving = which_leave(jobs, missing);
    Memory freed;
    for (const MayLeave& job : jobs)
      if (std::ranges::count(leaving, job.job) > 0) freed += job.memory;
    EXPECT_EQ(freed >= missing, all >= missing);
    for (const MayLeave& job : jobs)
      if (all >= missing && std::ranges::count(leaving, job.job) > 0) {
        EXPECT_LT(freed - job.memory, missing);
      }
  }
}

}  // namespace
}  // namespace aliquot
