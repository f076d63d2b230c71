#include "manager/hypervisor/libxl/credit_cap.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

TEST(CreditCap, is_the_share_of_one_cpu_in_whole_percent) {
  EXPECT_EQ(credit_cap(cores(1), kFullYield, kMillion, 1), 100);
  EXPECT_EQ(credit_cap(cores(1), {500'000}, kMillion, 1), 50);
  EXPECT_EQ(credit_cap(cores(2), {750'000}, kMillion, 2), 150);
}

TEST(CreditCap, is_rounded_down_so_that_the_caps_of_a_node_do_not_exceed_it) {
  EXPECT_EQ(credit_cap(cores(1), {259'999}, kMillion, 1), 25);
}

TEST(CreditCap, is_never_0_which_xen_takes_for_no_limit) {
  EXPECT_EQ(credit_cap(cores(1), {1'000}, kMillion, 1), 1);
  const auto none = credit_cap(cores(1), {0}, kMillion, 1);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::invalid_argument);
}

TEST(CreditCap, is_more_of_a_slow_core_and_less_of_a_fast_one) {
  EXPECT_EQ(credit_cap(cores(1), {500'000}, 800'000, 1), 62);
  EXPECT_EQ(credit_cap(cores(1), {500'000}, 2'000'000, 1), 25);
}

TEST(CreditCap, is_at_most_what_the_vcpus_can_use_because_the_scheduler_refuses_more) {
  EXPECT_EQ(credit_cap(cores(1), kFullYield, 500'000, 1), 100);
}

TEST(CreditCap, is_not_to_be_had_for_a_node_without_speed_or_a_vm_without_vcpus) {
  EXPECT_FALSE(credit_cap(cores(1), kFullYield, 0, 1));
  EXPECT_FALSE(credit_cap(cores(1), kFullYield, kMillion, 0));
}

}  // namespace
}  // namespace aliquot
