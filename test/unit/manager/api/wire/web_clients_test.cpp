// Requests with a token: the same checks, rates and records as those of the sockets.
#include "manager/api/wire/web_clients.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>

#include "manager/api/wire/job_server.hpp"
#include "monitor/sha256.hpp"

namespace aliquot {
namespace {

constexpr std::uint32_t kRate = 5;

class Web : public testing::Test {
 protected:
  Web() {
    settings_.socket = directory_ + "/api.sock";
    settings_.events = directory_ + "/events.sock";
    settings_.privacy = "open";
    settings_.remote_rate = kRate;
    settings_.operators = {"nobody"};
    server_ = JobServer::open(settings_, directory_ + "/keys").value();
    add("oper", KeyRole::operating, std::time(nullptr) + 100);
    add("look", KeyRole::viewer, std::time(nullptr) + 100);
    server_->on_answer([this](const AnsweredRequest& request) {
      recorded_.push_back(request.facts.key + " " + request.method + " " + request.facts.object + " " +
                          request.code);
    });
    server_->on_refused([this](const std::string& address, const std::string& why) {
      refused_.push_back(address + " " + why);
    });
  }
  ~Web() override {
    server_.reset();
    std::filesystem::remove_all(directory_);
  }
  void add(const std::string& name, KeyRole role, std::int64_t expires) {
    ASSERT_TRUE(server_->keys().add(
        name, {"nobody", role, {}, std::time(nullptr), expires, sha256_hex("alq_" + name)}));
  }
  // What the manager's handler does.
  Reply ask(const std::string& token, const std::string& method, const std::string& body) {
    std::optional<Reply> got;
    server_->take_web(
        {token, method, body, "127.0.0.1:99"},
        [this](const Incoming& incoming) {
          peer_ = incoming.peer;
          EXPECT_TRUE(server_->is_reading(incoming.client));
          EXPECT_FALSE(server_->has_left(incoming.client));
          EXPECT_TRUE(incoming.header.deadline_ms);
          const auto allowed = authorize(incoming.request, incoming.peer, 1);
          server_->reply(incoming.client, allowed ? Reply{{}, R"({"done":1})"} : Reply{allowed.error()});
        },
        [&got](const Reply& reply) {
          EXPECT_FALSE(got) << "answered once";
          got = reply;
        });
    EXPECT_TRUE(got);
    return got.value_or(Reply{});
  }

  std::string directory_ = [] {
    std::string name = "/tmp/aliquot-web-XXXXXX";
    return std::string(mkdtemp(name.data()));
  }();
  ApiSettings settings_;
  std::unique_ptr<JobServer> server_;
  Peer peer_;
  std::vector<std::string> recorded_;
  std::vector<std::string> refused_;
};

TEST_F(Web, ATokenActsForItsUserWithinItsRole) {
  EXPECT_EQ(ask("alq_oper", "cancel", R"({"job":7})").body, R"({"done":1})");
  EXPECT_EQ(peer_.key, "oper");
  EXPECT_EQ(peer_.address, "127.0.0.1:99");
  EXPECT_TRUE(peer_.is_proved && peer_.is_operator);
  const Reply refused = ask("alq_look", "cancel", R"({"job":7})");
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->kind, ErrorKind::forbidden);
  EXPECT_NE(refused.error->message.find("viewer"), std::string::npos);
  EXPECT_EQ(recorded_, (std::vector<std::string>{"oper cancel job 7 ok", "look cancel job 7 forbidden"}));
}

TEST_F(Web, AnUnknownRevokedOrExpiredTokenIsRefusedAndRecorded) {
  add("late", KeyRole::operating, std::time(nullptr));
  for (const char* token : {"", "oper", "alq_", "alq_nobody", "alq_late"})
    EXPECT_EQ(ask(token, "cancel", R"({"job":7})").error->kind, ErrorKind::forbidden) << token;
  ASSERT_TRUE(server_->keys().revoke("oper"));
  EXPECT_NE(ask("alq_oper", "cancel", R"({"job":7})").error->message.find("revoked"), std::string::npos);
  EXPECT_EQ(refused_.size(), 6U);
  EXPECT_TRUE(refused_.back().starts_with("127.0.0.1:99 ")) << refused_.back();
  EXPECT_TRUE(recorded_.empty());
}

TEST_F(Web, WhatTheConsoleDoesNotDoIsRefused) {
  EXPECT_EQ(ask("alq_oper", "cancel", R"({"job":0})").error->kind, ErrorKind::invalid_argument);
  EXPECT_EQ(ask("alq_oper", "cancel", R"({"job":7,"more":1})").error->kind, ErrorKind::invalid_argument);
  EXPECT_TRUE(ask("alq_oper", "cancel", "x").error);
  EXPECT_TRUE(ask("alq_oper", "nothing", "{}").error);
  for (const char* method : {"key.list", "mode.show", "node.orphans"})
    EXPECT_NE(ask("alq_look", method, "{}").error->message.find("not for the console"), std::string::npos)
        << method;
}

TEST_F(Web, AKeyHasSoManyRequestsPerSecond) {
  for (std::uint32_t i = 0; i < 2 * kRate; ++i) EXPECT_FALSE(ask("alq_oper", "hello", "{}").error);
  const Reply reply = ask("alq_oper", "hello", "{}");
  ASSERT_TRUE(reply.error);
  EXPECT_EQ(reply.error->kind, ErrorKind::unavailable);
  EXPECT_NE(reply.error->message.find("wait"), std::string::npos);
  EXPECT_FALSE(ask("alq_look", "hello", "{}").error) << "another key has its own";
}

TEST_F(Web, AnAnswerComesOnceAndLateOnesAreForgotten) {
  WebClients clients(1);
  int answers = 0;
  const ConnectionId id = clients.await([&answers](const Reply&) { ++answers; });
  EXPECT_GT(id, WebClients::kFrom);
  clients.answer(id, {});
  clients.answer(id, {});
  clients.answer(id + 1, {});
  EXPECT_EQ(answers, 1);
}

}  // namespace
}  // namespace aliquot
