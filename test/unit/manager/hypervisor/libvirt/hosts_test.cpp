// A node is known by its host: two nodes are not one host, and a node does not become another host unasked.
#include "manager/hypervisor/hosts.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

constexpr NodeId kA{0}, kB{1};

class HostsOfNodes : public testing::Test {
 protected:
  HostsOfNodes() {
    hosts_.set(kA, "a", "");
    hosts_.set(kB, "b", "");
  }
  std::string refusal(NodeId node, const std::string& host) {
    const auto admitted = hosts_.admit(node, host);
    return admitted ? "" : admitted.error().message;
  }

  std::vector<std::pair<NodeId, std::string>> learned_;
  std::vector<std::pair<NodeId, NodeId>> same_;
  Hosts hosts_{{[this](NodeId node, const std::string& host) { learned_.emplace_back(node, host); },
                [this](NodeId node, NodeId same) { same_.emplace_back(node, same); }}};
};

TEST_F(HostsOfNodes, ANodeBecomesTheHostThatAnswersFirst) {
  EXPECT_EQ(refusal(kA, "h1"), "");
  EXPECT_EQ(refusal(kA, "h1"), "");
  EXPECT_EQ(learned_, (std::vector<std::pair<NodeId, std::string>>{{kA, "h1"}})) << "told once";
}

TEST_F(HostsOfNodes, AnotherHostUnderItsNameIsRefusedUntilItIsAccepted) {
  EXPECT_EQ(refusal(kA, "h1"), "");
  const std::string said = refusal(kA, "h2");
  for (const char* part : {"node a", "h1", "h2", "aliquot node accept-host a"})
    EXPECT_NE(said.find(part), std::string::npos) << said;
  hosts_.set(kA, "a", "");
  EXPECT_EQ(refusal(kA, "h2"), "");
}

TEST_F(HostsOfNodes, TheSecondNodeOfAHostIsRefused) {
  EXPECT_EQ(refusal(kA, "h1"), "");
  const std::string said = refusal(kB, "h1");
  for (const char* part : {"node b", "h1", "is node a already"})
    EXPECT_NE(said.find(part), std::string::npos) << said;
  EXPECT_EQ(same_, (std::vector<std::pair<NodeId, NodeId>>{{kB, kA}}));
  hosts_.remove(kA);
  EXPECT_EQ(refusal(kB, "h1"), "") << "the first is gone";
}

TEST_F(HostsOfNodes, ALibvirtThatTellsNoUuidIsTaken) {
  EXPECT_EQ(refusal(kA, ""), "");
  EXPECT_EQ(refusal(kB, ""), "");
  EXPECT_TRUE(learned_.empty());
}

}  // namespace
}  // namespace aliquot
