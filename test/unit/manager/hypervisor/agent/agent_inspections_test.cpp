#include "manager/hypervisor/agent/agent_inspections.hpp"

#include <gtest/gtest.h>

namespace aliquot::agent {
namespace {

using Clock = AgentInspections::Clock;
const NodeId kA{0}, kB{1};
const VmQuery kQuery{JobId{5}, 1, 2, {kA, kB}};

class Inspections : public testing::Test {
 protected:
  void found(NodeId node, VmFact fact) {
    Inspected said{kQuery.job, kQuery.task, kQuery.incarnation, fact, {}, {}};
    if (fact == VmFact::running) said.node = node;
    inspections_.found(node, said);
  }
  void ask(std::set<NodeId> nodes, bool all = true) {
    inspections_.begin(kQuery, std::move(nodes), all, Clock::time_point{} + std::chrono::seconds(10));
  }
  std::vector<Inspected> answers_;
  AgentInspections inspections_{
      [this](const VmQuery&, const Inspected& answer) { answers_.push_back(answer); }};
};

TEST_F(Inspections, are_answered_once_all_have_spoken) {
  ask({kA, kB});
  found(kA, VmFact::absent);
  EXPECT_TRUE(answers_.empty());
  found(kB, VmFact::running);
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_EQ(answers_[0].fact, VmFact::running);
  EXPECT_EQ(answers_[0].node, kB);
  found(kB, VmFact::running);
  EXPECT_EQ(answers_.size(), 1U) << "nobody asked";
}

TEST_F(Inspections, a_vm_is_gone_only_if_all_deny_it) {
  ask({kA, kB});
  found(kA, VmFact::absent);
  inspections_.lost(kB, false);
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_EQ(answers_[0].fact, VmFact::unknown);
}

TEST_F(Inspections, a_node_that_is_off_has_no_vm) {
  ask({kA, kB});
  found(kA, VmFact::absent);
  inspections_.lost(kB, true);
  EXPECT_EQ(answers_.at(0).fact, VmFact::absent);
}

TEST_F(Inspections, an_image_proves_nothing_while_a_node_is_silent) {
  ask({kA, kB});
  found(kA, VmFact::saved);
  inspections_.every_second(Clock::time_point{} + std::chrono::seconds(9));
  EXPECT_TRUE(answers_.empty());
  inspections_.every_second(Clock::time_point{} + std::chrono::seconds(10));
  EXPECT_EQ(answers_.at(0).fact, VmFact::unknown);
}

TEST_F(Inspections, an_end_that_is_on_record_is_certain) {
  ask({kA, kB});
  inspections_.lost(kA, false);
  found(kB, VmFact::ended);
  EXPECT_EQ(answers_.at(0).fact, VmFact::ended);
}

TEST_F(Inspections, of_no_node_are_answered_at_once) {
  ask({});
  EXPECT_EQ(answers_.at(0).fact, VmFact::absent);
  ask({}, false);
  EXPECT_EQ(answers_.at(1).fact, VmFact::unknown);
}

TEST_F(Inspections, two_questions_after_one_vm_get_an_answer_each) {
  ask({kA});
  ask({kA});
  found(kA, VmFact::absent);
  EXPECT_EQ(answers_.size(), 1U);
  found(kA, VmFact::saved);
  ASSERT_EQ(answers_.size(), 2U);
  EXPECT_EQ(answers_[1].fact, VmFact::saved);
}

}  // namespace
}  // namespace aliquot::agent
