#include "config/load.hpp"

#include <gtest/gtest.h>

#include "test/unit/config/support.hpp"

namespace aliquot {
namespace {

using test::faults_of;
using test::kNode;
using test::read;

TEST(Load, ASmallestFileGivesTheDefaults) {
  const auto loaded = read(kNode);
  ASSERT_TRUE(loaded) << faults_of(loaded);
  const Settings& s = loaded->settings;
  ASSERT_EQ(s.nodes.size(), 1u);
  EXPECT_EQ(s.nodes[0].name, "n1");
  EXPECT_EQ(s.nodes[0].uri, "qemu:///system");
  EXPECT_EQ(s.nodes[0].speed_ppm, kMillion);
  EXPECT_FALSE(s.nodes[0].memory);
  EXPECT_EQ(s.policy.spec, PolicySettings{}.spec);
  EXPECT_EQ(s.http.port, HttpSettings{}.port);
  EXPECT_EQ(s.api.operators, ApiSettings{}.operators);
}

TEST(Load, AnAccountHasUsersAndGroups) {
  const auto loaded = read(kNode + "api:\n  accounts: ['lab=alice,@physics', 'common=*']\n");
  ASSERT_TRUE(loaded) << faults_of(loaded);
  const auto& accounts = loaded->settings.api.accounts;
  ASSERT_EQ(accounts.size(), 2u);
  EXPECT_EQ(accounts[0], (AccountGrant{"lab", {"alice"}, {"physics"}, false}));
  EXPECT_EQ(accounts[1], (AccountGrant{"common", {}, {}, true}));
  for (const char* wrong : {"lab", "lab=", "=alice", "lab=alice,,bob", "a lab=alice", "lab=@", "lab=a b"})
    EXPECT_FALSE(read(kNode + "api: {accounts: ['" + wrong + "']}\n")) << wrong;
  EXPECT_NE(faults_of(read(kNode + "api: {accounts: ['lab=alice', 'lab=bob']}\n")).find("two entries"),
            std::string::npos);
}

TEST(Load, EveryKindOfValueArrives) {
  const auto loaded = read(
      "cluster: lab-7\n"
      "policy: {spec: GREEDY, mode: off}\n"
      "api:\n  socket_mode: 0600\n  operators: [alice, bob]\n  max_request: 1MiB\n"
      "http: {host: \"::1\", port: 0, status_page: off}\n"
      "hypervisor: {cap_period: 50ms, long_lane: 4, acceleration: 'auto'}\n"
      "log: {journal: \"/tmp/a journal\"}\n"
      "nodes:\n"
      "  - {name: a, uri: 'qemu:///system', speed: 150%, memory: 1.5GiB, reserve: 0B, cores: 2,\n"
      "     reserve_cores: 0.25, idle_watts: 140, full_watts: 480}\n"
      "  - {name: b, uri: 'qemu+ssh://b/system', migrate_uri: 'qemu+tcp://b/system'}\n");
  ASSERT_TRUE(loaded) << faults_of(loaded);
  const Settings& s = loaded->settings;
  EXPECT_EQ(s.cluster, "lab-7");
  EXPECT_EQ(s.policy.mode, "off");
  EXPECT_EQ(s.api.socket_mode, 0600u);
  EXPECT_EQ(s.api.operators, (std::vector<std::string>{"alice", "bob"}));
  EXPECT_EQ(s.api.max_request, mebibytes(1));
  EXPECT_EQ(s.http.host, "::1");
  EXPECT_EQ(s.http.port, 0);
  EXPECT_EQ(s.http.status_page, "off");
  EXPECT_EQ(s.hypervisor.cap_period.raw, 50'000);
  EXPECT_EQ(s.hypervisor.acceleration, "auto");
  EXPECT_EQ(s.log.journal, "/tmp/a journal");
  ASSERT_EQ(s.nodes.size(), 2u);
  EXPECT_EQ(s.nodes[0].speed_ppm, 1'500'000);
  EXPECT_EQ(s.nodes[0].memory, mebibytes(1536));
  EXPECT_EQ(s.nodes[0].cores, 2u);
  EXPECT_EQ(s.nodes[0].reserve_cores.raw, 250'000);
  EXPECT_EQ(draw_of(s.nodes[0], s.power.policy.draw),
            (power::NodeDraw{power::watts(140), power::watts(480), s.power.policy.draw.asleep}));
  EXPECT_EQ(draw_of(s.nodes[1], s.power.policy.draw), s.power.policy.draw);
  EXPECT_EQ(s.nodes[1].migrate_uri, "qemu+tcp://b/system");
}

TEST(Load, ANodeMayBeReachedThroughItsAgent) {
  const std::string key(64, 'a');
  const auto loaded =
      read("nodes:\n  - {name: x, hypervisor: xen, uri: 'agent://n1.x:9760', agent_key: " + key +
           "}\n  - {name: l, uri: 'qemu:///system'}\n");
  ASSERT_TRUE(loaded) << faults_of(loaded);
  EXPECT_EQ(agent_address(loaded->settings.nodes[0]), "n1.x:9760");
  EXPECT_EQ(loaded->settings.nodes[0].agent_key, key);
  EXPECT_EQ(agent_address(loaded->settings.nodes[1]), "");
  for (const char* wrong :
       {"agent://", "agent://:9760", "agent://n:0", "agent://n:65536", "agent://n:9760/x"})
    EXPECT_FALSE(read("nodes: [{name: x, uri: '" + std::string(wrong) + "', agent_key: " + key + "}]\n"))
        << wrong;
}

TEST(Load, RemoteClientsConnectToAnAddressOfThisMachine) {
  for (const char* good :
       {"tcp://192.168.1.10:7447", "tcp://*:7447", "tcp://[::1]:7447", "tcp://127.0.0.1:0"}) {
    const auto loaded = read(kNode + "api:\n  remote: '" + good + "'\n");
    ASSERT_TRUE(loaded) << faults_of(loaded);
    EXPECT_EQ(loaded->settings.api.remote, good);
  }
  EXPECT_EQ(read(kNode)->settings.api.remote, "") << "there are none, unless a site says so";
  for (const char* wrong :
       {"7447", "tcp://", "tcp://:7447", "tcp://n1:7447", "tcp://1.2.3.4", "tcp://1.2.3.4:x",
        "tcp://1.2.3.4:65536", "tcp://[]:1", "udp://1.2.3.4:1", "tcp://1.2.3:1"})
    EXPECT_FALSE(read(kNode + "api:\n  remote: '" + wrong + "'\n")) << wrong;
}

TEST(Load, TheOriginOfEveryValueIsKept) {
  const auto loaded = read(kNode + "http:\n  port: 80\n");
  ASSERT_TRUE(loaded) << faults_of(loaded);
  EXPECT_EQ(loaded->origins.at("http.port"), "a.yaml:5");
  EXPECT_EQ(loaded->origins.at("nodes[0].uri"), "a.yaml:3");
  EXPECT_FALSE(loaded->origins.contains("http.host"));
}

TEST(Load, AllFaultsAreShownTogetherInTheOrderOfTheFile) {
  const auto loaded = read(
      "cluster: my lab\n"
      "htpp: {}\n"
      "nodes:\n"
      "  - name: n1\n    uri: nowhere\n"
      "  - uri: qemu:///system\n    speed: 0\n"
      "policy: {spec: NONE}\n");
  ASSERT_FALSE(loaded);
  std::vector<std::string> keys;
  std::vector<int> lines;
  for (const Fault& fault : loaded.error()) {
    keys.push_back(fault.key);
    lines.push_back(fault.place.line);
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"cluster", "htpp", "nodes[0].uri", "nodes[1].name",
                                            "nodes[1].speed", "policy.spec"}));
  EXPECT_EQ(lines, (std::vector<int>{1, 2, 5, 6, 7, 8}));
}

TEST(Load, AMessageHasFileLineColumnKeyAndTheWayOut) {
  EXPECT_EQ(faults_of(read(kNode + "http:\n  prot: 80\n")),
            "a.yaml:5:3: http.prot: there is no such key (did you mean port?); known here: host, port, "
            "status_page");
}

TEST(Load, TheDefaultPolicyIsCheckedToo) {
  const auto refuse = [](const std::string& spec) -> Result<void> {
    return fail(ErrorKind::invalid_argument, "no " + spec);
  };
  const auto loaded = read_settings(kNode, "a.yaml", refuse);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(faults_of(loaded), "a.yaml: policy.spec: no " + PolicySettings{}.spec);
}

TEST(Load, LineEndsAndAByteOrderMarkOfOtherSystemsAreRead) {
  EXPECT_TRUE(
      read("\xEF\xBB\xBF"
           "nodes:\r\n  - name: n1\r\n    uri: qemu:///system\r\n"));
  EXPECT_TRUE(read("%YAML 1.2\n---\n" + kNode + "...\n"));
}

}  // namespace
}  // namespace aliquot
