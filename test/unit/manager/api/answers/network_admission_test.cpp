// Which network a job gets, and what its tasks are charged for their bandwidth.
#include "manager/api/answers/network_admission.hpp"

#include <gtest/gtest.h>

#include "manager/api/wire/protocol.hpp"
#include "test/unit/manager/api/answers/good_submission.hpp"

namespace aliquot {
namespace {

using namespace test;

std::string network_of(const Submit& asked, const std::string& jobs) {
  const auto given = network_to_give(asked, {jobs, {{0x0ad30000}, 16}, 1450, ""});
  if (!given) return given.error().message;
  return *given ? print_ipv4((*given)->addresses) : "none";
}

TEST(Network, IsGivenAsTheUserAsksOrAsTheSiteHasIt) {
  Submit asked = good();
  asked.submission.demand.tasks = 1;
  for (const char* jobs : {"off", "on-request", "parallel"}) EXPECT_EQ(network_of(asked, jobs), "none");
  asked.submission.demand.tasks = 2;
  EXPECT_EQ(network_of(asked, "on-request"), "none");
  EXPECT_EQ(network_of(asked, "parallel"), "10.211.0.0/16");
  asked.network = "none";
  EXPECT_EQ(network_of(asked, "parallel"), "none");
  asked.network = "job";
  EXPECT_EQ(network_of(asked, "on-request"), "10.211.0.0/16");
  EXPECT_NE(network_of(asked, "off").find("network.jobs is off"), std::string::npos);
}

TEST(Network, OfAJobThatGrowsHasAnAddressForEachNumberOfItsTasks) {
  Submit asked = good();
  asked.submission.demand.tasks = 1;
  asked.submission.profile = {{seconds(60), 4}, {seconds(120), 2}, {seconds(180), 4}};
  EXPECT_EQ(network_of(asked, "parallel"), "10.211.0.0/16");
  asked.submission.profile[0].tasks = 70'000;
  EXPECT_NE(network_of(asked, "parallel").find("the job has 70002 tasks, and"), std::string::npos);
  asked.submission.profile[0].tasks = 4;
  asked.submission.network = JobNetwork{{{0x0ad30000}, 29}, 1450};
  EXPECT_EQ(answer(asked, {test::node(0, 2, 100'000)}), "taken");
  asked.submission.profile[2].tasks = 5;
  EXPECT_EQ(answer(asked, {test::node(0, 2, 100'000)}),
            "the job would give its tasks 7 numbers, and its network has addresses for 6: the number of a "
            "task that has left is not given again; submit another job");
}

TEST(Network, IsNotForHashChainsNorForMoreTasksThanAddresses) {
  Submit asked = good();
  asked.submission.demand.tasks = 70'000;
  EXPECT_NE(network_of(asked, "parallel").find("addresses for 65534"), std::string::npos);
  asked.submission.demand.tasks = 2;
  run(asked, HashChain{1, 1});
  EXPECT_EQ(network_of(asked, "parallel"), "none");
  asked.network = "job";
  EXPECT_EQ(network_of(asked, "parallel"), "a hash chain cannot use a network; leave --network out");
}

TEST(Network, NeedsTheAddressesOfSeveralNodesAndLibvirt) {
  std::vector<Node> nodes{test::node(0, 2, 1000), test::node(1, 2, 1000), test::node(2, 2, 1000)};
  Submit asked = good();
  asked.submission.network = JobNetwork{{{0x0ad30000}, 16}, 1450};
  EXPECT_EQ(charged(asked.submission, rules(), 0, {}).demand.hypervisor, HypervisorKind::libvirt);
  EXPECT_EQ(answer(asked, {nodes[0]}), "taken") << "all its VMs are on one node";
  nodes[1].address = "10.0.0.2";
  EXPECT_EQ(
      answer(asked, nodes),
      "the job asks for a network, and the configuration gives no `address` for the node n0 and 1 more; "
      "an operator adds it, or give --network none");
  for (Node& node : nodes) node.address = "10.0.0." + std::to_string(node.id.raw);
  EXPECT_EQ(answer(asked, nodes), "taken");
}

TEST(Network, OfTheSiteIsItsBridgeWhereTheSiteNamesOne) {
  Submit asked = good();
  asked.network = "site";
  EXPECT_NE(network_of(asked, "parallel").find("network.site in the configuration"), std::string::npos);
  NetworkSettings site;
  site.site = "br0";
  const auto given = network_to_give(asked, site);
  ASSERT_TRUE(given && *given) << "also where jobs have no networks of their own";
  EXPECT_TRUE((*given)->is_site());
  EXPECT_EQ((*given)->site_bridge, "br0");
  run(asked, HashChain{1, 1});
  EXPECT_FALSE(network_to_give(asked, site));
}

TEST(Network, OfTheSiteNeedsLibvirtButNoAddressesOfNodes) {
  Submit asked = good();
  asked.submission.network.emplace().site_bridge = "br0";
  EXPECT_EQ(answer(asked, {test::node(0, 2, 1000), test::node(1, 2, 1000)}), "taken");
  asked.submission.demand.hypervisor = HypervisorKind::xen;
  EXPECT_EQ(answer(asked, one_node_of_each_kind()),
            "the network of the site can be had on nodes of libvirt only; leave --hypervisor out");
}

// Two nodes of 1000 MiB with this bandwidth.
std::vector<Node> nodes_with_bandwidth(std::int64_t first_mbit, std::int64_t second_mbit) {
  std::vector<Node> nodes{test::node(0, 2, 1000), test::node(1, 2, 1000)};
  nodes[0].bandwidth = {first_mbit * kMillion};
  nodes[1].bandwidth = {second_mbit * kMillion};
  nodes[0].address = "10.0.0.1";
  nodes[1].address = "10.0.0.2";
  return nodes;
}
Submit asks_for(std::int64_t mbit) {
  Submit asked = good();
  asked.submission.network = JobNetwork{{{0x0ad30000}, 16}, 1450};
  asked.submission.network->bandwidth = {mbit * kMillion};
  return asked;
}
Memory charge_of(std::int64_t mbit, const std::vector<Node>& nodes) {
  return charged(asks_for(mbit).submission, rules(), 0, nodes).demand.memory;
}

TEST(Bandwidth, GoesWithANetwork) {
  Submit asked = good();
  asked.bandwidth = {5 * kMillion};
  EXPECT_NE(network_of(asked, "on-request").find("--net goes with a network"), std::string::npos);
  asked.network = "job";
  const auto given = network_to_give(asked, {"on-request", {{0x0ad30000}, 16}, 1450, ""});
  ASSERT_TRUE(given && *given);
  EXPECT_EQ((*given)->bandwidth.raw, 5 * kMillion);
}

TEST(Bandwidth, IsChargedAsTheSamePartOfTheMemory) {
  const Memory uncharged = charge_of(0, nodes_with_bandwidth(100, 100));
  EXPECT_EQ(charge_of(1, nodes_with_bandwidth(100, 100)), uncharged) << "its memory is a larger part";
  EXPECT_EQ(charge_of(50, nodes_with_bandwidth(100, 100)), mebibytes(500));
  EXPECT_EQ(charge_of(50, nodes_with_bandwidth(0, 0)), uncharged) << "it is not counted";
  EXPECT_EQ(charge_of(50, nodes_with_bandwidth(0, 200)), mebibytes(250));
  EXPECT_EQ(charge_of(30, nodes_with_bandwidth(100, 60)), mebibytes(500)) << "of the node with less";
}

TEST(Bandwidth, OfTasksThatFitByMemoryIsNeverMoreThanANodeHas) {
  for (const std::int64_t second : {7, 10, 64, 999})
    for (const std::int64_t mbit : {1, 3, 7}) {
      const std::vector<Node> nodes = nodes_with_bandwidth(10, second);
      const Memory charge = bandwidth_charge({mbit * kMillion}, nodes);
      for (const Node& node : nodes)
        EXPECT_LE(node.memory.raw / charge.raw * mbit, node.bandwidth.raw / kMillion)
            << mbit << " " << second;
    }
}

TEST(Bandwidth, OfANodeWithNextToNoneIsChargedMoreThanThereIs) {
  std::vector<Node> nodes = nodes_with_bandwidth(10, 10);
  nodes[1].bandwidth = {1};
  nodes[1].memory = mebibytes(std::int64_t{32} << 20);
  EXPECT_GT(bandwidth_charge(kMostBandwidth, {nodes[1]}), nodes[1].memory);
}

TEST(Bandwidth, ThatNoNodeHasIsRefused) {
  EXPECT_EQ(answer(asks_for(60), nodes_with_bandwidth(50, 40)),
            "a task asks for a bandwidth of 60Mbit; the node with the most, n0, has 50Mbit: lower --net");
  EXPECT_EQ(
      answer(asks_for(50), nodes_with_bandwidth(100, 10)),
      "a task asks for a bandwidth of 50Mbit, and is charged 5000MiB of memory for it, because the node "
      "n1 has 10Mbit; the largest node, n0, gives 1000MiB: lower --net");
  EXPECT_EQ(answer(asks_for(60), nodes_with_bandwidth(0, 0)), "taken") << "it is not counted";
  Submit with_devices = asks_for(5);
  with_devices.submission.demand.devices.per_node = 1;
  EXPECT_NE(answer(with_devices, nodes_with_bandwidth(50, 50)).find("leave --net out"), std::string::npos);
}

TEST(Bandwidth, TheWireCarriesItAndTheNetwork) {
  Submit asked = good();
  asked.network = "site";
  asked.bandwidth = {5 * kMillion};
  RequestHeader header;
  header.id = "1";
  const auto back = decode_request(encode_request(header, asked));
  ASSERT_TRUE(back) << back.error().error.message;
  EXPECT_EQ(std::get<Submit>(back->request).network, "site");
  EXPECT_EQ(std::get<Submit>(back->request).bandwidth, asked.bandwidth);
  for (const std::int64_t refused : {INT64_C(1), INT64_C(1) << 50}) {
    asked.bandwidth = {refused};
    EXPECT_FALSE(decode_request(encode_request(header, asked))) << refused;
  }
}

}  // namespace
}  // namespace aliquot
