// Room for more tasks of a job that runs, on views built by hand.
#include "policies/evolving/places.hpp"

#include <gtest/gtest.h>

#include "test/support/small_view.hpp"

namespace aliquot::evolving {
namespace {

struct places_beside_a_job : testing::Test {
  places_beside_a_job() {
    view.nodes = {test::node(0, 4, 400), test::node(1, 8, 400), test::node(2, 4, 100)};
    Job job;
    job.id = {1};
    job.demand.need = cores(1);
    job.demand.memory = Memory{100 << 20};
    job.phase = Phase::running;
    job.placement = {{{0}, 1}};
    job.yield = kFullYield;
    view.jobs.emplace(job.id, job);
    view.index.rebuild(view);
  }
  [[nodiscard]] std::optional<Placement> room(std::uint32_t more, bool slows_others = false) {
    view.index.rebuild(view);
    return places_beside(view, job(), more, slows_others);
  }
  Job& job() { return view.jobs.at({1}); }

  ClusterView view;
};

TEST_F(places_beside_a_job, is_where_the_greatest_part_of_the_cpu_is_left) {
  EXPECT_EQ(room(1), (Placement{{{1}, 1}})) << "an eighth, not a quarter";
  EXPECT_EQ(room(3), (Placement{{{1}, 2}, {{2}, 1}}));
}

TEST_F(places_beside_a_job, is_where_memory_is_free) {
  EXPECT_EQ(room(8), (Placement{{{0}, 3}, {{1}, 4}, {{2}, 1}}));
  EXPECT_EQ(room(9), std::nullopt);
}

TEST_F(places_beside_a_job, is_where_its_yield_is_to_be_had_unless_others_may_be_slowed) {
  job().demand.need = cores(4);
  EXPECT_EQ(room(3), (Placement{{{1}, 2}, {{2}, 1}}));
  EXPECT_EQ(room(4), std::nullopt);
  EXPECT_EQ(room(4, true), (Placement{{{1}, 3}, {{2}, 1}}));
}

TEST_F(places_beside_a_job, is_where_its_guarantee_can_be_kept) {
  job().demand.need = cores(4);
  job().demand.min_yield = kFullYield;
  EXPECT_EQ(room(4, true), std::nullopt);
}

TEST_F(places_beside_a_job, is_not_on_a_node_that_takes_nothing_new) {
  view.nodes[1].service = NodeService::draining;
  view.nodes[2].power = NodePower::waking;
  EXPECT_EQ(room(1), (Placement{{{0}, 1}}));
  view.nodes[0].state = NodeState::suspect;
  EXPECT_EQ(room(1), std::nullopt);
}

TEST_F(places_beside_a_job, is_within_its_hypervisor_kind) {
  view.nodes[1].hypervisor = HypervisorKind::xen;
  EXPECT_EQ(room(5), std::nullopt);
  EXPECT_EQ(room(4), (Placement{{{0}, 3}, {{2}, 1}}));
}

TEST_F(places_beside_a_job, is_not_where_a_job_that_cannot_leave_would_outstay_a_closing) {
  view.closings = {{{1}, view.now + seconds(600), {}, ""}};
  EXPECT_EQ(room(1), (Placement{{{1}, 1}})) << "this one can leave";
  job().demand.movable = false;
  EXPECT_EQ(room(1), (Placement{{{2}, 1}}));
  EXPECT_EQ(room(5), std::nullopt);
  job().wall_limit = seconds(600);
  EXPECT_EQ(room(1), (Placement{{{1}, 1}})) << "it has ended by then";
}

TEST_F(places_beside_a_job, is_before_a_closing_if_its_time_limit_is_over_by_then_at_the_least_yield) {
  view.closings = {{{1}, view.now + seconds(600), {}, ""}};
  job().demand.movable = false;
  job().time_limit = seconds(600);
  EXPECT_EQ(room(1), (Placement{{{1}, 1}}));
  EXPECT_EQ(room(1, true), (Placement{{{2}, 1}})) << "it may be slowed";
  job().demand.min_yield = kFullYield;
  EXPECT_EQ(room(1, true), (Placement{{{1}, 1}}));
}

}  // namespace
}  // namespace aliquot::evolving
