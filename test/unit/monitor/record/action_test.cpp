#include "monitor/record/action.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

TaskNodes each(std::initializer_list<std::uint32_t> raw) {
  TaskNodes nodes = NodeId{*raw.begin()};
  std::uint32_t count = 0;
  for (const std::uint32_t node : raw)
    if (count++ > 0) nodes.append(count - 1, NodeId{node}, raw.size());
  return nodes;
}

TEST(task_nodes, say_once_what_is_the_same_for_all) {
  EXPECT_TRUE(each({3, 3, 3}).is_one());
  EXPECT_EQ(each({3, 3, 3}), TaskNodes(NodeId{3}));
  const TaskNodes nodes = each({3, 3, 5, 3});
  EXPECT_EQ(nodes.each(), (std::vector<NodeId>{{3}, {3}, {5}, {3}}));
  EXPECT_EQ(nodes[2], NodeId{5});
  EXPECT_EQ(nodes[3], NodeId{3});
}

TEST(action, for_one_of_its_tasks_keeps_that_tasks_node) {
  const Action create = Create{{{9}, {1}, {4, 3}}, each({0, 2, 2}), kFullYield};
  const auto one = std::get<Create>(for_task(create, 5));
  EXPECT_EQ(one.op, OpId{9});
  EXPECT_EQ(one.tasks, (TaskRun{5, 1}));
  EXPECT_EQ(one.nodes, TaskNodes(NodeId{2}));
  EXPECT_EQ(one.yield, kFullYield);
}

}  // namespace
}  // namespace aliquot
