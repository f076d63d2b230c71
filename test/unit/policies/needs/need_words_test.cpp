// What is said of a need that was learned.
#include "policies/needs/need_words.hpp"

#include <gtest/gtest.h>

namespace aliquot::needs {
namespace {

const NeedTerms kTerms{NeedMode::learned_up, cores(2), {}, cores(4)};

TEST(need_words, say_what_is_used_of_what_was_declared) {
  EXPECT_EQ(explain({Cpu{330'000}, ChangeKind::uses_less, Cpu{300'000}, 0.5}, kTerms),
            "a task of it uses 0.3 cores of the 2 that it declares");
  EXPECT_EQ(explain({cores(2), ChangeKind::wants_more, Cpu{330'000}, 0.5}, kTerms),
            "its tasks use all that they are given, and want more");
}

TEST(need_words, say_what_a_probe_has_shown) {
  EXPECT_NE(explain({cores(4), ChangeKind::probed, cores(2), 0.5}, kTerms).find("would use up to 4 cores"),
            std::string::npos);
  EXPECT_NE(explain({cores(4), ChangeKind::probe_kept, cores(1), 0.5}, kTerms).find("uses 1 core"),
            std::string::npos);
  EXPECT_NE(explain({cores(2), ChangeKind::probe_undone, cores(2), 0.5}, kTerms).find("used no more"),
            std::string::npos);
}

}  // namespace
}  // namespace aliquot::needs
