#include "manager/hypervisor/libvirt/vm_statistics.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

constexpr std::uint64_t kGiven = 96 << 10;  // KiB

TEST(VmStatistics, TheMemoryOfAGuestIsWhatItsVmHasAndWhatCouldBeGivenBack) {
  const auto memory = guest_memory_of(kGiven, 40 << 10, 1'700'000'000);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->given, mebibytes(96));
  EXPECT_EQ(memory->used(), mebibytes(56));
  EXPECT_EQ(memory->told, 1'700'000'000);
  EXPECT_EQ(guest_memory_of(kGiven, 0, 1)->used(), mebibytes(96));
}

TEST(VmStatistics, AGuestThatHasSaidNothingUsesAnUnknownAmount) {
  EXPECT_FALSE(guest_memory_of(kGiven, std::nullopt, 1)) << "no driver, or an old one";
  EXPECT_FALSE(guest_memory_of(kGiven, 40 << 10, 0)) << "a new QEMU, which has heard nothing yet";
  EXPECT_FALSE(guest_memory_of(kGiven, 40 << 10, std::nullopt));
  EXPECT_FALSE(guest_memory_of(std::nullopt, 40 << 10, 1));
}

TEST(VmStatistics, WhatNoGuestCanHaveIsNotBelieved) {
  EXPECT_FALSE(guest_memory_of(kGiven, kGiven + 1, 1));
  EXPECT_FALSE(guest_memory_of(UINT64_MAX, 1, 1));
  EXPECT_FALSE(guest_memory_of(kGiven, 1, UINT64_MAX));
}

}  // namespace
}  // namespace aliquot
