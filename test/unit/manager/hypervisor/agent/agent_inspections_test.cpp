#include "manager/hypervisor/agent/agent_inspections.hpp"

#include <gtest/gtest.h>

namespace aliquot::agent {
namespace {

using Clock = AgentInspections::Clock;
const NodeId kA{0}, kB{1}, kC{2};
const VmQuery kQuery{JobId{5}, 1, 2, {kA, kB}};

class Inspections : public testing::Test {
 protected:
  void found(NodeId node, VmFact fact) {
    Inspected said{kQuery.job, kQuery.task, kQuery.incarnation, fact, {}, {}};
    if (fact == VmFact::running) said.node = node;
    inspections_.found(node, said);
  }
  void ask(std::set<NodeId> nodes, bool all = true) {
    inspections_.begin(kQuery, {std::move(nodes), all, kEnd}, true);
  }
  // One that should exist, and be on node A.
  void search(std::uint64_t job) {
    const VmQuery query{JobId{job}, 1, 2, {kA}, true};
    inspections_.begin(query, {{kA}, true, kEnd}, false);
  }
  void found(std::uint64_t job, NodeId node, VmFact fact) {
    inspections_.found(node, {JobId{job}, 1, 2, fact, {}, {}});
  }

  static constexpr Clock::time_point kEnd{std::chrono::seconds(10)};
  std::vector<Inspected> answers_;
  std::vector<JobId> searched_;
  AgentInspections::Asked others_{{kB, kC}, true, kEnd + std::chrono::seconds(10)};
  AgentInspections inspections_{
      [this](const VmQuery&, const Inspected& answer) { answers_.push_back(answer); },
      [this](const VmQuery& query) {
        searched_.push_back(query.job);
        return others_;
      }};
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

TEST_F(Inspections, of_a_vm_that_is_where_it_should_be_concern_no_other_node) {
  search(5);
  found(5, kA, VmFact::running);
  EXPECT_TRUE(searched_.empty());
  EXPECT_EQ(answers_.at(0).fact, VmFact::running);
}

TEST_F(Inspections, of_a_vm_that_its_node_denies_go_on_to_all_others) {
  search(5);
  found(5, kA, VmFact::saved);
  EXPECT_EQ(searched_, std::vector{JobId{5}});
  EXPECT_TRUE(answers_.empty());
  found(5, kB, VmFact::absent);
  found(5, kC, VmFact::running);
  EXPECT_EQ(answers_.at(0).fact, VmFact::running) << "moved there by another program";
  search(6);
  for (const NodeId node : {kA, kB, kC}) found(6, node, VmFact::absent);
  EXPECT_EQ(answers_.at(1).fact, VmFact::absent);
}

TEST_F(Inspections, a_vm_that_its_node_denies_may_be_on_another_that_is_silent) {
  others_.all = false;
  search(5);
  for (const NodeId node : {kA, kB, kC}) found(5, node, VmFact::absent);
  EXPECT_EQ(answers_.at(0).fact, VmFact::unknown);
  others_.nodes.clear();
  search(6);
  found(6, kA, VmFact::absent);
  EXPECT_EQ(answers_.at(1).fact, VmFact::unknown);
}

TEST_F(Inspections, no_vm_is_searched_for_while_its_node_may_have_it) {
  search(5);
  inspections_.lost(kA, false);
  EXPECT_TRUE(searched_.empty());
  EXPECT_EQ(answers_.at(0).fact, VmFact::unknown);
}

TEST_F(Inspections, search_for_so_many_vms_at_a_time_and_for_all_in_the_end) {
  for (std::uint64_t job = 1; job <= kMostSearches + 2; ++job) search(job);
  for (std::uint64_t job = 1; job <= kMostSearches + 2; ++job) found(job, kA, VmFact::absent);
  EXPECT_EQ(searched_.size(), kMostSearches);
  found(3, kB, VmFact::absent);
  EXPECT_EQ(searched_.size(), kMostSearches);
  found(3, kC, VmFact::absent);
  EXPECT_EQ(searched_.size(), kMostSearches + 1);
  inspections_.every_second(kEnd + std::chrono::seconds(10));
  EXPECT_EQ(searched_.size(), kMostSearches + 2);
  for (const NodeId node : {kB, kC}) found(kMostSearches + 2, node, VmFact::absent);
  EXPECT_EQ(answers_.size(), kMostSearches + 2);
}

}  // namespace
}  // namespace aliquot::agent
