// The table against std::map, under random insertions and erasures.
#include "policies/model/id_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "policies/model/id.hpp"

namespace aliquot {
namespace {

using Table = IdTable<JobId, std::string>;
using Reference = std::map<JobId, std::string>;

void expect_same(const Table& table, const Reference& reference) {
  ASSERT_EQ(table.size(), reference.size());
  auto at = table.begin();
  for (const auto& [id, text] : reference) {
    ASSERT_EQ(at->first, id);
    ASSERT_EQ(at->second, text);
    ++at;
  }
  ASSERT_TRUE(at == table.end());
}

TEST(IdTable, behaves_like_a_map_whatever_the_ids) {
  for (const std::uint64_t stride : {1U, 2U, 64U, 4096U, 1U << 20U}) {
    std::mt19937_64 random(stride);
    Table table;
    Reference reference;
    for (int step = 0; step < 4000; ++step) {
      const JobId id{random() % 300 * stride};
      if (random() % 2 == 0) {
        const std::string text = std::to_string(step);
        ASSERT_EQ(table.emplace(id, text).second, reference.emplace(id, text).second);
      } else {
        ASSERT_EQ(table.erase(id), reference.erase(id));
      }
      const JobId other{random() % 300 * stride};
      ASSERT_EQ(table.contains(other), reference.contains(other));
      if (step % 100 == 0) expect_same(table, reference);
    }
    expect_same(table, reference);
  }
}

TEST(IdTable, keeps_references_while_others_come_and_go) {
  Table table;
  const std::string& kept = table.emplace({7}, "kept").first->second;
  for (std::uint64_t id = 100; id < 10'000; ++id) {
    table.emplace({id}, "other");
    if (id % 3 == 0) table.erase(JobId{id - 50});
  }
  EXPECT_EQ(&kept, &table.at({7}));
}

TEST(IdTable, copies_deeply_and_moves_cheaply) {
  Table table;
  for (std::uint64_t id = 1; id <= 20; ++id) table[{id}] = std::to_string(id);
  Table copy = table;
  copy.at({3}) = "changed";
  EXPECT_EQ(table.at({3}), "3");
  EXPECT_FALSE(copy == table);
  const Table moved = std::move(copy);
  EXPECT_EQ(moved.at({3}), "changed");
  EXPECT_EQ(moved.size(), 20U);
}

TEST(IdTable, says_which_id_is_missing) {
  const Table table;
  try {
    (void)table.at({42});
    FAIL();
  } catch (const std::out_of_range& error) {
    EXPECT_NE(std::string(error.what()).find("42"), std::string::npos);
  }
}

}  // namespace
}  // namespace aliquot
