// Every type of the model survives the codec to the last bit, whatever is in it.
#include <gtest/gtest.h>

#include "monitor/codec.hpp"
#include "monitor/codec_step.hpp"
#include "test/unit/monitor/codec/random_value.hpp"

namespace aliquot::test {
namespace {

template <class T>
class RoundTrip : public ::testing::Test {};

using Types = ::testing::Types<Submission, Program, Demand, Job, Node, ClusterView, PolicyMemory,
                               PolicyMemoryChange, Cause, Change, Plan, Explanation, Event, Action,
                               Decision, Violation, JobOutcome, Error, Step>;
TYPED_TEST_SUITE(RoundTrip, Types);

TYPED_TEST(RoundTrip, IsExactForRandomValues) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto value = Random(seed).make<TypeParam>();
    const std::string text = encode(value);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    const auto back = decode<TypeParam>(text);
    ASSERT_TRUE(back) << "seed " << seed << ": " << back.error().message << "\n" << text;
    ASSERT_TRUE(same(value, *back)) << "seed " << seed << "\n" << text << "\n" << encode(*back);
    ASSERT_EQ(text, encode(*back)) << "seed " << seed;
  }
}

TYPED_TEST(RoundTrip, RefusesEveryTruncationWithoutThrowing) {
  const auto value = Random(7).make<TypeParam>();
  const std::string text = encode(value);
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(decode<TypeParam>(std::string_view(text).substr(0, length))) << "at " << length;
  }
}

// Whatever one byte turns into: refused, or understood as something that encodes again; never a throw.
TYPED_TEST(RoundTrip, SurvivesAnyFlippedByte) {
  Random random(11);
  const std::string text = encode(random.make<TypeParam>());
  for (int i = 0; i < 2000; ++i) {
    std::string broken = text;
    broken[random.below(text.size())] = static_cast<char>(random.below(256));
    const auto back = decode<TypeParam>(broken);
    if (!back) {
      EXPECT_FALSE(back.error().message.empty());
      continue;
    }
    const auto again = decode<TypeParam>(encode(*back));
    ASSERT_TRUE(again);
    EXPECT_TRUE(same(*back, *again));
  }
}

// `same` itself must see a difference: a comparison that is always true would prove nothing above.
TYPED_TEST(RoundTrip, TwoDifferentSeedsGiveDifferentValues) {
  int different = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto a = Random(seed).make<TypeParam>();
    const auto b = Random(seed + 1000).make<TypeParam>();
    EXPECT_EQ(same(a, b), encode(a) == encode(b));
    different += same(a, b) ? 0 : 1;
  }
  EXPECT_GT(different, 25);
}

}  // namespace
}  // namespace aliquot::test
