// A map in one piece of memory does what std::map does.
#include "policies/model/flat_map.hpp"

#include <gtest/gtest.h>

#include <map>

#include "policies/model/id.hpp"

namespace aliquot {
namespace {

std::uint64_t next(std::uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return state >> 33;
}

TEST(FlatMap, equals_a_map_whatever_is_done_to_it) {
  std::uint64_t state = 1;
  for (int round = 0; round < 200; ++round) {
    FlatMap<JobId, int> flat;
    std::map<JobId, int> plain;
    for (int step = 0; step < 100; ++step) {
      const JobId key{next(state) % 40};
      const int value = static_cast<int>(next(state) % 1000);
      switch (next(state) % 4) {
        case 0:
          flat[key] = plain[key] = value;
          break;
        case 1:
          ASSERT_EQ(plain.emplace(key, value).second, flat.emplace(key, value).second);
          break;
        case 2:
          ASSERT_EQ(plain.erase(key), flat.erase(key));
          break;
        default:
          ASSERT_EQ(plain.contains(key), flat.contains(key));
          if (plain.contains(key)) {
            ASSERT_EQ(plain.at(key), flat.at(key));
          }
      }
      ASSERT_EQ(plain.size(), flat.size());
      auto other = flat.begin();
      for (const auto& [id, known] : plain) {
        ASSERT_EQ(id, other->first);
        ASSERT_EQ(known, other->second);
        ++other;
      }
    }
  }
}

TEST(FlatMap, what_comes_last_may_be_appended) {
  FlatMap<JobId, int> appended;
  FlatMap<JobId, int> plain;
  for (std::uint64_t key = 1; key < 100; key += 3) {
    appended.append({key}, static_cast<int>(key));
    plain[{key}] = static_cast<int>(key);
  }
  EXPECT_EQ(plain, appended);
  EXPECT_TRUE(appended.contains({4}));
}

TEST(FlatMap, what_is_not_there_is_an_error) {
  FlatMap<JobId, int> flat;
  flat[{3}] = 1;
  EXPECT_THROW((void)flat.at({2}), std::out_of_range);
  EXPECT_THROW((void)flat.at({4}), std::out_of_range);
  EXPECT_EQ(flat.end(), flat.find({4}));
}

}  // namespace
}  // namespace aliquot
