// The setting `accounts`: words to terms and back.
#include "config/account_words.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

std::string refusal(const std::string& text) {
  const auto read = account_terms().parse(text);
  return read ? "" : read.error().message;
}

TEST(AccountWords, NameParentSharesAndLimits) {
  const std::string text =
      "lab parent=physics shares=2 jobs=40 cpu=1.5 memory=512GiB user.devices=1 user.core_hours=10";
  const auto read = account_terms().parse(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, (AccountTerms{"lab",
                                 "physics",
                                 2,
                                 {{LimitKind::jobs, 40},
                                  {LimitKind::cpu, 1'500'000},
                                  {LimitKind::memory, std::int64_t{512} << 30}},
                                 {{LimitKind::devices, 1}, {LimitKind::core_hours, 10}}}));
  EXPECT_EQ(account_terms().print(*read), text);
  EXPECT_EQ(account_terms().print(*account_terms().parse("  guests   shares=1 ")), "guests");
}

TEST(AccountWords, ReservationAndLimitOfYields) {
  const std::string text = "lab shares=2 min_yield=0.25 max_yield=0.8 jobs=4";
  const auto read = account_terms().parse(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->min_yield, Yield{250'000});
  EXPECT_EQ(read->max_yield, Yield{800'000});
  EXPECT_EQ(account_terms().print(*read), text);
}

TEST(AccountWords, RefusesWhatIsNoAccount) {
  for (const char* text :
       {"", "a,b", "lab jobs", "lab jobs=", "lab jobs=-1", "lab jobs=1 jobs=2", "lab shares=0",
        "lab parent=", "lab nonsense=1", "lab user.shares=2", "lab min_yield=x", "lab max_yield=-1",
        "lab memory=1G", "lab cpu=x", "lab tasks=99999999999999999"})
    EXPECT_NE(refusal(text), "") << text;
  EXPECT_NE(refusal("lab nonsense=1").find("is no limit; write NAME"), std::string::npos);
}

}  // namespace
}  // namespace aliquot
