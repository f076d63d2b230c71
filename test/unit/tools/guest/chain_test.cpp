#include "tools/guest/chain.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aliquot {
namespace {

constexpr ChainShape kShape{4, 1'000'000};

// As the guest printed them under QEMU (3 blocks of a million steps), and the fourth.
const std::vector<std::string> kGuest = {"MICRO start total=4",  "MICRO n=1 h=bbc1d705",
                                         "MICRO n=2 h=9b485c45", "MICRO n=3 h=72cad7c5",
                                         "MICRO n=4 h=",         "MICRO done"};

// Slow and obvious, straight from docs/guest-contract.md.
std::string hash_after(std::uint32_t blocks, std::uint32_t unit) {
  std::uint32_t h = 2166136261U;
  for (std::uint32_t n = 0; n < blocks; ++n) {
    for (std::uint32_t i = 0; i < unit; ++i) {
      h ^= i + n;
      h *= 16777619U;
    }
  }
  char text[9];
  std::snprintf(text, sizeof text, "%08x", h);
  return text;
}

std::vector<std::string> lines() {
  std::vector<std::string> out = kGuest;
  out[4] += hash_after(4, kShape.unit);
  return out;
}

std::string joined(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& line : all) out += line + "\n";
  return out;
}

TEST(Chain, WhatTheGuestPrintedIsWhole) {
  const ChainAudit audit = audit_chain(joined(lines()), kShape);
  EXPECT_TRUE(audit.whole(kShape)) << audit.first_fault;
  EXPECT_EQ(audit.recomputed, 4U);
}

TEST(Chain, AMissingLineIsLostAndTheRestStillChecked) {
  auto all = lines();
  all.erase(all.begin() + 2);
  const ChainAudit audit = audit_chain(joined(all), kShape);
  EXPECT_FALSE(audit.whole(kShape));
  EXPECT_EQ(audit.lost, 1U);
  EXPECT_EQ(audit.recomputed, 3U);
  EXPECT_EQ(audit.first_fault, "line 3: MICRO n=3 h=72cad7c5");
}

TEST(Chain, LinesMissingAtTheEndAreLost) {
  auto all = lines();
  all.resize(2);
  const ChainAudit audit = audit_chain(joined(all), kShape);
  EXPECT_EQ(audit.lost, 3U);
  EXPECT_EQ(audit.ends, 0U);
  EXPECT_FALSE(audit.whole(kShape));
}

TEST(Chain, ARepeatedLineIsSeen) {
  auto all = lines();
  all.insert(all.begin() + 3, all[2]);
  const ChainAudit audit = audit_chain(joined(all), kShape);
  EXPECT_EQ(audit.repeated, 1U);
  EXPECT_EQ(audit.lost, 0U);
  EXPECT_EQ(audit.recomputed, 4U);
  EXPECT_FALSE(audit.whole(kShape));
}

TEST(Chain, AGuestStartedTwiceIsNotWhole) {
  const ChainAudit audit = audit_chain(joined(lines()) + joined(lines()), kShape);
  EXPECT_EQ(audit.starts, 2U);
  EXPECT_EQ(audit.repeated, 4U);
  EXPECT_FALSE(audit.whole(kShape));
}

TEST(Chain, AnotherHashIsWrong) {
  auto all = lines();
  all[2].back() = all[2].back() == '0' ? '1' : '0';
  const ChainAudit audit = audit_chain(joined(all), kShape);
  EXPECT_EQ(audit.wrong, 1U);
  EXPECT_EQ(audit.recomputed, 3U);
  EXPECT_FALSE(audit.whole(kShape));
}

TEST(Chain, TornAndForeignLinesAreCounted) {
  for (const char* line :
       {"MICRO n=2", "MICRO n=x h=9b485c45", "MICRO n=2 h=9b485c4", "MICRO n=2 h=9b485c4g",
        "MICRO n=2 h=9b485c45 ", "kernel panic", "MICRO start total=5"}) {
    auto all = lines();
    all.insert(all.begin() + 2, line);
    const ChainAudit audit = audit_chain(joined(all), kShape);
    EXPECT_EQ(audit.foreign, 1U) << line;
    EXPECT_FALSE(audit.whole(kShape)) << line;
  }
}

TEST(Chain, ANumberBeyondTheTotalCostsNothingAndIsWrong) {
  auto all = lines();
  all.insert(all.begin() + 2, "MICRO n=4294967295 h=00000000");
  EXPECT_EQ(audit_chain(joined(all), kShape).wrong, 1U);
}

TEST(Chain, AnEmptyLogIsAllLost) {
  const ChainAudit audit = audit_chain("", kShape);
  EXPECT_EQ(audit.lost, 4U);
  EXPECT_FALSE(audit.whole(kShape));
}

TEST(Chain, OrderMattersEvenIfEveryLineIsThere) {
  auto all = lines();
  std::swap(all[0], all[1]);
  EXPECT_FALSE(audit_chain(joined(all), kShape).whole(kShape));
}

}  // namespace
}  // namespace aliquot
