#include "manager/hypervisor/libvirt/vm_registry.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

constexpr NodeId kNode{0};
constexpr Uuid kVm{1};
constexpr Uuid kOther{2};

// After a restart of the manager its VMs are not known until they are found.
TEST(VmRegistry, what_is_heard_of_an_unknown_vm_makes_the_search_for_it_stale) {
  VmRegistry registry;
  const std::uint64_t mark = registry.begin_search(kVm);
  EXPECT_FALSE(registry.hear(kVm, kNode, NodeEvent::powered_off)) << "it cannot be interpreted";
  EXPECT_FALSE(registry.end_search(kVm, mark));
}

TEST(VmRegistry, a_search_is_not_stale_by_what_came_before_or_of_another_vm) {
  VmRegistry registry;
  EXPECT_FALSE(registry.hear(kVm, kNode, NodeEvent::started));
  const std::uint64_t mark = registry.begin_search(kVm);
  EXPECT_FALSE(registry.hear(kOther, kNode, NodeEvent::powered_off));
  EXPECT_TRUE(registry.end_search(kVm, mark));
}

TEST(VmRegistry, of_two_searches_only_the_one_that_began_before_an_event_is_stale) {
  VmRegistry registry;
  const std::uint64_t first = registry.begin_search(kVm);
  EXPECT_FALSE(registry.hear(kVm, kNode, NodeEvent::paused));
  const std::uint64_t second = registry.begin_search(kVm);
  EXPECT_FALSE(registry.end_search(kVm, first));
  EXPECT_TRUE(registry.end_search(kVm, second));
}

}  // namespace
}  // namespace aliquot
