// Whom a paused job may pause to come back.
#include "policies/aliquot/admission.hpp"

#include <gtest/gtest.h>

#include "test/unit/policies/small.hpp"

namespace aliquot {
namespace {

// P is 60 s. Of a job that has had `virt` seconds at full speed, for one that has waited for `flow`
// seconds.
bool is_paused(std::int64_t virt, std::int64_t flow) {
  test::SmallView small(1);
  small.view.costs.restart = seconds(60);
  small.running(1, {{{0}, 1}}, 50, 90, virt, virt);
  small.paused(2, 1, 50, 90, flow, 100);
  small.view.cause.woken = true;
  return test::pauses(small.decide("ALIQUOT"), 1);
}

// Paused, those of 50 and of 60 s come to 3.3 and 3.0; the other one to 5.3, or 8.4 where it has waited
// longer.
TEST(Admission, a_return_spares_a_fresh_job_unless_it_is_much_better_off) {
  EXPECT_TRUE(is_paused(60, 600));
  EXPECT_FALSE(is_paused(50, 600));
  EXPECT_TRUE(is_paused(50, 1'000));
}

}  // namespace
}  // namespace aliquot
