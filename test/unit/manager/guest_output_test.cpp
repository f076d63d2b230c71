// What a guest writes into the spool is bounded, whichever port it writes to.
#include "manager/guest_output.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "test/unit/manager/store/fixture.hpp"

namespace aliquot {
namespace {

constexpr JobId kJob{7};
constexpr Memory kMost = mebibytes(2);

class GuestOutput : public testing::Test {
 protected:
  GuestOutput() { std::filesystem::create_directories(directory_.file("7")); }
  static void write(const std::string& path, std::size_t bytes) {
    std::ofstream(path, std::ios::app) << std::string(bytes, 'x');
  }
  [[nodiscard]] std::string excess() const {
    return excessive_output(spool_, {kJob, 0, 2}, kMost).value_or("");
  }
  test::TemporaryDirectory directory_;
  Spool spool_{directory_.file("")};
};

TEST_F(GuestOutput, WithinItsBoundsIsKept) {
  EXPECT_EQ(excess(), "") << "nothing is written yet";
  write(spool_.console(kJob, 0), 2 << 20);
  write(spool_.status(kJob, 0, 2), 200);
  EXPECT_EQ(excess(), "");
}

TEST_F(GuestOutput, TheConsoleIsBounded) {
  write(spool_.console(kJob, 0), (3 << 20) + 1);
  EXPECT_EQ(excess(), "task 0 wrote more than limits.max_output (2MiB) to its console");
}

TEST_F(GuestOutput, TheStatusChannelIsBounded) {
  write(spool_.status(kJob, 0, 2), (64 << 10) + 1);
  EXPECT_NE(excess().find("task 0 wrote more than 64KiB to its status channel"), std::string::npos)
      << excess();
}

TEST_F(GuestOutput, TheResultFilesAreBounded) {
  write(spool_.results(kJob, 0), (1 << 20) + 4096);
  EXPECT_EQ(excessive_output(spool_, {kJob, 0, 2, mebibytes(1)}, kMost), std::nullopt);
  write(spool_.results(kJob, 0), 1);
  EXPECT_NE(excessive_output(spool_, {kJob, 0, 2, mebibytes(1)}, kMost), std::nullopt);
}

}  // namespace
}  // namespace aliquot
