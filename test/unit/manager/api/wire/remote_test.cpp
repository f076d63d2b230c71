// Clients of other machines: the real server, libzmq's own CURVE at the other end, and a program in
// between.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <mutex>
#include <utility>

#include "manager/api/wire/tcp_socket.hpp"
#include "manager/api/wire/zmtp.hpp"
#include "monitor/sha256.hpp"
#include "test/unit/manager/api/wire/loopback.hpp"
#include "tools/ctl/client.hpp"

namespace aliquot {
namespace {

using test::Loopback;

constexpr std::uint32_t kNobody = 65534;

int connect_to(const std::string& address) {
  const auto colon = address.rfind(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) throw std::runtime_error("connect");
  return fd;
}

// Passes on what client and server say, and remembers, repeats or changes what the client has said.
class Between {
 public:
  explicit Between(const std::string& server)
      : server_(server), listening_(listen_on_tcp("tcp://127.0.0.1:0").value()) {
    address = own_address(listening_);
    thread_ = std::thread([this] { run(); });
  }
  Between(const Between&) = delete;
  Between& operator=(const Between&) = delete;
  ~Between() {
    stop_ = true;
    thread_.join();
    for (const int fd : {listening_, client_, to_server_})
      if (fd >= 0) close(fd);
  }
  std::string said() {
    const std::lock_guard lock(mutex_);
    return said_;
  }
  // The last piece of the client's again.
  void repeat() {
    const std::lock_guard lock(mutex_);
    ASSERT_EQ(send(to_server_, last_.data(), last_.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(last_.size()));
  }

  std::string address;
  std::atomic<std::size_t> changes_at{SIZE_MAX};  // this byte of what the client says

 private:
  void run() {
    while (!stop_) {
      pollfd fds[] = {{listening_, POLLIN, 0}, {client_, POLLIN, 0}, {to_server_, POLLIN, 0}};
      if (poll(fds, 3, 10) <= 0) continue;
      if (fds[0].revents != 0) begin();
      if (client_ >= 0 && fds[1].revents != 0) pass(client_, to_server_, true);
      if (to_server_ >= 0 && fds[2].revents != 0) pass(to_server_, client_, false);
    }
  }
  void begin() {
    const int fd = accept(listening_, nullptr, nullptr);
    if (std::exchange(was_used_, true)) {
      close(fd);
      return;
    }
    client_ = fd;
    to_server_ = connect_to(server_);
  }
  void pass(int from, int to, bool is_client) {
    char bytes[1 << 16];
    const ssize_t got = read(from, bytes, sizeof bytes);
    if (got <= 0) {
      close(client_);
      close(to_server_);
      client_ = to_server_ = -1;
      return;
    }
    std::string piece(bytes, static_cast<std::size_t>(got));
    if (is_client) {
      const std::lock_guard lock(mutex_);
      const std::size_t at = changes_at;
      if (at >= said_.size() && at < said_.size() + piece.size())
        piece[at - said_.size()] = static_cast<char>(piece[at - said_.size()] ^ 1);
      said_ += piece;
      last_ = piece;
    }
    [[maybe_unused]] const ssize_t put = send(to, piece.data(), piece.size(), MSG_NOSIGNAL);
  }

  const std::string server_;
  const int listening_;
  bool was_used_ = false;  // one connection only
  int client_ = -1;
  int to_server_ = -1;
  std::mutex mutex_;
  std::string said_;
  std::string last_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

ZmtpServerLimits of_many_handshakes() {
  ZmtpServerLimits limits;
  limits.handshakes_per_s = 10'000;
  return limits;
}

class Remote : public testing::Test {
 protected:
  explicit Remote(KeyRole role = KeyRole::user, std::uint32_t rate = 1000)
      : loop_("open", of_many_handshakes(), {{"laptop", {"nobody", role, own_.public_key, 1}}}, rate) {}
  [[nodiscard]] ctl::ClientSettings to(const CurveKeys& own, const CurveKey& server,
                                       const std::string& address) const {
    const std::string at = "tcp://" + address;
    return {at, seconds(5),
            std::make_shared<ctl::RemoteKey>(ctl::RemoteKey{"laptop", at, server, own, "laptop.key"})};
  }
  [[nodiscard]] ctl::ClientSettings to_server() const {
    return to(own_, loop_.server_key, loop_.server->remote_address());
  }
  template <class Holds>
  static bool await(Holds holds) {
    for (int n = 0; n < 1000 && !holds(); ++n) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return holds();
  }
  void await_refused(int count) const {
    EXPECT_TRUE(await([&] { return loop_.refused >= count; })) << loop_.refused;
  }

  CurveKeys own_ = make_keys().value();
  Loopback loop_;
};

TEST_F(Remote, AClientIsItsKeysUser) {
  ctl::Client client(to_server());
  const auto reply = client.ask(Cancel{{7}});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->body,
            "{\"method\":\"cancel\",\"pid\":0,\"uid\":" + std::to_string(kNobody) + ",\"proved\":true}");
  EXPECT_EQ(loop_.refused, 0);
}

TEST_F(Remote, LargeFramesComeAndGo) {
  loop_.answer_bytes = 900'000;
  ctl::Client client(to_server());
  Submit submit;
  submit.archive = std::string(700'000, 'a') + "end";
  submit.submission.program = LinuxCommand{{"true"}, sha256_hex(submit.archive)};
  submit.submission.demand.need = cores(1);
  submit.submission.guest_memory = mebibytes(128);
  submit.submission.demand.memory = mebibytes(128);
  const auto reply = client.ask(submit);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->blob.size(), 900'000U);
}

TEST_F(Remote, AKeyThatIsNotKnownIsRefusedAtOnce) {
  ctl::Client client(to(make_keys().value(), loop_.server_key, loop_.server->remote_address()));
  const auto reply = client.ask(Status{});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::forbidden) << reply.error().message;
  EXPECT_NE(reply.error().message.find("laptop.key"), std::string::npos);
  await_refused(1);
  EXPECT_EQ(loop_.received(), 0U);
}

TEST_F(Remote, APublicKeyAloneIsNoKey) {
  CurveKeys stolen = make_keys().value();
  stolen.public_key = own_.public_key;
  ctl::ClientSettings settings = to(stolen, loop_.server_key, loop_.server->remote_address());
  settings.timeout = seconds(2);
  ctl::Client client(settings);
  EXPECT_FALSE(client.ask(Status{}));
  await_refused(1);
  EXPECT_EQ(loop_.received(), 0U);
}

TEST_F(Remote, AClientKnowsThatTheManagerIsAnother) {
  ctl::Client client(to(own_, make_keys()->public_key, loop_.server->remote_address()));
  const auto reply = client.ask(Status{});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::forbidden) << reply.error().message;
  EXPECT_NE(reply.error().message.find("does not prove"), std::string::npos) << reply.error().message;
}

TEST_F(Remote, NobodyListensWhereThereIsNoManager) {
  loop_.stop();
  const std::string address = loop_.server->remote_address();
  loop_.server.reset();
  ctl::Client client(to(own_, loop_.server_key, address));
  const auto reply = client.ask(Status{});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::unavailable) << reply.error().message;
}

TEST_F(Remote, WithoutEncryptionThereIsNothing) {
  const int fd = connect_to(loop_.server->remote_address());
  const std::string said = zmtp::greeting() + zmtp::ready("DEALER") +
                           zmtp::encode({"ALIQUOT/1", R"({"id":"1","method":"status"})", "{}"});
  ASSERT_EQ(send(fd, said.data(), said.size(), MSG_NOSIGNAL), static_cast<ssize_t>(said.size()));
  await_refused(1);
  close(fd);
  EXPECT_EQ(loop_.received(), 0U);
}

TEST_F(Remote, ARevokedKeyIsOutAtOnce) {
  ctl::Client client(to_server());
  ASSERT_TRUE(client.ask(Cancel{{7}}));
  loop_.revokes = true;
  ASSERT_TRUE(await([&] { return !loop_.revokes; }));
  const auto reply = client.ask(Cancel{{8}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::forbidden) << reply.error().message;
  EXPECT_EQ(loop_.received(), 2U) << "hello and the first";
}

TEST_F(Remote, ARevokedKeyIsOutAfterItsClientWasQuiet) {
  ctl::Client client(to_server());
  ASSERT_TRUE(client.ask(Cancel{{7}}));
  loop_.revokes = true;
  await_refused(1);  // ZeroMQ has connected again, on its own
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto reply = client.ask(Status{});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::forbidden) << reply.error().message;
}

TEST_F(Remote, WhatAnotherClientHasSaidIsOfNoUse) {
  Between between(loop_.server->remote_address());
  {
    ctl::Client client(to(own_, loop_.server_key, between.address));
    ASSERT_TRUE(client.ask(Cancel{{7}}));
  }
  ASSERT_EQ(loop_.received(), 2U);
  const std::string said = between.said();
  const int fd = connect_to(loop_.server->remote_address());
  ASSERT_EQ(send(fd, said.data(), said.size(), MSG_NOSIGNAL), static_cast<ssize_t>(said.size()));
  await_refused(1);
  close(fd);
  EXPECT_EQ(loop_.received(), 2U);
}

TEST_F(Remote, ARepeatedMessageEndsItsConnection) {
  Between between(loop_.server->remote_address());
  ctl::Client client(to(own_, loop_.server_key, between.address));
  ASSERT_TRUE(client.ask(Cancel{{7}}));
  ASSERT_EQ(loop_.received(), 2U);
  between.repeat();
  EXPECT_TRUE(await([&] { return loop_.closed_invalid() == 1; }));
  EXPECT_EQ(loop_.received(), 2U);
  EXPECT_EQ(loop_.refused, 0);
}

TEST_F(Remote, ChangedBytesAreNeverARequest) {
  // The greeting and its padding, HELLO, INITIATE, and the messages after them.
  std::uint64_t answered = 0;
  for (std::size_t at = 10; at < 1000; at += 37) {
    Between between(loop_.server->remote_address());
    between.changes_at = at;
    ctl::ClientSettings settings = to(own_, loop_.server_key, between.address);
    settings.timeout = {300'000};
    ctl::Client client(settings);
    if (client.ask(Cancel{{7}})) ++answered;
  }
  loop_.stop();
  EXPECT_EQ(loop_.server->counters().malformed, 0U) << "nothing that was changed is taken for a request";
  EXPECT_LT(answered, 10U) << "only where padding was changed, or nothing";
  EXPECT_GT(loop_.refused + static_cast<int>(loop_.server->closed().closed_invalid), 15);
}

TEST_F(Remote, EventsArePublishedToSubscribersWithAKey) {
  loop_.publish = true;
  zmq::context_t context;
  zmq::socket_t subscriber(context, zmq::socket_type::sub);
  const auto bytes = [](const CurveKey& key) {
    return std::string_view(reinterpret_cast<const char*>(key.data()), key.size());
  };
  subscriber.set(zmq::sockopt::linger, 0);
  subscriber.set(zmq::sockopt::rcvtimeo, 5000);
  subscriber.set(zmq::sockopt::curve_serverkey, bytes(loop_.server_key));
  subscriber.set(zmq::sockopt::curve_publickey, bytes(own_.public_key));
  subscriber.set(zmq::sockopt::curve_secretkey, bytes(own_.secret_key));
  subscriber.set(zmq::sockopt::subscribe, "job.12.");
  subscriber.connect("tcp://" + loop_.server->remote_events_address());
  zmq::message_t frame;
  std::vector<std::string> frames;
  do {
    ASSERT_TRUE(subscriber.recv(frame));
    frames.push_back(frame.to_string());
  } while (frame.more());
  EXPECT_EQ(frames, (std::vector<std::string>{"job.12.running", "42", R"({"x":1})"}));
}

class Viewer : public Remote {
 protected:
  Viewer() : Remote(KeyRole::viewer) {}
};

TEST_F(Viewer, LooksAndChangesNothing) {
  ctl::Client client(to_server());
  EXPECT_TRUE(client.ask(Status{}));
  EXPECT_TRUE(client.ask(Logs{{7}}));
  const auto reply = client.ask(Cancel{{7}});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::forbidden);
  EXPECT_NE(reply.error().message.find("viewer"), std::string::npos);
}

class Slow : public Remote {
 protected:
  Slow() : Remote(KeyRole::user, 3) {}
};

TEST_F(Slow, AKeyHasSoManyRequestsPerSecond) {
  ctl::Client client(to_server());
  int done = 0;
  Result<Reply> reply;
  do reply = client.ask(Cancel{{7}});
  while (reply && ++done < 50);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::unavailable);
  EXPECT_NE(reply.error().message.find(" ms (api.remote_rate)"), std::string::npos);
  EXPECT_GE(done, 5) << "two seconds' worth at once, one of them for hello";
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  EXPECT_TRUE(client.ask(Cancel{{7}}));
}

}  // namespace
}  // namespace aliquot
