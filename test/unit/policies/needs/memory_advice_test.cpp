#include "policies/needs/memory_advice.hpp"

#include <gtest/gtest.h>

namespace aliquot::needs {
namespace {

constexpr Memory kLeast = mebibytes(80);

std::optional<Memory> declare(std::int64_t had, std::int64_t used) {
  return memory_to_declare(mebibytes(had), mebibytes(used), kLeast);
}

TEST(MemoryAdvice, IsTheUseAndAQuarterMoreWhereMuchLessIsEnough) {
  EXPECT_EQ(declare(4096, 300), mebibytes(384)) << "375, as a multiple of 16";
  EXPECT_EQ(declare(1024, 320), mebibytes(400));
  EXPECT_EQ(declare(1024, 1000), std::optional(mebibytes(1264))) << "it never had 24 of them to spare";
}

TEST(MemoryAdvice, LeavesAtLeast32MebibytesAndWhatTheGuestNeeds) {
  EXPECT_EQ(declare(512, 60), mebibytes(96));
  EXPECT_EQ(declare(512, 10), kLeast);
  EXPECT_EQ(memory_to_declare(mebibytes(512), mebibytes(10), mebibytes(1)), mebibytes(48));
}

TEST(MemoryAdvice, IsSilentWhereTheDeclarationIsAboutRight) {
  EXPECT_EQ(declare(400, 240), std::nullopt) << "304 would do, which is not below 300";
  EXPECT_EQ(declare(416, 240), mebibytes(304));
  EXPECT_EQ(declare(160, 150), std::nullopt) << "a sixteenth of it was free at all times";
  EXPECT_EQ(declare(160, 151), mebibytes(192));
  EXPECT_EQ(declare(96, 60), std::nullopt);
}

TEST(MemoryAdvice, IsHalfAsMuchAgainWhereMemoryRanOut) {
  EXPECT_EQ(memory_after_running_out(mebibytes(160)), mebibytes(240));
  EXPECT_EQ(memory_after_running_out(mebibytes(100)), mebibytes(160));
  EXPECT_EQ(mem_option(mebibytes(240)), "--mem 240MiB");
}

}  // namespace
}  // namespace aliquot::needs
