#include "tools/ctl/memory_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace aliquot::ctl {
namespace {

using nlohmann::json;

constexpr std::int64_t kMiB = 1 << 20;

json memory() {
  return {{"declared_bytes", 160 * kMiB},
          {"used_bytes", 58 * kMiB},
          {"used_by_task", 0},
          {"used_s_ago", 1.5},
          {"largest_bytes", 121 * kMiB},
          {"largest_of_task", 3},
          {"unknown", nullptr},
          {"to_declare_bytes", nullptr}};
}

TEST(MemoryText, SaysWhatIsDeclaredAndUsed) {
  EXPECT_EQ(memory_text(memory()), "160M a task; used now: 58M (task 0); largest use: 121M (task 3)");
}

TEST(MemoryText, SaysWhatIsLentToOthers) {
  json lends = memory();
  lends["counted_bytes"] = 138 * kMiB;
  EXPECT_EQ(
      memory_text(lends),
      "160M a task; counted with 138M, the rest is lent to others; used now: 58M (task 0); largest use: "
      "121M (task 3)");
  lends["counted_bytes"] = 160 * kMiB;
  EXPECT_EQ(memory_text(lends), memory_text(memory()));
}

TEST(MemoryText, SaysHowOldAWordOfTheGuestIs) {
  json late = memory();
  late["used_s_ago"] = 45;
  EXPECT_NE(memory_text(late).find("58M (task 0), as told 45s ago;"), std::string::npos);
}

TEST(MemoryText, AsksForMoreOrLess) {
  json job = memory();
  job["used_bytes"] = nullptr;
  job["to_declare_bytes"] = 192 * kMiB;
  EXPECT_EQ(memory_text(job), "160M a task; largest use: 121M (task 3); --mem 192MiB is safer");
  job["to_declare_bytes"] = 96 * kMiB;
  EXPECT_EQ(memory_text(job), "160M a task; largest use: 121M (task 3); --mem 96MiB is enough");
}

TEST(MemoryText, WhatIsNotKnownIsNotZero) {
  json job = memory();
  job["used_bytes"] = job["largest_bytes"] = nullptr;
  job["unknown"] = "the hash-chain guest does not tell";
  EXPECT_EQ(memory_text(job), "160M a task; what it uses is not known: the hash-chain guest does not tell");
}

}  // namespace
}  // namespace aliquot::ctl
