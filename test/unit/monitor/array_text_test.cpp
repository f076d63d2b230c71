#include "monitor/array_text.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

std::string printed(const std::string& text) {
  const auto terms = parse_array(text);
  return terms ? print_array(*terms) : terms.error().message;
}

TEST(array_text, names_indices_and_how_many_may_stand) {
  const auto terms = parse_array("1,3,5-9:2%4");
  ASSERT_TRUE(terms) << terms.error().message;
  EXPECT_EQ(indices_from(terms->indices, 0), (std::vector<std::uint32_t>{1, 3, 5, 7, 9}));
  EXPECT_EQ(terms->at_once, 4U);
  EXPECT_EQ(most_at_once(*terms), 4U);
  EXPECT_EQ(most_at_once(*parse_array("0-99")), kMostMembersAtOnce);
}

TEST(array_text, is_printed_in_one_way) {
  EXPECT_EQ(printed("0-999%50"), "0-999%50");
  EXPECT_EQ(printed("1,3,5-9:2"), "1-9:2");
  EXPECT_EQ(printed("7,0-3,2"), "0-3,7") << "in order, and each once";
  EXPECT_EQ(printed("1,3"), "1,3");
  EXPECT_EQ(printed("0-9:20"), "0");
  EXPECT_EQ(printed("1,2,4,5,7"), "1-2,4-5,7");
  EXPECT_EQ(printed("2147483646-2147483647"), "2147483646-2147483647");
  for (const char* text : {"0-3,7", "1-9:2", "5", "0-100:25,101-105,2147483647%1000"})
    EXPECT_EQ(printed(printed(text)), printed(text)) << text;
}

TEST(array_text, that_is_wrong_is_refused_with_the_reason) {
  for (const char* bad :
       {"", ",", "1,", "x", "-1", "9-1", "1-2-3", "1:2", "1-9:0", "1-9:", "2147483648", "1 2"})
    EXPECT_NE(printed(bad).find("which is no range of indices from 0 to 2147483647; write indices such as"),
              std::string::npos)
        << bad << ": " << printed(bad);
  for (const char* bad : {"0-9%", "0-9%0", "0-9%x", "0-9%1001", "0-9%2%3"})
    EXPECT_NE(printed(bad).find("has no number from 1 to 1000 after its %"), std::string::npos) << bad;
  EXPECT_EQ(count_of(parse_array("1-100000")->indices), 100'000U);
  EXPECT_NE(printed("0-100000").find("has more than 100000 indices"), std::string::npos);
  EXPECT_NE(printed("0-2147483647").find("has more than 100000 indices"), std::string::npos);
  std::string apart;
  for (int k = 0; k <= 1000; ++k) apart += (k == 0 ? "" : ",") + std::to_string(k * k * 3);
  EXPECT_NE(printed(apart).find("ranges that stand apart"), std::string::npos) << printed(apart);
  EXPECT_NE(printed(std::string(20'000, '1')).find("is too long"), std::string::npos);
}

TEST(index_set, knows_what_is_in_it) {
  const IndexSet set = index_set({0, 1, 2, 10, 20, 30, 47});
  EXPECT_TRUE(is_sound(set));
  for (const std::uint32_t index : {0U, 2U, 10U, 30U, 47U}) EXPECT_TRUE(contains(set, index)) << index;
  for (const std::uint32_t index : {3U, 11U, 40U, 46U, 48U}) EXPECT_FALSE(contains(set, index)) << index;
  for (std::uint32_t at = 0; at < 7; ++at) EXPECT_EQ(index_at(set, at), indices_from(set, at).front());
  EXPECT_TRUE(indices_from(set, 7).empty());
}

TEST(index_set, that_is_out_of_order_or_bounds_is_not_sound) {
  EXPECT_FALSE(is_sound({}));
  EXPECT_FALSE(is_sound({{0, 0, 1}}));
  EXPECT_FALSE(is_sound({{0, 2, 0}}));
  EXPECT_FALSE(is_sound({{5, 1, 1}, {5, 1, 1}}));
  EXPECT_FALSE(is_sound({{0, 3, 10}, {15, 1, 1}}));
  EXPECT_FALSE(is_sound({{0, 100'001, 1}}));
  EXPECT_FALSE(is_sound({{kLargestIndex, 2, 1}}));
  EXPECT_FALSE(is_sound({{4'294'967'295U, 4'294'967'295U, 4'294'967'295U}}));
  EXPECT_TRUE(is_sound({{kLargestIndex, 1, 1}}));
}

}  // namespace
}  // namespace aliquot
