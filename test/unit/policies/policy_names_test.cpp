#include <gtest/gtest.h>

#include "policies/registry.hpp"

namespace aliquot {
namespace {

std::string canonical(std::string_view text) {
  const auto policy = make_policy(text);
  return policy ? (*policy)->name() : policy.error().message;
}

std::string complaint(std::string_view text) {
  const auto policy = make_policy(text);
  return policy ? "accepted as " + (*policy)->name() : policy.error().message;
}

bool says(const std::string& message, std::string_view part) {
  return message.find(part) != std::string::npos;
}

TEST(PolicyNames, names_print_back_in_one_canonical_form) {
  for (const char* name : {"FCFS", "EASY", "EASY-LEGACY", "CONSERVATIVE", "EASY/predict",
                           "CONSERVATIVE/predict", "GREEDY", "GREEDY-PMTN", "GREEDY-PMTN-MIGR", "DYNMCB8",
                           "DYNMCB8+match", "DYNMCB8-PER-60", "DYNMCB8-ASAP-PER-600+match",
                           "DYNMCB8-STRETCH-PER-3600", "DYNMCB8+exact", "DYNMCB8-PER-60+exact+match"}) {
    EXPECT_EQ(name, canonical(name));
  }
}

TEST(PolicyNames, a_period_left_out_is_600_s) {
  EXPECT_EQ("DYNMCB8-PER-600", canonical("DYNMCB8-PER"));
  EXPECT_EQ("DYNMCB8-ASAP-PER-600+match", canonical("DYNMCB8-ASAP-PER+match"));
  EXPECT_EQ("DYNMCB8-PER-60", canonical("DYNMCB8-PER-060"));
}

TEST(PolicyNames, an_unknown_name_is_refused_with_the_nearest_known_one) {
  EXPECT_TRUE(says(complaint("fcfs"), "did you mean \"FCFS\""));
  EXPECT_TRUE(says(complaint("GREEDY-PMTM"), "did you mean \"GREEDY-PMTN\""));
  EXPECT_TRUE(says(complaint("dynmcb8-per-60"), "did you mean \"DYNMCB8-PER-600\""));
  EXPECT_TRUE(says(complaint("DYNMCB8-ASAPPER-60"), "did you mean \"DYNMCB8-ASAP-PER-600\""));
  EXPECT_TRUE(says(complaint(""), "unknown policy \"\""));
  EXPECT_TRUE(says(complaint("DYNMCB8-60"), "did you mean \"DYNMCB8\""));
  EXPECT_TRUE(says(complaint(" FCFS"), "did you mean \"FCFS\""));
}

TEST(PolicyNames, a_bad_period_is_refused_with_the_range) {
  for (const char* text :
       {"DYNMCB8-PER-0", "DYNMCB8-PER--5", "DYNMCB8-PER-x", "DYNMCB8-PER-", "DYNMCB8-PER-1.5",
        "DYNMCB8-PER-T", "DYNMCB8-PER-99999999999999999999", "DYNMCB8-PER-31622401", "DYNMCB8-PER-60 "}) {
    EXPECT_TRUE(says(complaint(text), "whole number of seconds from 1 to 31622400")) << complaint(text);
    EXPECT_TRUE(says(complaint(text), "\"DYNMCB8-PER-600\"")) << complaint(text);
  }
}

TEST(PolicyNames, options_must_be_known_apply_and_stand_once) {
  EXPECT_TRUE(says(complaint("DYNMCB8+mach"), "did you mean \"+match\""));
  EXPECT_TRUE(says(complaint("DYNMCB8+"), "unknown option \"+\""));
  EXPECT_TRUE(says(complaint("FCFS+fast"), "has no options"));
  EXPECT_TRUE(says(complaint("GREEDY+match"), "leave it out"));
  EXPECT_TRUE(says(complaint("DYNMCB8+match+match"), "twice"));
  EXPECT_EQ("DYNMCB8+exact+match", canonical("DYNMCB8+match+exact"));
  EXPECT_TRUE(says(complaint("DYNMCB8+exac"), "did you mean \"+exact\""));
  EXPECT_TRUE(says(complaint("DYNMCB8-STRETCH-PER+exact"), "Its options are +match"));
  EXPECT_TRUE(says(complaint("DYNMCB8+exact+exact"), "twice"));
  EXPECT_TRUE(says(complaint("EASY+exact"), "Its options are /predict"));
  EXPECT_TRUE(says(complaint("EASY/predic"), "did you mean \"/predict\""));
  EXPECT_TRUE(says(complaint(std::string(300, 'A')), "at most 200 characters"));
}

TEST(PolicyNames, a_period_can_be_exchanged) {
  EXPECT_EQ("DYNMCB8-PER-60", *with_period("DYNMCB8-PER-600", seconds(60)));
  EXPECT_EQ("DYNMCB8-STRETCH-PER-5+match", *with_period("DYNMCB8-STRETCH-PER+match", seconds(5)));
  EXPECT_TRUE(says(with_period("GREEDY", seconds(60)).error().message, "has no period"));
  EXPECT_FALSE(with_period("DYNMCB8-PER", seconds(0)));
  EXPECT_FALSE(with_period("DYNMCB8-PER", Duration{1'500'000}));
  EXPECT_FALSE(with_period("nonsense", seconds(60)));
}

TEST(PolicyNames, policies_answer_to_their_names_and_periods) {
  EXPECT_EQ("DYNMCB8-ASAP-PER-600+match", (*make_policy("DYNMCB8-ASAP-PER+match"))->name());
  EXPECT_EQ(seconds(7), (*make_policy("DYNMCB8-PER-7"))->period());
  EXPECT_FALSE((*make_policy("DYNMCB8"))->period());
  EXPECT_EQ("ALIQUOT", known_policies().front().name);
}

}  // namespace
}  // namespace aliquot
