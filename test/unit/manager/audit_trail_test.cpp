// What of the requests of clients gets into the audit log, and what becomes of its newest hash.
#include "manager/audit_trail.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "manager/inbox.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot {
namespace {

class Trail : public testing::Test {
 protected:
  Trail() {
    ApiSettings api;
    api.socket = directory_.file("api.sock");
    api.events = directory_.file("events.sock");
    api.operators.clear();
    server_ = JobServer::open(api, directory_.file("keys")).value();
  }
  std::unique_ptr<AuditTrail> opens(const std::string& known = "") {
    AuditTrail::Parts parts{[this] { return now_us_; }, [this](const std::string& head) { kept_ = head; },
                            [this](LogLevel level, const std::string& line) {
                              if (level == LogLevel::error) said_ += line;
                            }};
    return AuditTrail::open(audit_, std::move(parts), *server_, known, reading_).value();
  }
  [[nodiscard]] std::vector<nlohmann::json> records() const {
    std::vector<nlohmann::json> all;
    const auto take = [&all](const std::string& line) { all.push_back(nlohmann::json::parse(line)); };
    EXPECT_TRUE(audit::verify(audit_, audit::parse_head(kept_), take));
    return all;
  }
  // What the background task has found.
  std::string await_reading() {
    for (int n = 0; n < 1000; ++n) {
      for (Message& message : inbox_.drain())
        if (auto* found = std::get_if<Continuation>(&message)) return found->run(), said_;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return "nothing was read";
  }

  test::TemporaryDirectory directory_;
  const std::string audit_ = directory_.file("audit");
  std::int64_t now_us_ = 1'700'000'000'000'000;
  std::string kept_;
  std::string said_;
  std::unique_ptr<JobServer> server_;
  Inbox inbox_;
  BackgroundTasks reading_{inbox_};
};

const RequestFacts kCancel{1000, 7, "", "", "job 7", true};
const RequestFacts kLook{1000, 7, "", "", "job 7", false};

TEST_F(Trail, RecordsWhatChangesSomethingAndWhatIsForbidden) {
  auto trail = opens();
  trail->answered({"cancel", "ok", {}, kCancel, "{}"});
  trail->answered({"show", "ok", {}, kLook, "{}"});
  trail->answered({"logs", "forbidden", {}, kLook, ""});
  RequestFacts remote = kCancel;
  remote.object = "";
  remote.key = "laptop";
  remote.address = "10.0.0.7:40122";
  trail->answered({"submit", "ok", {}, remote, R"({"dry_run":false,"job":12})"});
  trail.reset();
  const auto lines = records();
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0]["method"], "cancel");
  EXPECT_EQ(lines[1]["code"], "forbidden");
  EXPECT_EQ(lines[2]["object"], "job 12");
  EXPECT_EQ(lines[2]["key"], "laptop");
  EXPECT_EQ(kept_.substr(0, 2), "3:") << "the newest hash";
}

TEST_F(Trail, OfManyRefusalsOfAUserSomeAreLeftOutAndCounted) {
  auto trail = opens();
  for (int i = 0; i < 1000; ++i) trail->answered({"cancel", "not_found", {}, kCancel, ""});
  RequestFacts other = kCancel;
  other.uid = 1001;
  trail->answered({"cancel", "forbidden", {}, other, ""});
  for (int i = 0; i < 200; ++i) trail->answered({"cancel", "ok", {}, kCancel, "{}"});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  trail->answered({"cancel", "not_found", {}, kCancel, ""});
  trail.reset();
  const auto lines = records();
  EXPECT_GE(lines.size(), 302U) << "what was done is never left out, and of another user nothing";
  EXPECT_LT(lines.size(), 350U);
  EXPECT_NE(lines.back().value("why", "").find("refused before it, and left out"), std::string::npos)
      << lines.back();
}

TEST_F(Trail, OfManyFailedHandshakesThereIsOneLineASecond) {
  auto trail = opens();
  for (int i = 0; i < 50; ++i) trail->refused("10.0.0.9:1", "the key is not known");
  now_us_ += 2'000'000;
  trail->refused("10.0.0.9:1", "the key is not known");
  trail.reset();
  const auto lines = records();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1]["why"], "the key is not known; 49 others before it");
}

TEST_F(Trail, ALogWhoseEndWasCutOffIsSaidToBeBroken) {
  opens()->answered({"cancel", "ok", {}, kCancel, "{}"});
  EXPECT_EQ(await_reading(), "");
  opens(kept_)->answered({"cancel", "ok", {}, kCancel, "{}"});
  EXPECT_EQ(await_reading(), "") << "it is whole";
  std::filesystem::remove_all(audit_);
  auto trail = opens(kept_);
  EXPECT_EQ(await_reading(),
            "audit_broken the log ends with line 0, but line 2 is known to have been there: "
            "its end was cut off");
}

TEST_F(Trail, KeepsTheNewestHashOnceAMinute) {
  auto trail = opens();
  trail->every_second();
  trail->answered({"cancel", "ok", {}, kCancel, "{}"});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  trail->every_second();
  EXPECT_EQ(kept_, "");
  now_us_ += 61'000'000;
  for (int n = 0; n < 100 && kept_.empty(); ++n, now_us_ += 61'000'000) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    trail->every_second();
  }
  EXPECT_EQ(kept_.substr(0, 2), "1:");
}

}  // namespace
}  // namespace aliquot
