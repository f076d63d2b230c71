// An action as people read it.
#include "monitor/action_parts.hpp"

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

TEST(action, falls_into_runs_of_tasks_on_one_node) {
  const Action migrate = Migrate{{{9}, {1}, {4, 4}}, each({0, 0, 0, 1}), each({2, 2, 3, 3})};
  const std::vector<Action> parts = parts_by_node(migrate);
  ASSERT_EQ(parts.size(), 3U);
  const std::vector<TaskRun> runs{{4, 2}, {6, 1}, {7, 1}};
  const std::vector<std::pair<NodeId, NodeId>> ways{{{0}, {2}}, {{0}, {3}}, {{1}, {3}}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& part = std::get<Migrate>(parts[i]);
    EXPECT_EQ(part.op, OpId{9});
    EXPECT_EQ(part.tasks, runs[i]);
    EXPECT_EQ(std::pair(part.from[0], part.to[0]), ways[i]);
  }
  EXPECT_EQ(parts_by_node(Release{{{9}, {1}, {0, 7}}}).size(), 1U) << "it names no node";
}

}  // namespace
}  // namespace aliquot
