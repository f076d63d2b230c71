// The snapshot of the core's state survives to the last bit.
#include "manager/store/state_codec.hpp"

#include <gtest/gtest.h>

#include "test/unit/manager/store/fixture.hpp"

namespace aliquot::test {
namespace {

TEST(StateCodec, IsExactForRandomStates) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto state = Random(seed).make<CoreState>();
    const std::string text = encode_state(state);
    const auto back = decode_state(text);
    ASSERT_TRUE(back) << "seed " << seed << ": " << back.error().message;
    ASSERT_TRUE(same(state, *back)) << "seed " << seed << "\n" << text;
    ASSERT_EQ(encode_state(*back), text);
  }
}

TEST(StateCodec, RefusesANewerVersionAsUnsupported) {
  std::string text = encode_state(CoreState{});
  const auto at = text.find("\"v\":1");
  ASSERT_NE(at, std::string::npos);
  const auto newer = decode_state(text.replace(at, 5, "\"v\":2"));
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().kind, ErrorKind::unsupported);
}

TEST(StateCodec, RefusesWhatIsNotAState) {
  for (const char* text : {"", "[]", "{}", "{\"v\":1}", "{\"v\":\"x\"}", "nonsense"}) {
    const auto state = decode_state(text);
    ASSERT_FALSE(state) << text;
    EXPECT_EQ(state.error().kind, ErrorKind::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace aliquot::test
