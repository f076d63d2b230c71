#include "policies/aliquot/spec.hpp"

#include <gtest/gtest.h>

#include "policies/policy.hpp"

namespace aliquot {
namespace {

std::string canonical(std::string_view text) {
  const auto policy = make_policy(text);
  return policy ? (*policy)->name() : policy.error().message;
}

TEST(AliquotSpec, the_default_has_no_options) {
  EXPECT_EQ("ALIQUOT", canonical("ALIQUOT"));
  EXPECT_EQ("ALIQUOT", canonical("ALIQUOT:pause=on,repack=free,yields=stretch,floor=30,cost=100%"));
}

TEST(AliquotSpec, the_options_come_back_in_one_order) {
  EXPECT_EQ("ALIQUOT:pause=off,local=off,repack=on,floor=0,cost=33%",
            canonical("ALIQUOT:cost=33%,floor=0,repack=on,local=off,pause=off"));
  EXPECT_EQ("ALIQUOT:urgent=off,yields=fair,budget=off,cost=900",
            canonical("ALIQUOT:budget=off,cost=0900,yields=fair,urgent=off"));
  EXPECT_EQ("ALIQUOT:floor=0,short=1", canonical("ALIQUOT:short=1,floor=0"));
  EXPECT_EQ("ALIQUOT", canonical("ALIQUOT:short=30"));
}

TEST(AliquotSpec, every_name_is_read_back_to_an_equal_spec) {
  for (const char* text :
       {"ALIQUOT", "ALIQUOT:floor=100", "ALIQUOT:cost=0", "ALIQUOT:cost=1%",
        "ALIQUOT:pause=off,urgent=off,yields=fair,hurry=off,local=off,budget=off,repack=on",
        "ALIQUOT:repack=off"}) {
    const auto spec = aliquot_grammar().read(text);
    ASSERT_TRUE(spec.has_value()) << text;
    EXPECT_EQ(text, to_string(*spec));
    EXPECT_EQ(*spec, *aliquot_grammar().read(to_string(*spec)));
  }
}

TEST(AliquotSpec, what_is_wrong_is_said_with_the_choices) {
  for (const char* text :
       {"ALIQUOT:", "ALIQUOT:speed=9", "ALIQUOT:local", "ALIQUOT:local=maybe", "ALIQUOT:floor=101",
        "ALIQUOT:floor=0.3", "ALIQUOT:cost=-1", "ALIQUOT:cost=0%", "ALIQUOT:cost=86401", "ALIQUOT:short=0",
        "ALIQUOT:short=3601", "ALIQUOT:local=off,", "ALIQUOT:local=off,local=on", "ALIQUOT:yields=off"}) {
    const auto policy = make_policy(text);
    ASSERT_FALSE(policy.has_value()) << text;
    EXPECT_EQ(ErrorKind::invalid_argument, policy.error().kind) << text;
    const std::string& message = policy.error().message;
    EXPECT_TRUE(message.starts_with("policy \"" + std::string(text) + "\": ")) << message;
  }
}

TEST(AliquotSpec, an_unknown_option_is_answered_with_all_there_are) {
  const std::string message = canonical("ALIQUOT:yield=fair");
  EXPECT_NE(std::string::npos, message.find("did you mean \"yields\"")) << message;
  EXPECT_NE(std::string::npos, message.find("yields=stretch|fair")) << message;
}

TEST(AliquotSpec, another_name_is_not_meant) {
  EXPECT_EQ("unknown policy \"ALIQUOTS\" (names are case-sensitive); did you mean \"ALIQUOT\"?",
            canonical("ALIQUOTS"));
  EXPECT_EQ("unknown policy \"aliquot:local=off\" (names are case-sensitive); did you mean \"ALIQUOT\"?",
            canonical("aliquot:local=off"));
}

}  // namespace
}  // namespace aliquot
