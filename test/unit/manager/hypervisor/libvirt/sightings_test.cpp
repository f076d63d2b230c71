#include "manager/hypervisor/libvirt/sightings.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

constexpr NodeId kIts{0};
constexpr NodeId kOther{1};
constexpr std::optional<VmFact> kSilent;

VmQuery should_be_on(std::vector<NodeId> nodes, bool was_moved = false) {
  return {{1}, 0, 1, std::move(nodes), true, was_moved};
}

TEST(Sightings, a_vm_that_every_node_denies_is_nowhere) {
  EXPECT_TRUE(is_nowhere(should_be_on({kIts}), {{kIts, VmFact::absent}}));
  EXPECT_TRUE(is_nowhere(should_be_on({kIts}), {{kIts, VmFact::absent}, {kOther, VmFact::absent}}));
}

TEST(Sightings, a_vm_whose_node_is_silent_may_be_there) {
  EXPECT_FALSE(is_nowhere(should_be_on({kIts}), {{kIts, kSilent}, {kOther, VmFact::absent}}));
}

TEST(Sightings, a_vm_that_is_not_on_its_node_may_have_been_moved_to_a_silent_one) {
  EXPECT_FALSE(is_nowhere(should_be_on({kIts}), {{kIts, VmFact::absent}, {kOther, kSilent}}));
}

TEST(Sightings, a_vm_whose_node_is_off_does_not_wait_for_another_silent_node) {
  EXPECT_TRUE(is_nowhere(should_be_on({}), {{kOther, kSilent}}));
}

TEST(Sightings, a_vm_that_was_moved_from_a_node_that_is_off_waits_for_the_silent_ones) {
  EXPECT_FALSE(is_nowhere(should_be_on({}, true), {{kOther, kSilent}}));
}

TEST(Sightings, what_was_found_is_not_nowhere) {
  const std::vector<Sighting> sightings = {{kIts, VmFact::absent}, {kOther, VmFact::running}};
  EXPECT_FALSE(is_nowhere(should_be_on({kIts}), sightings));
  EXPECT_FALSE(is_nowhere(should_be_on({}), {{kOther, VmFact::running}}));
  ASSERT_EQ(found_in(sightings).size(), 1U);
  EXPECT_EQ(found_in(sightings)[0].node, kOther);
}

}  // namespace
}  // namespace aliquot
