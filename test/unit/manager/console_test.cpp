// The console's way to the loop: what is refused at once, what waits and for how long, when pictures are
// made.
#include "manager/page/console.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace aliquot {
namespace {

using Clock = std::chrono::steady_clock;

class WebConsole : public testing::Test {
 protected:
  WebConsole() : pages_(console_.pages()) {}
  ~WebConsole() override { stop_loop(); }
  void run_loop() {
    loop_ = std::thread([this] {
      while (!stopped_) {
        for (Message& message : inbox_.drain()) std::get<Continuation>(message).run();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  void stop_loop() {
    stopped_ = true;
    if (loop_.joinable()) loop_.join();
  }
  [[nodiscard]] const HttpPage& page(const std::string& path) const {
    return *std::ranges::find(pages_, path, &HttpPage::path);
  }
  [[nodiscard]] HttpAnswer post(const std::string& path, const HttpPosted& posted) const {
    return page(path).post(posted);
  }
  static HttpPosted good() {
    HttpPosted posted;
    posted.head.authorization = "Bearer alq_1";
    posted.head.host = "localhost:9750";
    posted.head.parameters = {{"method", "cancel"}, {"what", "why"}, {"job", "7"}};
    posted.body = R"({"job":7})";
    posted.address = "127.0.0.1:1";
    posted.from_here = true;
    return posted;
  }

  Inbox inbox_;
  std::atomic<int> pictures_{0};
  std::vector<WebRequest> acted_;  // of the loop
  Reply reply_{{}, R"({"done":"cancelled"})"};
  Console console_{
      inbox_,
      {[this] { return "{\"picture\":" + std::to_string(++pictures_) + "}"; },
       [] { return std::uint64_t{41}; }, [](JobId) { return std::string("{}"); },
       [](const std::string& name) { return "{\"node\":\"" + name + "\"}"; },
       [] { return std::string("{}"); }, [] { return std::string("{}"); },
       [](const WebRequest& request) { return request.token + " " + request.method + " " + request.body; },
       [this](const WebRequest& request, const WebClients::Answered& answered) {
         acted_.push_back(request);
         answered(reply_);
       }}};
  std::vector<HttpPage> pages_;
  std::atomic<bool> stopped_{false};
  std::thread loop_;
};

TEST_F(WebConsole, ARequestIsHandedOnAndAnswered) {
  run_loop();
  const HttpAnswer answer = post("/api/v1/request", good());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, reply_.body);
  EXPECT_EQ(post("/api/v1/read", good()).body, "alq_1 why 7");
  reply_ = Reply{Error{ErrorKind::conflict, "job 7 has ended already"}};
  const HttpAnswer refused = post("/api/v1/request", good());
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.body, R"({"error":"conflict","message":"job 7 has ended already"})");
  stop_loop();
  ASSERT_EQ(acted_.size(), 2U);
  EXPECT_EQ(acted_[0].token, "alq_1");
  EXPECT_EQ(acted_[0].method, "cancel");
  EXPECT_EQ(acted_[0].body, R"({"job":7})");
  EXPECT_EQ(acted_[0].address, "127.0.0.1:1");
}

TEST_F(WebConsole, WhatIsNotFromThisPageOrThisMachineIsRefused) {
  run_loop();
  for (const char* path : {"/api/v1/request", "/api/v1/read"}) {
    HttpPosted posted = good();
    posted.from_here = false;
    EXPECT_EQ(post(path, posted).status, 403);
    EXPECT_NE(post(path, posted).body.find("TLS"), std::string::npos) << "the way out is named";
    for (const char* origin : {"null", "http://localhost:9751", "https://localhost", "localhost:9750",
                               "http://localhost:9750/"}) {
      posted = good();
      posted.head.origin = origin;
      EXPECT_EQ(post(path, posted).status, 403) << origin;
    }
    for (const char* origin : {"http://localhost:9750", "https://localhost:9750"}) {
      posted = good();
      posted.head.origin = origin;
      EXPECT_EQ(post(path, posted).status, 200) << origin;
    }
    for (const char* authorization : {"", "Bearer", "Bearer ", "Basic YTpi", "alq_1"}) {
      posted = good();
      posted.head.authorization = authorization;
      EXPECT_EQ(post(path, posted).status, 401) << authorization;
    }
  }
  stop_loop();
  EXPECT_EQ(acted_.size(), 2U);
}

TEST_F(WebConsole, TwoWaitForTheLoopAndNoneOnceItIsGone) {
  std::vector<std::thread> waiting;
  std::atomic<int> unanswered{0};
  for (int i = 0; i < 2; ++i)
    waiting.emplace_back([this, &unanswered] {
      const int status = post("/api/v1/request", good()).status;
      if (status == 504) ++unanswered;
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto begun = Clock::now();
  EXPECT_EQ(page("/api/v1/status").answer({}).status, 503);
  EXPECT_LT(Clock::now() - begun, std::chrono::milliseconds(500)) << "it does not wait";
  console_.stop();
  for (std::thread& each : waiting) each.join();
  EXPECT_LT(Clock::now() - begun, std::chrono::seconds(1));
  EXPECT_EQ(unanswered, 2);
}

TEST_F(WebConsole, PicturesAreMadeForReadersAndNotMoreOftenThanTheyAreOfUse) {
  run_loop();
  LiveFeed& feed = *page("/api/events").feed;
  for (int i = 0; i < 50; ++i) console_.changed();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(pictures_, 0) << "none reads";
  feed.reader_came();
  const auto begun = Clock::now();
  while (!feed.newest() && Clock::now() - begun < std::chrono::seconds(5))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_TRUE(feed.newest());
  EXPECT_EQ(feed.newest()->id, "41");
  EXPECT_EQ(feed.newest()->text, "id: 41\ndata: {\"picture\":1}\n\n");
  const auto since = Clock::now();
  while (Clock::now() - since < std::chrono::seconds(1)) {
    console_.changed();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_GE(pictures_, 2);
  EXPECT_LE(pictures_, 6) << "at most four in a second";
}

}  // namespace
}  // namespace aliquot
