// What clients can do to the server of the job API, byte by byte, and what it costs: nothing that grows.
#include "manager/api/wire/zmtp_server.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <random>
#include <string>

#include "manager/api/wire/zmtp.hpp"

namespace aliquot {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kLarge = 100U << 10;

int listening_at(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, sizeof name.sun_path - 1);
  if (bind(fd, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0 || listen(fd, 100) != 0)
    throw std::runtime_error("no socket");
  return fd;
}

std::string ready_of_dealer() {
  std::string command("\5READY\13Socket-Type\0\0\0\6DEALER", 28);
  return std::string("\4\x1c", 2) + command;
}

// A peer that writes what it is told to.
class Peer {
 public:
  explicit Peer(const std::string& path) : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path.copy(name.sun_path, sizeof name.sun_path - 1);
    if (connect(fd_, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0)
      throw std::runtime_error("no connection");
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { close(fd_); }

  Peer& greets() { return writes(zmtp::greeting() + ready_of_dealer()); }
  // As far as the server takes it.
  Peer& writes(const std::string& bytes) {
    written_ = 0;
    while (written_ < bytes.size()) {
      const ssize_t put = send(fd_, bytes.data() + written_, bytes.size() - written_, MSG_NOSIGNAL);
      if (put < 0) break;
      written_ += static_cast<std::size_t>(put);
    }
    return *this;
  }
  [[nodiscard]] std::size_t written() const { return written_; }
  std::string reads() {
    char bytes[1 << 16];
    const ssize_t got = read(fd_, bytes, sizeof bytes);
    return got > 0 ? std::string(bytes, static_cast<std::size_t>(got)) : std::string();
  }

 private:
  int fd_;
  std::size_t written_ = 0;
};

class Server : public testing::Test {
 protected:
  explicit Server(ZmtpServerLimits limits = {}) : limits_(limits) {
    limits_.of_user = 4;
    limits_.frame_bytes = kLarge;
    limits_.large_bytes_of_user = kLarge;
    limits_.large_bytes_in_all = 2 * kLarge;
    limits_.unsent_of_connection = 1000;
    limits_.unsent_of_user = 3000;
  }
  ~Server() override { std::filesystem::remove_all(directory_); }
  void opens() { server_.emplace(listening_at(path_), path_, "ROUTER", limits_); }
  // Until the server has nothing to do for a while; its messages.
  std::vector<ZmtpServer::Message> runs(milliseconds quiet = milliseconds(20)) {
    std::vector<ZmtpServer::Message> messages;
    for (;;) {
      while (auto message = server_->next()) messages.push_back(std::move(*message));
      pollfd wait{server_->fd(), POLLIN, 0};
      if (!server_->pending() && poll(&wait, 1, static_cast<int>(quiet.count())) == 0) break;
    }
    while (auto message = server_->next()) messages.push_back(std::move(*message));
    return messages;
  }

