// Saves begin only where their images fit.
#include "manager/hypervisor/spool_space.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace aliquot {
namespace {

struct SpoolSpaceTest : testing::Test {
  Memory free = mebibytes(1000);
  std::shared_ptr<SpoolSpace> space =
      SpoolSpace::make("/spool", mebibytes(100), [this]() -> Result<Memory> { return free; });
};

TEST_F(SpoolSpaceTest, a_promise_counts_until_it_is_over) {
  {
    const auto first = space->promise(mebibytes(600), "save a");
    ASSERT_TRUE(first);
    EXPECT_FALSE(space->promise(mebibytes(301), "save b")) << "600 and 100 of 1000 are spoken for";
    EXPECT_TRUE(space->promise(mebibytes(300), "save b"));
  }
  EXPECT_TRUE(space->promise(mebibytes(900), "save c"));
}

TEST_F(SpoolSpaceTest, a_refusal_names_what_and_how_much) {
  const auto refused = space->promise(mebibytes(901), "save aliquot-7.0-1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::no_space);
  EXPECT_EQ(refused.error().message,
            "cannot save aliquot-7.0-1: it takes up to 901MiB, and spool /spool has 1000MiB free, of which "
            "0B are promised to saves in progress and 100MiB stay in reserve; an operator makes room "
            "there, or lowers spool.reserve");
}

TEST_F(SpoolSpaceTest, of_local_saves_has_their_name_and_remedy) {
  const auto disk = SpoolSpace::make(
      "/disk", mebibytes(100), [this] { return Result<Memory>(free); }, SpoolSpace::Of::local_saves);
  EXPECT_TRUE(space->promise(mebibytes(900), "save a"));
  const auto refused = disk->promise(mebibytes(901), "save a");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::no_space);
  EXPECT_NE(refused.error().message.find("directory of local saves /disk has 1000MiB"), std::string::npos);
  EXPECT_NE(refused.error().message.find("--saves"), std::string::npos);
}

TEST_F(SpoolSpaceTest, a_spool_that_does_not_answer_is_an_error) {
  EXPECT_EQ(free_space("/nonexistent/spool").error().kind, ErrorKind::unavailable);
  EXPECT_GT(free_space("/")->raw, 0);
}

TEST_F(SpoolSpaceTest, a_promise_can_be_handed_on) {
  std::optional<SpoolSpace::Promise> kept;
  {
    auto promise = space->promise(mebibytes(900), "save a");
    ASSERT_TRUE(promise);
    kept.emplace(std::move(*promise));
  }
  EXPECT_FALSE(space->promise(mebibytes(1), "save b"));
  kept.reset();
  EXPECT_TRUE(space->promise(mebibytes(900), "save b"));
}

}  // namespace
}  // namespace aliquot
