// From node classes to nodes.
#include "policies/placement/solver/assignment.hpp"

#include <gtest/gtest.h>

#include "policies/placement/model/devices.hpp"
#include "policies/placement/solver/fast.hpp"
#include "test/support/random_system.hpp"
#include "test/support/random_view.hpp"
#include "test/unit/policies/placement/node_resources.hpp"

namespace aliquot::ip {
namespace {

using test::Nodes;
using test::nodes_of;
using test::nodes_with;
using test::one_request;

TEST(Assign, every_node_holds_what_it_is_assigned_and_no_job_gets_a_node_twice) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    test::SystemShape shape;
    shape.most_jobs = 12;
    shape.slices = seed % 2 == 1;
    Instance instance = test::random_system(seed, shape);
    NodeResources nodes;
    for (const NodeClass& c : instance.classes) nodes.emplace_back(c.free);
    test::Dice dice(seed);
    for (std::size_t n = nodes.size(); n > 1; --n)
      std::swap(nodes[n - 1],
                nodes[static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(n) - 1))]);
    const Answer answer = solve_fast(instance);
    const std::vector<NodeAllocation> given = assign(instance, answer, nodes);
    std::vector<std::uint32_t> units(instance.requests.size(), 0);
    std::vector<std::uint32_t> count(instance.requests.size(), 0);
    for (std::size_t s = 0; s < given.size(); ++s) {
      if (s > 0 && given[s].request == given[s - 1].request) {
        ASSERT_LT(given[s - 1].node, given[s].node) << "seed " << seed;
      }
      const Request& r = instance.requests[given[s].request];
      FreeResources& free = *nodes[given[s].node];
      ASSERT_LE(given[s].units * r.cpu, free.cpu) << "seed " << seed;
      ASSERT_TRUE(has_device(free, r, given[s].device)) << "seed " << seed;
      allocate(instance, {given[s]}, nodes);
      units[given[s].request] += given[s].units;
      ++count[given[s].request];
    }
    for (const Chosen& chosen : answer.chosen) {
      ASSERT_EQ(instance.requests[chosen.request].units, units[chosen.request]) << "seed " << seed;
      ASSERT_EQ(chosen.nodes, count[chosen.request]) << "seed " << seed;
    }
  }
}

TEST(Assign, takes_the_smallest_run_that_is_long_enough) {
  NodeResources nodes = nodes_with({{4, 0}, {4, 0}, {4, 0}, {0, 0}, {4, 0}, {4, 0}, {0, 0}, {4, 0}});
  Request r;
  r.units = 8;
  const Instance instance = one_request(nodes, r);
  EXPECT_EQ((Nodes{4, 5}), nodes_of(assign(instance, solve_fast(instance), nodes)));
}

}  // namespace
}  // namespace aliquot::ip
