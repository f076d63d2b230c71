// Streams of server-sent events, and bodies, on the HTTP server: what readers get, and that they stay
// bounded.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "monitor/http_connection.hpp"
#include "monitor/http_server.hpp"

namespace aliquot {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

class Client {
 public:
  // `host`: of the addresses of this machine, 127.0.0.`host`.
  explicit Client(std::uint16_t port, int receive_buffer = 1 << 20, std::uint32_t host = 1)
      : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const timeval patience{10, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in from{};
    from.sin_family = AF_INET;
    from.sin_addr.s_addr = htonl(0x7F000000U + host);
    if (bind(fd_, reinterpret_cast<sockaddr*>(&from), sizeof from) != 0) throw std::runtime_error("bind");
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) throw std::runtime_error("connect");
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { close(fd_); }
  void send(const std::string& bytes) const {
    EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  void follow(const std::string& last = "") const {
    send("GET /events HTTP/1.1\r\nHost: x\r\n" + (last.empty() ? "" : "Last-Event-ID: " + last + "\r\n") +
         "\r\n");
  }
  // All that has come by the time that this text comes, or the connection is closed.
  std::string read_until(const std::string& text) {
    char bytes[4096];
    while (all_.find(text) == std::string::npos) {
      const ssize_t n = read(fd_, bytes, sizeof bytes);
      if (n <= 0) break;
      all_.append(bytes, static_cast<std::size_t>(n));
    }
    return all_;
  }
  // How long until the server closes the connection, whose bytes are not read meanwhile.
  [[nodiscard]] Clock::duration until_closed() const {
    const auto begun = Clock::now();
    while (Clock::now() - begun < seconds(8)) {
      if (::send(fd_, "x", 1, MSG_NOSIGNAL) < 0) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return Clock::now() - begun;
  }

 private:
  int fd_;
  std::string all_;
};

class Served : public testing::Test {
 protected:
  static HttpLimits limits() {
    HttpLimits limits;
    limits.to_ask = limits.to_read = limits.beat = seconds(1);
    limits.streams = 2;
    limits.connections = 8;
    limits.body_bytes = 1000;
    limits.bodies_bytes = 1500;
    return limits;
  }
  static int listen_here(std::uint16_t& port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof at;
    if (bind(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 || listen(fd, 16) != 0 ||
        getsockname(fd, reinterpret_cast<sockaddr*>(&at), &length) != 0)
      throw std::runtime_error("listen");
    port = ntohs(at.sin_port);
    return fd;
  }
  static std::vector<ServedPage> pages(const std::shared_ptr<LiveFeed>& feed) {
    const auto echo = [](const HttpPosted& posted) {
      return HttpAnswer{200, "text/plain",
                        posted.head.authorization + "|" + posted.head.origin + "|" +
                            (posted.from_here ? "here" : "elsewhere") + "|" + posted.body + ";"};
    };
    return {{"/events", {}, false, {}, feed},
            {"/post", {}, false, echo, {}},
            {"/quick",
             [](const HttpParameters&) {
               return HttpAnswer{200, "text/plain", "quick"};
             },
             true}};
  }
  bool readers(std::size_t count) const {
    for (int tries = 0; tries < 500 && feed_->readers() != count; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return feed_->readers() == count;
  }
  static std::string post(const std::string& head, const std::string& body) {
    return "POST /post HTTP/1.1\r\nHost: x\r\n" + head + "\r\n" + body;
  }

  std::shared_ptr<LiveFeed> feed_ = std::make_shared<LiveFeed>();
  std::uint16_t port_ = 0;
  std::unique_ptr<HttpServer> server_ =
      std::make_unique<HttpServer>(listen_here(port_), pages(feed_), limits());
};

TEST_F(Served, HostsShareTheStreams) {
  feed_->publish("1", "one");
  Client older(port_), newer(port_);
  older.follow();
  older.read_until("one\n\n");
  newer.follow();
  newer.read_until("one\n\n");
  Client third(port_);
  third.follow();
  EXPECT_NE(third.read_until("\r\n\r\n").find("503"), std::string::npos) << "of the same host";
  Client elsewhere(port_, 1 << 20, 2);
  elsewhere.follow();
  EXPECT_NE(elsewhere.read_until("one\n\n").find("200"), std::string::npos);
  feed_->publish("2", "two");
  EXPECT_NE(elsewhere.read_until("two\n\n").find("two"), std::string::npos);
  EXPECT_NE(older.read_until("two\n\n").find("two"), std::string::npos);
  EXPECT_EQ(newer.read_until("two\n\n").find("two"), std::string::npos) << "gave its stream up";
  Client another(port_, 1 << 20, 2);
  another.follow();
  EXPECT_NE(another.read_until("\r\n\r\n").find("503"), std::string::npos) << "each host has one";
}

TEST_F(Served, AReaderGetsTheNewestMessageAndThoseThatFollow) {
  int came = 0;
  feed_->on_reader([&came] { ++came; });
  feed_->publish("1", "one");
  feed_->publish("2", "two");
  Client reader(port_);
  reader.follow();
  const std::string first = reader.read_until("two\n\n");
  EXPECT_NE(first.find("Content-Type: text/event-stream"), std::string::npos);
  EXPECT_EQ(first.find("data: one"), std::string::npos) << "the newest one only";
  EXPECT_NE(first.find("id: 2\ndata: two\n\n"), std::string::npos) << first;
  EXPECT_EQ(came, 1);
  feed_->publish("3", "three");
  EXPECT_NE(reader.read_until("three\n\n").find("id: 3\n"), std::string::npos);
  EXPECT_NE(reader.read_until(": beat\n\n").find(": beat"), std::string::npos)
      << "nothing new, but it stands";
}

TEST_F(Served, AReaderThatComesBackIsNotSentWhatItHas) {
  feed_->publish("7", "seven");
  Client reader(port_);
  reader.follow("7");
  ASSERT_TRUE(readers(1));
  feed_->publish("8", "eight");
  const std::string all = reader.read_until("eight");
  EXPECT_EQ(all.find("seven"), std::string::npos);
  Client behind(port_);
  behind.follow("6");
  EXPECT_NE(behind.read_until("eight").find("eight"), std::string::npos);
}

TEST_F(Served, AReaderThatDoesNotReadIsDropped) {
  Client reader(port_, 4096);
  reader.follow();
  ASSERT_TRUE(readers(1));
  feed_->publish("1", std::string(4 << 20, 'x'));
  EXPECT_LT(reader.until_closed(), seconds(5));
  EXPECT_TRUE(readers(0));
}

TEST_F(Served, SoManyFollowAtOnceAndOthersAreAnsweredStill) {
  Client one(port_), two(port_), three(port_);
  one.follow();
  two.follow();
  ASSERT_TRUE(readers(2));
  three.follow();
  EXPECT_NE(three.read_until("too many").find("HTTP/1.1 503"), std::string::npos);
  for (int i = 0; i < 20; ++i) {  // more than there may be connections
    Client other(port_);
    other.send("GET /quick HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_NE(other.read_until("quick").find("200 OK"), std::string::npos);
  }
  feed_->publish("1", "still here");
  EXPECT_NE(one.read_until("still here").find("still here"), std::string::npos)
      << "no stream went for them";
}

TEST_F(Served, AReaderThatLeavesIsForgotten) {
  {
    Client reader(port_);
    reader.follow();
    ASSERT_TRUE(readers(1));
  }
  EXPECT_TRUE(readers(0));
}

TEST_F(Served, StopsAtOnceThoughReadersFollow) {
  Client reader(port_);
  reader.follow();
  ASSERT_TRUE(readers(1));
  const auto begun = Clock::now();
  server_.reset();
  EXPECT_LT(Clock::now() - begun, std::chrono::milliseconds(900));
  feed_->publish("1", "nobody is there");
}

TEST_F(Served, ABodyIsReadAndWhatFollowsItToo) {
  Client client(port_);
  const std::string head = "Authorization:  Bearer t \r\nOrigin: null\r\nContent-Length: 4\r\n";
  client.send(post(head, "ab"));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  client.send("cd" + post("content-length: 1\r\n", "z"));
  EXPECT_NE(client.read_until("|z;").find("Bearer t|null|here|abcd;"), std::string::npos);
  EXPECT_NE(client.read_until("|z;").find("||here|z;"), std::string::npos);
}

TEST_F(Served, BodiesAreBounded) {
  Client longer(port_);
  longer.send(post("Content-Length: 1001\r\n", ""));
  EXPECT_NE(longer.read_until("too long").find("413"), std::string::npos);
  Client first(port_), second(port_);
  first.send(post("Content-Length: 1000\r\n", "a"));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  second.send(post("Content-Length: 1000\r\n", "b"));
  EXPECT_NE(second.read_until("at once").find("503"), std::string::npos);
  EXPECT_LT(first.until_closed(), seconds(4)) << "a body that does not come is not waited for";
  Client third(port_);
  third.send(post("Content-Length: 1\r\n", "c"));
  EXPECT_NE(third.read_until("|c;").find("200 OK"), std::string::npos) << "its part is free again";
  for (const char* wrong :
       {"", "Content-Length: x\r\n", "Content-Length: -1\r\n", "Transfer-Encoding: chunked\r\n",
        "Content-Length: 1\r\nContent-Length: 1\r\n"}) {
    Client client(port_);
    client.send(post(wrong, ""));
    EXPECT_NE(client.read_until("\r\n\r\n").find("411"), std::string::npos) << wrong;
  }
}

TEST_F(Served, APageIsAskedForAsItIs) {
  Client wrong(port_), other(port_);
  wrong.send("GET /post HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(wrong.read_until("\r\n\r\n").find("405"), std::string::npos);
  Client head(port_);
  head.send("HEAD /events HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(head.read_until("\r\n\r\n").find("405"), std::string::npos);
  other.send("POST /quick HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
  EXPECT_NE(other.read_until("\r\n\r\n").find("405"), std::string::npos);
}

TEST(HttpClient, IsOfThisMachineOnlyOnLoopback) {
  const auto v4 = [](const char* address) {
    sockaddr_storage name{};
    auto& in = reinterpret_cast<sockaddr_in&>(name);
    in.sin_family = AF_INET;
    in.sin_port = htons(7);
    EXPECT_EQ(inet_pton(AF_INET, address, &in.sin_addr), 1);
    return client_of(name);
  };
  const auto v6 = [](const char* address) {
    sockaddr_storage name{};
    auto& in = reinterpret_cast<sockaddr_in6&>(name);
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(7);
    EXPECT_EQ(inet_pton(AF_INET6, address, &in.sin6_addr), 1);
    return client_of(name);
  };
  EXPECT_EQ(v4("127.0.0.1"), std::make_pair(std::string("127.0.0.1:7"), true));
  EXPECT_TRUE(v4("127.9.9.9").second);
  EXPECT_EQ(v4("10.0.0.1"), std::make_pair(std::string("10.0.0.1:7"), false));
  EXPECT_EQ(v6("::1"), std::make_pair(std::string("[::1]:7"), true));
  EXPECT_TRUE(v6("::ffff:127.0.0.1").second);
  EXPECT_FALSE(v6("::ffff:10.0.0.1").second);
  EXPECT_FALSE(v6("fe80::7f00:1").second);
}

}  // namespace
}  // namespace aliquot
