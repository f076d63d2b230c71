// Which jobs a preempted job may preempt in turn.
#include "policies/aliquot/admission.hpp"

#include <gtest/gtest.h>

#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

// P is 60 s. Is a job that has had `virtual_time` seconds at full speed paused for one that has waited for
// `flow_time` seconds?
bool is_paused(std::int64_t virtual_time, std::int64_t flow_time) {
  test::SmallView small(1);
  small.view.costs.restart = seconds(60);
  small.running(1, {{{0}, 1}}, 50, 90, virtual_time, virtual_time);
  small.paused(2, 1, 50, 90, flow_time, 100);
  small.view.cause.woken = true;
  return test::pauses(small.decide("ALIQUOT"), 1);
}

// Paused, jobs of 50 and of 60 s come to 3.3 and 3.0; the other one to 5.3, or to 8.4 if it has waited
// longer.
TEST(Admission, a_resumption_spares_a_young_job_unless_it_stays_much_better_off) {
  EXPECT_TRUE(is_paused(60, 600));
  EXPECT_FALSE(is_paused(50, 600));
  EXPECT_TRUE(is_paused(50, 1'000));
}

}  // namespace
}  // namespace aliquot
