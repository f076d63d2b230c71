#include "tools/ctl/daily_message.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace aliquot {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class DailyMessage : public testing::Test {
 protected:
  DailyMessage() {
    std::string name = testing::TempDir() + "daily_message_XXXXXX";
    directory_ = mkdtemp(name.data());
    path_ = directory_ + "/state/aliquot/motd";
  }
  ~DailyMessage() override { fs::remove_all(directory_); }
  [[nodiscard]] std::string shown(const json& answer) const { return ctl::message_to_show(answer, path_); }
  void age(std::chrono::minutes by) const {
    fs::last_write_time(path_, fs::file_time_type::clock::now() - by);
  }

  std::string directory_;
  std::string path_;
};

TEST_F(DailyMessage, IsShownOnceADay) {
  const json answer{{"motd", "all well"}};
  EXPECT_EQ(shown(answer), "all well");
  EXPECT_EQ(shown(answer), "");
  age(std::chrono::minutes(23 * 60));
  EXPECT_EQ(shown(answer), "");
  age(std::chrono::minutes(25 * 60));
  EXPECT_EQ(shown(answer), "all well");
  EXPECT_EQ(shown(answer), "");
  age(std::chrono::minutes(-5));
  EXPECT_EQ(shown(answer), "all well") << "a file of tomorrow would keep it from being shown";
}

TEST_F(DailyMessage, IsShownAtOnceIfItIsAnotherOne) {
  EXPECT_EQ(shown({{"motd", "all well"}}), "all well");
  EXPECT_EQ(shown({{"motd", "not well"}}), "not well");
  EXPECT_EQ(shown({{"motd", "not well"}}), "");
}

TEST_F(DailyMessage, IsNotThereInMostAnswers) {
  EXPECT_EQ(shown(json::object()), "");
  EXPECT_EQ(shown({{"motd", nullptr}}), "");
  EXPECT_FALSE(fs::exists(path_)) << "nothing has been shown";
}

TEST_F(DailyMessage, IsAlwaysShownWhereNothingCanBeRemembered) {
  EXPECT_EQ(ctl::message_to_show({{"motd", "all well"}}, ""), "all well");
  EXPECT_EQ(ctl::message_to_show({{"motd", "all well"}}, ""), "all well");
  EXPECT_EQ(ctl::message_to_show({{"motd", "all well"}}, "/proc/none/motd"), "all well");
}

TEST(DailyMessagePath, IsOfTheUser) {
  EXPECT_EQ(ctl::daily_message_path("/state", "/users/ada"), "/state/aliquot/motd");
  EXPECT_EQ(ctl::daily_message_path("", "/users/ada"), "/users/ada/.local/state/aliquot/motd");
  EXPECT_EQ(ctl::daily_message_path("relative", nullptr), "");
}

}  // namespace
}  // namespace aliquot
