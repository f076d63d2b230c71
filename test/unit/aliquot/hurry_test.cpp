// Who is hurried, and when.
#include "policies/aliquot/hurry.hpp"

#include <gtest/gtest.h>

#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

TEST(Hurry, aims_at_less_the_more_a_pause_costs_and_the_less_is_left) {
  const Outlook fresh(10, 10, 0, 30);
  const Outlook old(12'000, 10'000, 0, 30);
  EXPECT_DOUBLE_EQ(Hurry{0}.hurried(fresh).at_full, fresh.at_full);
  EXPECT_DOUBLE_EQ(Hurry{90}.of(fresh), 2);
  EXPECT_DOUBLE_EQ(Hurry{90}.hurried(fresh).at_full, 2 * fresh.at_full);
  EXPECT_GT(Hurry{900}.of(fresh), Hurry{90}.of(fresh));
  EXPECT_GT(Hurry{90}.of(fresh), Hurry{90}.of(old));
}

// Both have begun, one long ago; a third waits for their memory, for neither can bear a pause.
TEST(Hurry, while_somebody_waits_who_has_little_left_to_run_is_hurried) {
  const auto yield_of_fresh = [](bool waits, const char* policy) {
    test::SmallView small(1);
    small.view.costs.restart = seconds(900);
    small.running(1, {{{0}, 1}}, 100, 40, 2'000, 1'000);
    small.running(2, {{{0}, 1}}, 100, 40, 20, 20);
    if (waits) small.waiting(3, 1, 100, 90, 3);
    small.view.cause.completed = true;
    return test::change_of(small.decide(policy), 2)->yield;
  };
  EXPECT_GT(yield_of_fresh(true, "ALIQUOT"), yield_of_fresh(false, "ALIQUOT"));
  EXPECT_EQ(yield_of_fresh(true, "ALIQUOT:hurry=off"), yield_of_fresh(false, "ALIQUOT"));
}

}  // namespace
}  // namespace aliquot
