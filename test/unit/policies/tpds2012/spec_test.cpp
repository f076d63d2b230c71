#include <gtest/gtest.h>

#include "policies/policy.hpp"
#include "policies/tpds2012/policy.hpp"

namespace aliquot {
namespace {

std::string canonical(std::string_view text) {
  const auto policy = make_policy(text);
  return policy ? (*policy)->name() : policy.error().message;
}
Result<Tpds2012Spec> read(const std::string& text) {
  using Submit = Tpds2012Spec::Submit;
  const PolicyName name = take_apart(text);
  for (const Submit submit :
       {Submit::greedy, Submit::greedy_pause, Submit::greedy_move, Submit::pack, Submit::wait})
    if (grammar_of(submit).word == name.word) return grammar_of(submit).read(name);
  return refuse(text, "no such word");
}
bool says(const std::string& message, std::string_view part) {
  return message.find(part) != std::string::npos;
}

TEST(Tpds2012Spec, every_combination_prints_back_as_it_was_written) {
  std::size_t accepted = 0;
  for (const char* submit : {"", "Greedy", "GreedyP", "GreedyPM", "MCB8"}) {
    for (const char* star : {"", "*"}) {
      for (const char* tick : {"", "/per=600", "/stretch-per=60"}) {
        for (const char* opt : {"", "/OPT=MIN", "/OPT=AVG", "/OPT=MAX"}) {
          for (const char* pin : {"", "/MINVT=600", "/MINFT=1"}) {
            const std::string text = std::string(submit) + star + tick + opt + pin;
            const auto spec = read(text);
            const bool never_placed = !*submit && !*tick;
            const bool never_packed = *pin && !*tick && std::string(submit) != "MCB8";
            ASSERT_EQ(!never_placed && !never_packed, spec.has_value()) << text;
            if (!spec) continue;
            ++accepted;
            EXPECT_EQ(text, to_string(*spec));
            EXPECT_EQ(text, canonical(text));
            EXPECT_EQ(*spec, *read(to_string(*spec)));
          }
        }
      }
    }
  }
  EXPECT_EQ(288U, accepted);
}

TEST(Tpds2012Spec, the_parts_may_come_in_any_order_and_a_period_left_out_is_600_s) {
  EXPECT_EQ("GreedyPM*/per=600/OPT=MIN/MINVT=300", canonical("GreedyPM*/MINVT=300/OPT=MIN/per"));
  EXPECT_EQ("/stretch-per=600", canonical("/stretch-per"));
  EXPECT_EQ("*/per=60", canonical("*/per=060"));
}

TEST(Tpds2012Spec, what_is_wrong_is_said_precisely) {
  EXPECT_TRUE(says(canonical("greedypm*/per=600"), "did you mean \"GreedyPM\""));
  EXPECT_TRUE(says(canonical("mcb8"), "did you mean \"MCB8\""));
  EXPECT_TRUE(says(canonical("GREEDY*"), "did you mean \"Greedy\""));
  EXPECT_TRUE(says(canonical("Geedy/per=600"), "did you mean \"Greedy\""));
  EXPECT_TRUE(says(canonical("Greedy**"), "\"*\" is given twice"));
  EXPECT_TRUE(says(canonical("Greedy/every=5"), "unknown option \"/every=5\""));
  EXPECT_TRUE(says(canonical("Greedy/"), "unknown option \"/\""));
  EXPECT_TRUE(says(canonical("Greedy/per=0"), "whole number of seconds from 1 to 31622400"));
  EXPECT_TRUE(says(canonical("Greedy/per=x"), "/per=x"));
  EXPECT_TRUE(says(canonical("Greedy/per=5/MINVT"), "/MINVT="));
  EXPECT_TRUE(says(canonical("Greedy/per=5/MINFT=31622401"), "from 1 to 31622400"));
  EXPECT_TRUE(says(canonical("Greedy/per=5/stretch-per=5"), "two of /per and /stretch-per"));
  EXPECT_TRUE(says(canonical("Greedy/per=5/MINVT=5/MINFT=5"), "two of /MINVT and /MINFT"));
  EXPECT_TRUE(says(canonical("Greedy/OPT=BEST"), "/OPT=BEST must be MIN, AVG or MAX"));
  EXPECT_TRUE(says(canonical("Greedy/OPT=MIN/OPT=MIN"), "twice"));
  EXPECT_TRUE(says(canonical("*"), "needs a period: write \"*/per=600\""));
  EXPECT_TRUE(says(canonical("GreedyPM*/MINVT=600"), "add /per=600"));
}

TEST(Tpds2012Spec, a_period_can_be_exchanged) {
  EXPECT_EQ("Greedy/per=60/OPT=MIN", *with_period("Greedy/per/OPT=MIN", seconds(60)));
  EXPECT_TRUE(says(with_period("GreedyPM*", seconds(60)).error().message, "has no period"));
}

TEST(Tpds2012Spec, a_policy_of_another_program_is_the_simulators_alone) {
  EXPECT_TRUE(says(canonical("exec:./mine.py"), "only aliquot-sim"));
}

}  // namespace
}  // namespace aliquot
