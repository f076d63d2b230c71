// Calls with several endpoints, some of which fail, and against a real etcd.
#include "manager/ha/etcd_client.hpp"

#include "test/unit/manager/ha/fake_gateway.hpp"
#include "test/unit/manager/ha/real_etcd.hpp"

namespace aliquot::ha::test {
namespace {

constexpr const char* kGood = R"({"header":{"revision":"5"},"succeeded":true})";

std::string closed_port() { return "http://127.0.0.1:" + std::to_string(free_port()); }

// Takes connections, and never answers.
class SilentEndpoint {
 public:
  SilentEndpoint() {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof name;
    auto* const address = reinterpret_cast<sockaddr*>(&name);
    const bool listens = bind(socket_, address, size) == 0 && listen(socket_, 1) == 0;
    EXPECT_TRUE(listens && getsockname(socket_, address, &size) == 0);
    port_ = ntohs(name.sin_port);
  }
  SilentEndpoint(const SilentEndpoint&) = delete;
  SilentEndpoint& operator=(const SilentEndpoint&) = delete;
  ~SilentEndpoint() { close(socket_); }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  const int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int port_ = 0;
};

TEST(EtcdClient, AsksTheNextEndpointWhereOneFailsAndStaysThere) {
  const FakeGateway good(200, kGood);
  const FakeGateway silent(200, "");
  const FakeGateway without_leader(503, R"({"error":"etcdserver: no leader","code":14})");
  EtcdClient client({{closed_port(), silent.url(), without_leader.url(), good.url()}});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(client.transact({}));
  EXPECT_EQ(good.asked(), 3);
  EXPECT_EQ(without_leader.asked(), 1);
}

TEST(EtcdClient, AsksTheNextEndpointWhereOneIsHandingTheLeadershipOver) {
  const FakeGateway hands_over(500, R"({"error":"raft proposal dropped","code":2})");
  const FakeGateway good(200, kGood);
  EtcdClient client({{hands_over.url(), good.url()}});
  EXPECT_TRUE(client.transact({}));
  EXPECT_EQ(EtcdClient({{hands_over.url()}}).transact({}).error().kind, ErrorKind::unavailable);
}

TEST(EtcdClient, ARefusalIsNotAskedElsewhere) {
  const FakeGateway refuses(400, R"({"error":"etcdserver: request is too large","code":3})");
  const FakeGateway good(200, kGood);
  EtcdClient client({{refuses.url(), good.url()}});
  const auto answer = client.transact({});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::refused);
  EXPECT_NE(answer.error().message.find("too large"), std::string::npos);
  EXPECT_EQ(good.asked(), 0);
}

TEST(EtcdClient, SaysWhichEndpointCouldNotBeReached) {
  const std::string url = closed_port();
  const auto answer = EtcdClient({{url}}).transact({});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::unavailable);
  EXPECT_NE(answer.error().message.find(url), std::string::npos) << answer.error().message;
}

TEST(EtcdClient, WaitsNoLongerThanItsPatience) {
  const SilentEndpoint silent;
  EtcdClient client({.endpoints = {silent.url()}, .patience = Duration{50'000}});
  EXPECT_EQ(client.transact({}).error().kind, ErrorKind::unavailable);
}

TEST(EtcdClient, AsksAnotherEndpointWhileOneIsBusy) {
  const FakeGateway first(200, kGood);
  const FakeGateway second(200, kGood);
  const auto busy = std::make_shared<BusyEndpoint>();
  EtcdClient client({.endpoints = {first.url(), second.url()}, .busy = busy});
  EXPECT_TRUE(client.transact({}));
  busy->set(0);
  EXPECT_TRUE(client.transact({}));
  EXPECT_EQ(first.asked(), 1);
  EXPECT_EQ(second.asked(), 1);
  busy->set(1);
  EXPECT_TRUE(client.transact({}));
  EXPECT_EQ(first.asked(), 2);
}

TEST(EtcdClient, ACallThatIsGivenUpEnds) {
  const SilentEndpoint silent;
  EtcdClient client(
      {.endpoints = {silent.url()}, .patience = seconds(3600), .is_given_up = [] { return true; }});
  EXPECT_FALSE(client.defragment(0));
}

using EtcdClientOnEtcd = OnEtcd;

TEST_F(EtcdClientOnEtcd, WritesReadsAndRemovesKeys) {
  EtcdClient client(etcd().settings());
  const std::string bytes("a\0\xff\n", 4);
  const auto put = client.transact({{{"/t/a", 0}}, {Put{"/t/a", bytes}, Put{"/t/b", "2"}}});
  ASSERT_TRUE(put) << put.error().message;
  EXPECT_TRUE(put->succeeded);
  const auto again = client.transact({{{"/t/a", 0}}, {Put{"/t/a", "x"}}, {Get{"/t/a"}}});
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->succeeded);
  EXPECT_EQ(again->found.at(0).at(0).value, bytes);
  EXPECT_EQ(again->found.at(0).at(0).created, put->revision);
  const auto newest = client.transact(
      {{}, {Get{.key = "/t/", .end = "/t0", .limit = 1, .newest_first = true, .keys_only = true}}});
  EXPECT_EQ(newest->found.at(0).at(0).key, "/t/b");
  EXPECT_TRUE(client.transact({{}, {Erase{"/t/", "/t0"}}}));
  EXPECT_TRUE(client.transact({{}, {Get{"/t/a"}}})->found.at(0).empty());
  EXPECT_TRUE(client.compact(put->revision));
  EXPECT_TRUE(client.compact(put->revision)) << "it is compacted already";
  EXPECT_FALSE(client.statuses().at(0)->version.empty());
}

TEST_F(EtcdClientOnEtcd, AKeyEndsWithItsLease) {
  EtcdClient client(etcd().settings());
  const auto lease = client.grant_lease(60);
  ASSERT_TRUE(lease);
  ASSERT_TRUE(client.transact({{}, {Put{"/l", "1", lease->id}}}));
  EXPECT_EQ(client.keep_alive(lease->id)->ttl_s, 60);
  EXPECT_TRUE(client.revoke_lease(lease->id));
  EXPECT_TRUE(client.transact({{}, {Get{"/l"}}})->found.at(0).empty());
  EXPECT_EQ(client.keep_alive(lease->id)->ttl_s, 0);
}

}  // namespace
}  // namespace aliquot::ha::test
