#include "monitor/exposer.hpp"

#include <gtest/gtest.h>
#include <httplib.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

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
  EXPECT_EQ(client.Post("/metrics", "x", "text/plain")->status, 404);
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
