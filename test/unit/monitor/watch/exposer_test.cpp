#include "monitor/exposer.hpp"

#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace aliquot {
namespace {

struct World {
  std::atomic<bool> ready{false};
  ExposerSources sources() {
    return {
        [] { return std::string("up 1\n"); },
        [this] { return ready ? std::nullopt : std::optional<std::string>("the store is being read"); }};
  }
};

using Clock = std::chrono::steady_clock;

// A connection that sends what it is told to and reads when it is told to.
class SlowClient {
 public:
  explicit SlowClient(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int little = 4096;
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) throw std::runtime_error("connect");
  }
  SlowClient(SlowClient&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~SlowClient() {
    if (fd_ >= 0) close(fd_);
  }
  // False: the server has closed the connection.
  [[nodiscard]] bool send(const std::string& bytes) const {
    return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  // All that comes until the server closes the connection.
  [[nodiscard]] std::string read_all() const {
    std::string all;
    char bytes[4096];
    for (ssize_t n = 0; (n = read(fd_, bytes, sizeof bytes)) > 0;)
      all.append(bytes, static_cast<std::size_t>(n));
    return all;
  }

 private:
  int fd_;
};

// The longest of ten requests for /healthz, in milliseconds.
double slowest_health(std::uint16_t port) {
  double slowest = 0;
  for (int i = 0; i < 10; ++i) {
    const auto begun = Clock::now();
    httplib::Client client("127.0.0.1", port);
    client.set_read_timeout(20);
    const auto answer = client.Get("/healthz");
    EXPECT_TRUE(answer) << "no answer";
    slowest = std::max(slowest, std::chrono::duration<double, std::milli>(Clock::now() - begun).count());
  }
  return slowest;
}

TEST(Exposer, HealthIsAnsweredWhileManyClientsSendSlowly) {
  World world;
  const auto exposer = Exposer::open("127.0.0.1", 0, world.sources());
  ASSERT_TRUE(exposer);
  std::vector<SlowClient> slow;
  for (int i = 0; i < 100; ++i) {
    slow.emplace_back((*exposer)->port());
    ASSERT_TRUE(slow.back().send("GET /metrics HTTP/1.1\r\nHost: "));
  }
  EXPECT_LT(slowest_health((*exposer)->port()), 1000);
}

TEST(Exposer, HealthIsAnsweredWhileManyClientsDoNotRead) {
  ExposerSources sources{[] { return std::string(4 << 20, 'x'); }, [] { return std::nullopt; }};
  const auto exposer = Exposer::open("127.0.0.1", 0, std::move(sources));
  ASSERT_TRUE(exposer);
  std::vector<SlowClient> slow;
  for (int i = 0; i < 20; ++i) {
    slow.emplace_back((*exposer)->port());
    ASSERT_TRUE(slow.back().send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"));
  }
  EXPECT_LT(slowest_health((*exposer)->port()), 1000);
}

TEST(Exposer, HealthIsAnsweredWhileAPageTakesLong) {
  ExposerSources sources{[] {
                           std::this_thread::sleep_for(std::chrono::seconds(1));
                           return std::string("late");
                         },
                         [] { return std::nullopt; }};
  const auto exposer = Exposer::open("127.0.0.1", 0, std::move(sources));
  ASSERT_TRUE(exposer);
  std::vector<SlowClient> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back((*exposer)->port());
    ASSERT_TRUE(clients.back().send("GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
  }
  EXPECT_LT(slowest_health((*exposer)->port()), 500);
  for (const SlowClient& client : clients)
    EXPECT_NE(client.read_all().find("HTTP/1.1 "), std::string::npos) << "late or refused, but answered";
}

TEST(Exposer, ARequestThatComesByteByByteIsNotWaitedForAtLength) {
  World world;
  const auto exposer = Exposer::open("127.0.0.1", 0, world.sources());
  ASSERT_TRUE(exposer);
  const SlowClient client((*exposer)->port());
  const auto begun = Clock::now();
  while (client.send("G") && Clock::now() - begun < std::chrono::seconds(12))
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LT(Clock::now() - begun, std::chrono::seconds(8));
}

TEST(Exposer, ServesItsPagesOnOnePort) {
  World world;
  const auto exposer = Exposer::open("127.0.0.1", 0, world.sources());
  ASSERT_TRUE(exposer) << exposer.error().message;
  httplib::Client client("127.0.0.1", (*exposer)->port());
  const auto metrics = client.Get("/metrics");
  ASSERT_TRUE(metrics);
  EXPECT_EQ(metrics->status, 200);
  EXPECT_EQ(metrics->body, "up 1\n");
  EXPECT_EQ(metrics->get_header_value("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(client.Get("/healthz")->body, "ok\n");
  const auto not_ready = client.Get("/readyz");
  EXPECT_EQ(not_ready->status, 503);
  EXPECT_EQ(not_ready->body, "not ready: the store is being read\n");
  world.ready = true;
  EXPECT_EQ(client.Get("/readyz")->status, 200);
  EXPECT_EQ(client.Get("/elsewhere")->status, 404);
  EXPECT_EQ(client.Post("/metrics", "x", "text/plain")->status, 405);
}

TEST(Exposer, AnAddressInUseIsNamedWithTheWayOut) {
  World world;
  const auto first = Exposer::open("127.0.0.1", 0, world.sources());
  ASSERT_TRUE(first);
  const std::uint16_t port = (*first)->port();
  const auto second = Exposer::open("127.0.0.1", port, world.sources());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(second.error().message, "cannot listen on 127.0.0.1:" + std::to_string(port) +
                                        ": another process does; change http.port, or stop that process");
  (*first)->stop();
  EXPECT_TRUE(Exposer::open("127.0.0.1", port, world.sources()));
}

TEST(Exposer, AForeignAddressIsNamedWithTheWayOut) {
  World world;
  const auto foreign = Exposer::open("192.0.2.1", 0, world.sources());
  ASSERT_FALSE(foreign);
  EXPECT_NE(foreign.error().message.find("this machine has no such address; change http.host"),
            std::string::npos)
      << foreign.error().message;
}

TEST(Exposer, StopsThoughAClientKeepsItsConnection) {
  World world;
  const auto exposer = Exposer::open("127.0.0.1", 0, world.sources());
  ASSERT_TRUE(exposer);
  httplib::Client client("127.0.0.1", (*exposer)->port());
  client.set_keep_alive(true);
  ASSERT_TRUE(client.Get("/healthz"));
  const auto before = std::chrono::steady_clock::now();
  (*exposer)->stop();
  (*exposer)->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(8));
  EXPECT_FALSE(client.Get("/healthz"));
}

}  // namespace
}  // namespace aliquot
