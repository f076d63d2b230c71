// What the metrics say of maintenance windows and of moves that wait.
#include "manager/upkeep_gauges.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

Instant second(std::int64_t n) { return Instant{} + seconds(n); }

// At second 100.
CoreState present() {
  CoreState state;
  state.view.now = second(100);
  return state;
}

// On n0; `wanted`: where the plan wants its VM.
void add_job(CoreState& state, std::uint64_t id, std::uint32_t wanted, bool migrates = false) {
  state.view.jobs[{id}].id = {id};
  Vm vm;
  vm.state = VmState::running;
  vm.wanted = {wanted};
  if (migrates) vm.flight = Flight{{id}, ActionKind::migrate, {wanted}, {}, {}};
  state.records[{id}].vms = {vm};
}

TEST(UpkeepGauges, tell_when_the_next_window_starts_and_how_many_nodes_are_in_one) {
  CoreState state = present();
  EXPECT_FALSE(upkeep_gauges(state).next_window);
  state.windows = {{"a", {{0}, {1}}, second(90), second(200)},
                   {"b", {{1}, {2}}, second(100), second(200)},
                   {"c", {{3}}, second(300), second(400)},
                   {"d", {{4}}, second(250), second(400)}};
  EXPECT_EQ(upkeep_gauges(state).next_window, second(250));
  EXPECT_EQ(upkeep_gauges(state).nodes_in_windows, 3U);
}

TEST(UpkeepGauges, count_moves_that_wait_only_while_the_budget_is_used) {
  CoreState state = present();
  add_job(state, 1, 1, true);
  add_job(state, 2, 1);
  add_job(state, 3, 2);
  add_job(state, 4, 0);
  EXPECT_EQ(upkeep_gauges(state).over_budget, 0U) << "there is none";
  state.moves.at_a_time = 2;
  EXPECT_EQ(upkeep_gauges(state).over_budget, 0U);
  state.moves.at_a_time = 1;
  EXPECT_EQ(upkeep_gauges(state).over_budget, 2U);
}

TEST(UpkeepGauges, count_the_vms_of_jobs_that_cool_down) {
  CoreState state = present();
  add_job(state, 1, 0);
  add_job(state, 2, 0);
  state.records[{2}].vms.resize(3);
  state.view.jobs.at({2}).cools_down = true;
  EXPECT_EQ(upkeep_gauges(state).cooling_down, 3U);
}

}  // namespace
}  // namespace aliquot