  std::string directory_ = std::filesystem::temp_directory_path() / "aliquot-wire-XXXXXX";
  std::string path_ = std::string(mkdtemp(directory_.data())) + "/s.sock";
  ZmtpServerLimits limits_;
  std::optional<ZmtpServer> server_;
};

TEST_F(Server, TakesMessagesHoweverTheyAreCut) {
  opens();
  Peer peer(path_);
  const std::string large(50'000, 'x');
  const std::string said =
      zmtp::greeting() + ready_of_dealer() + zmtp::encode({"a", "", "b"}) + zmtp::encode({"c", large});
  std::vector<ZmtpServer::Message> messages;
  std::mt19937 random(1);
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t size = 1 + random() % (at < 100 ? 7 : 9000);
    peer.writes(said.substr(at, size));
    at += size;
    for (auto& message : runs(milliseconds(0))) messages.push_back(std::move(message));
  }
  ASSERT_EQ(messages.size(), 2U);
  ASSERT_EQ(messages[0].frames.size(), 3U);
  EXPECT_EQ(messages[0].frames[2].bytes, "b");
  ASSERT_EQ(messages[1].frames.size(), 2U);
  EXPECT_EQ(messages[1].frames[1].bytes, large);
  EXPECT_EQ(server_->large_bytes(), large.size()) << "held as long as the message lives";
  messages.clear();
  EXPECT_EQ(server_->large_bytes(), 0U);
  EXPECT_EQ(server_->peer(1)->uid, getuid());
}

TEST_F(Server, ClosesWhatIsNotZmtp) {
  opens();
  for (const std::string& said :
       {std::string(64, 'x'), "GET / HTTP/1.1\r\n" + std::string(64, '\n'),
        zmtp::greeting() + std::string("\0\1x", 3), zmtp::greeting() + ready_of_dealer() + "\x80",
        zmtp::greeting() + ready_of_dealer() + std::string("\2\xff\xff\xff\xff\xff\xff\xff\xff", 9)}) {
    Peer peer(path_);
    peer.writes(said);
    EXPECT_TRUE(runs().empty());
    EXPECT_EQ(server_->size(), 0U) << said.size();
  }
  EXPECT_EQ(server_->counters().closed_invalid, 5U);
}

TEST_F(Server, AMessageOfEndlessFramesIsNotRead) {
  opens();
  Peer peer(path_);
  peer.greets();
  std::string frames;
  for (int i = 0; i < 1000; ++i) frames += std::string("\1\1x", 3);
  peer.writes(frames);
  EXPECT_TRUE(runs().empty());
  EXPECT_EQ(server_->size(), 0U);
}

TEST_F(Server, DamagedBytesNeverCrash) {
  opens();
  const std::string good = zmtp::greeting() + ready_of_dealer() + zmtp::encode({"ALIQUOT/1", "{}", "{}"});
  std::mt19937 random(20240601);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = good;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    Peer peer(path_);
    peer.writes(bytes);
    runs(milliseconds(0));
  }
  EXPECT_GT(server_->counters().closed_invalid, 200U);
}

TEST_F(Server, AUserHasManyConnectionsAndLosesTheOldest) {
  opens();
  std::vector<std::unique_ptr<Peer>> peers;
  for (int i = 0; i < 10; ++i) {
    peers.push_back(std::make_unique<Peer>(path_));
    peers.back()->greets();
    runs();
  }
  EXPECT_EQ(server_->size(), 4U);
  EXPECT_EQ(server_->counters().closed_crowded, 6U);
  EXPECT_TRUE(server_->is_open(10));
}

TEST_F(Server, LargeFramesOfAUserWaitForOneAnother) {
  opens();
  Peer one(path_);
  Peer two(path_);
  const std::string large = zmtp::encode({std::string(kLarge * 3 / 4, 'x')});
  one.greets().writes(large);
  std::vector<ZmtpServer::Message> first = runs();
  ASSERT_EQ(first.size(), 1U);
  two.greets().writes(large);
  EXPECT_TRUE(runs().empty()) << "its memory is the first one's";
  EXPECT_FALSE(server_->pending()) << "nor does it keep the loop awake";
  first.clear();
  EXPECT_TRUE(server_->pending());
  EXPECT_EQ(runs().size(), 1U);
}

TEST_F(Server, AConnectionThatDoesNotReadIsNotRead) {
  opens();
  Peer peer(path_);
  peer.greets();
  runs();
  while (server_->unsent(1) <= limits_.unsent_of_connection) server_->send(1, {std::string(500, 'x')});
  EXPECT_FALSE(server_->is_reading(1));
  peer.writes(zmtp::encode({"more"}));
  EXPECT_TRUE(runs().empty());
  std::size_t read = 0;
  std::vector<ZmtpServer::Message> messages;
  for (int i = 0; i < 1000 && messages.empty(); ++i) {
    read += peer.reads().size();
    messages = runs(milliseconds(1));
  }
  EXPECT_GT(read, 1000U);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_TRUE(server_->is_reading(1));
}

TEST_F(Server, WhatAUserDoesNotReadHoldsUpItsOtherConnectionsAndNoOtherUser) {
  limits_.unsent_of_connection = 1'000'000;
  opens();
  Peer slow(path_);
  Peer other(path_);
  slow.greets();
  other.greets();
  runs();
  while (server_->unsent(1) <= limits_.unsent_of_user) server_->send(1, {std::string(500, 'x')});
  EXPECT_FALSE(server_->is_reading(1));
  EXPECT_FALSE(server_->is_reading(2)) << "of the same user";
}

class Overdue : public Server {
 protected:
  Overdue() {
    limits_.to_greet = limits_.to_complete = limits_.to_read = milliseconds(150);
    opens();
  }
  // Until there is no connection; the longest that any deadline here takes, many times over.
  void await_end() {
    for (int i = 0; i < 500 && server_->size() > 0; ++i) runs(milliseconds(20));
    EXPECT_EQ(server_->size(), 0U);
  }
};

TEST_F(Overdue, AHalfGreetingIsClosed) {
  Peer silent(path_);
  Peer half(path_);
  half.writes(zmtp::greeting().substr(0, 30));
  runs(milliseconds(1));
  await_end();
  EXPECT_EQ(server_->counters().closed_overdue, 2U);
}

TEST_F(Overdue, AHalfMessageIsClosedAndAnIdleConnectionIsNot) {
  Peer idle(path_);
  Peer half(path_);
  idle.greets().writes(zmtp::encode({"x"}));
  half.greets().writes(zmtp::encode({"first", std::string(40'000, 'x')}).substr(0, 20'000));
  for (int i = 0; i < 500 && server_->counters().closed_overdue == 0; ++i) runs();
  runs(milliseconds(300));
  EXPECT_TRUE(server_->is_open(1));
  EXPECT_FALSE(server_->is_open(2));
  EXPECT_EQ(server_->large_bytes(), 0U) << "its reservation is free again";
}

TEST_F(Overdue, AnswersThatNoOneReadsAreDropped) {
  Peer peer(path_);
  peer.greets();
  runs();
  for (int i = 0; i < 10; ++i) server_->send(1, {std::string(100'000, 'x')});
  EXPECT_GT(server_->unsent(), 500'000U);
  await_end();
  EXPECT_EQ(server_->unsent(), 0U);
  EXPECT_EQ(server_->counters().closed_unread, 1U);
  EXPECT_GT(server_->counters().messages_unread, 5U);
}

TEST(ByteBudget, GivesEachUserAPart) {
  ByteBudget budget(100, 60);
  EXPECT_FALSE(budget.reserve(1, 61));
  auto one = budget.reserve(1, 60);
  ASSERT_TRUE(one);
  EXPECT_FALSE(budget.reserve(1, 1));
  const auto two = budget.reserve(2, 40);
  EXPECT_TRUE(two);
  EXPECT_FALSE(budget.reserve(3, 1));
  one.reset();
  EXPECT_EQ(budget.held(), 40U);
  EXPECT_TRUE(budget.reserve(3, 60));
}

}  // namespace
}  // namespace aliquot
