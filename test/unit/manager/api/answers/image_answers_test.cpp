// What is said of the images of the image store, to the byte, and which jobs hold one.
#include "manager/api/answers/image_answers.hpp"

#include <gtest/gtest.h>

#include "test/unit/manager/api/answers/small_state.hpp"

namespace aliquot {
namespace {

StoredImage debian() {
  return {{"debian"}, std::string(64, 'a'), ImageFormat::qcow2, mebibytes(1), mebibytes(2048),
          1000,       1'767'225'600'000'000};
}

// Jobs 1 and 2 boot this image.
test::SmallState booting(const std::string& name, const std::string& sha256) {
  test::SmallState small;
  for (auto [id, record] : small.state.records) {
    Submission submission = *record.submission;
    submission.program = ImageBoot{name, sha256};
    small.state.records.at(id).submission = Shared<Submission>(std::move(submission));
  }
  return small;
}

TEST(ImageAnswers, AreTheseBytes) {
  const auto small = booting("debian", std::string(64, 'a'));
  const std::string row =
      R"("added_at":"2026-01-01T00:00:00.000Z","disk_bytes":2147483648,"format":"qcow2",)"
      R"("image":"debian","jobs":2,"sha256":")" +
      std::string(64, 'a') + R"(","size_bytes":1048576,"uid":1000)";
  EXPECT_EQ(image_list_answer(small.state, {debian()}), R"({"images":[{)" + row + "}]}");
  EXPECT_EQ(image_show_answer(small.state, debian()), "{" + row + R"(,"used_by":[1,2]})");
  EXPECT_EQ(image_list_answer(small.state, {}), R"({"images":[]})");
  EXPECT_EQ(image_removed_answer({"debian"}), R"({"done":"removed","image":"debian"})");
}

TEST(ImageAnswers, NameTheJobsForWhichAnImageStays) {
  const Peer owner{1000, 1, true, false};
  const auto refused = can_remove(booting("debian", std::string(64, 'a')).state, debian(), owner);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::conflict);
  EXPECT_EQ(refused.error().message,
            "the image debian is used by jobs 1, 2; remove it when they have ended, or `aliquot cancel` "
            "them");
  EXPECT_TRUE(can_remove(test::SmallState().state, debian(), owner));
  EXPECT_TRUE(can_remove(booting("fedora", std::string(64, 'a')).state, debian(), owner))
      << "under another name";
  EXPECT_TRUE(can_remove(booting("debian", std::string(64, 'b')).state, debian(), owner))
      << "of a time when the name had another content";
}

TEST(ImageAnswers, NameOnlyTheJobsWhoseProgramsTheClientSees) {
  const auto small = booting("debian", std::string(64, 'a'));  // jobs of user id 0
  const auto shown = [&](const Peer& peer) {
    const Sight sight("queue", peer, [](JobId) { return std::nullopt; });
    return image_show_answer(small.state, debian(), sight);
  };
  const std::string other = shown({1001, 1, true, false, true});
  EXPECT_NE(other.find(R"("used_by":[])"), std::string::npos) << other;
  EXPECT_NE(other.find(R"("jobs":2)"), std::string::npos) << other;
  EXPECT_NE(shown({0, 1, true, false, true}).find(R"("used_by":[1,2])"), std::string::npos);
  EXPECT_NE(shown({7, 1, true, true, true}).find(R"("used_by":[1,2])"), std::string::npos) << "an operator";
}

TEST(ImageAnswers, OnlyTheOwnerAndOperatorsRemoveAnImage) {
  const test::SmallState small;
  const auto other = can_remove(small.state, debian(), {1001, 1, true, false});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::forbidden);
  EXPECT_TRUE(can_remove(small.state, debian(), {1001, 1, true, true}));
}

}  // namespace
}  // namespace aliquot
