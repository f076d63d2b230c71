#include "manager/hypervisor/agent/agent_destructions.hpp"

#include <gtest/gtest.h>

namespace aliquot::agent {
namespace {

const AgentDestructions::Key kKey{OpId{7}, 0};
const Error kRefused{ErrorKind::refused, "no"};

class Destructions : public testing::Test {
 protected:
  void begin(std::vector<NodeId> nodes) {
    destructions_.begin(Destroy{{OpId{7}, JobId{3}, {0, 1}}, NodeId{0}}, std::move(nodes), nullptr);
  }
  std::string said_;
  AgentDestructions destructions_{
      {[this](NodeId node, const Action& action, const std::shared_ptr<const JobSpec>&) {
         EXPECT_EQ(std::get<Destroy>(action).nodes[0], node);
         said_ += std::to_string(node.raw) + "; ";
       },
       [this](AgentDestructions::Key, JobId, std::optional<Error> error) {
         said_ += error ? error->message : "gone";
       }}};
};

TEST_F(Destructions, go_from_node_to_node) {
  begin({{2}, {1}});
  EXPECT_EQ(said_, "1; ");
  destructions_.done(kKey, std::nullopt);
  destructions_.done(kKey, std::nullopt);
  EXPECT_EQ(said_, "1; 2; gone");
  EXPECT_FALSE(destructions_.has(kKey));
}

TEST_F(Destructions, try_every_node_and_report_the_first_failure) {
  begin({{2}, {1}});
  destructions_.done(kKey, kRefused);
  destructions_.done(kKey, std::nullopt);
  EXPECT_EQ(said_, "1; 2; no");
}

}  // namespace
}  // namespace aliquot::agent
