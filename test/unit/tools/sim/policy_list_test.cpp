#include "tools/sim/compare/policy_list.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

using Names = std::vector<std::string>;

TEST(PolicyList, NamesAreSeparatedByCommas) {
  EXPECT_EQ(split_policies("FCFS"), (Names{"FCFS"}));
  EXPECT_EQ(split_policies(" FCFS , EASY "), (Names{"FCFS", "EASY"}));
  EXPECT_EQ(split_policies("GreedyPM*/per=600/MINVT=600,/per=60"),
            (Names{"GreedyPM*/per=600/MINVT=600", "/per=60"}));
}

TEST(PolicyList, EmptyNamesAreKept) {
  EXPECT_EQ(split_policies(""), (Names{""}));
  EXPECT_EQ(split_policies("FCFS,,EASY"), (Names{"FCFS", "", "EASY"}));
  EXPECT_EQ(split_policies("FCFS,"), (Names{"FCFS", ""}));
}

TEST(PolicyList, CommasInsideAParenthesisOrBetweenOptionsBelongToTheName) {
  EXPECT_EQ(split_policies("HYBRID(EASY, GREEDY),FCFS"), (Names{"HYBRID(EASY, GREEDY)", "FCFS"}));
  EXPECT_EQ(split_policies("ALIQUOT:pin=0.4, period=600,FCFS"),
            (Names{"ALIQUOT:pin=0.4,period=600", "FCFS"}));
  EXPECT_EQ(split_policies("FCFS,pin=0.4"), (Names{"FCFS", "pin=0.4"}));  // no colon: no options
}

TEST(PolicyList, AParenthesisThatIsNeverClosedOrOpenedLosesNothing) {
  EXPECT_EQ(split_policies("HYBRID(EASY,GREEDY"), (Names{"HYBRID(EASY,GREEDY"}));
  EXPECT_EQ(split_policies("A),B"), (Names{"A)", "B"}));
}

TEST(PolicyList, ACommandGoesToTheEnd) {
  EXPECT_EQ(split_policies("FCFS,exec:awk -F, '{print}'"), (Names{"FCFS", "exec:awk -F, '{print}'"}));
}

}  // namespace
}  // namespace aliquot
