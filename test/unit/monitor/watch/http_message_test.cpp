#include "monitor/http_message.hpp"

#include <gtest/gtest.h>

#include <random>

namespace aliquot {
namespace {

TEST(HttpMessage, ARequestIsReadWithItsParameters) {
  const auto request = parse_http_head("GET /api/v1/why?job=12&x=%41+b HTTP/1.1\r\nHost: here\r\n");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->path, "/api/v1/why");
  EXPECT_EQ(request->parameters.find("job")->second, "12");
  EXPECT_EQ(request->parameters.find("x")->second, "A b");
  EXPECT_TRUE(request->keep_alive);
  EXPECT_FALSE(request->head_only);
}

TEST(HttpMessage, AConnectionIsKeptUnlessTheClientOrABodyForbids) {
  EXPECT_FALSE(parse_http_head("GET / HTTP/1.0\r\n")->keep_alive);
  EXPECT_FALSE(parse_http_head("GET / HTTP/1.1\r\nConnection: Close\r\n")->keep_alive);
  EXPECT_FALSE(parse_http_head("GET / HTTP/1.1\r\nContent-Length: 5\r\n")->keep_alive);
  EXPECT_TRUE(parse_http_head("HEAD / HTTP/1.1\r\n")->head_only);
}

TEST(HttpMessage, WhatIsNoRequestIsAnswered) {
  EXPECT_EQ(parse_http_head("").error().status, 400);
  EXPECT_EQ(parse_http_head("GET /\r\n").error().status, 400);
  EXPECT_EQ(parse_http_head("GET elsewhere HTTP/1.1\r\n").error().status, 400);
  EXPECT_EQ(parse_http_head("PUT / HTTP/1.1\r\n").error().status, 405);
  EXPECT_EQ(parse_http_head("POST / HTTP/1.1\r\n").error().status, 411);
}

TEST(HttpMessage, AnAnswerSaysItsLength) {
  const std::string text = encode_http_answer({200, "text/plain", "abc"}, false, true);
  EXPECT_TRUE(text.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_NE(text.find("Content-Length: 3\r\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("Connection: keep-alive\r\n\r\nabc"));
  EXPECT_TRUE(
      encode_http_answer({404, "text/plain", "abc"}, true, false).ends_with("Connection: close\r\n\r\n"));
}

TEST(HttpMessage, DamagedBytesNeverCrash) {
  std::mt19937 random(20240601);
  const std::string good = "GET /api/v1/why?job=%31&x=y HTTP/1.1\r\nHost: here\r\nConnection: close\r\n";
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = good;
    for (unsigned n = random() % 4 + 1; n > 0; --n)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    damaged.resize(random() % damaged.size() + 1);
    refused += parse_http_head(damaged) ? 0 : 1;
  }
  EXPECT_GT(refused, 5'000);
}

}  // namespace
}  // namespace aliquot
