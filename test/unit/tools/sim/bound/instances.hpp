// Small instances of the bound, by hand and by dice.
#pragma once

#include <vector>

#include "test/support/random_view.hpp"
#include "tools/sim/bound/instance.hpp"

namespace aliquot::test {

// Times in seconds, need in tenths of a core, memory in tenths of a node of 4 cores and 1000 bytes.
struct BoundRow {
  double submit, runtime;
  std::uint32_t tasks;
  std::int64_t need, memory;
};

inline Node bound_node(std::uint32_t number, Cpu capacity = cores(4), Memory memory = {1000}) {
  return {NodeId{number}, "n" + std::to_string(number), capacity, memory, NodeState::up, 4};
}

inline std::vector<Node> bound_nodes(std::uint32_t count) {
  std::vector<Node> nodes;
  for (std::uint32_t n = 0; n < count; ++n) nodes.push_back(bound_node(n));
  return nodes;
}

inline BoundInstance bound_instance(const std::vector<BoundRow>& rows, const std::vector<Node>& nodes) {
  std::vector<WorkloadJob> jobs;
  for (const BoundRow& row : rows) {
    WorkloadJob job;
    job.id = {jobs.size() + 1};
    job.submitted = {static_cast<std::int64_t>(row.submit * 1e6)};
    job.submission.demand.tasks = row.tasks;
    job.submission.demand.need = {row.need * kMillion / 10};
    job.submission.demand.memory = {row.memory * 100};
    job.submission.alone = {static_cast<std::int64_t>(row.runtime * 1e6)};
    jobs.push_back(job);
  }
  return make_instance(jobs, nodes);
}

inline BoundInstance random_instance(Dice& dice, std::int64_t most_jobs) {
  const auto nodes = static_cast<std::uint32_t>(dice.between(1, 4));
  std::vector<BoundRow> rows;
  double submit = 0;
  for (std::int64_t j = dice.between(1, most_jobs); j > 0; --j) {
    submit += static_cast<double>(dice.between(0, 60));
    const auto tasks = static_cast<std::uint32_t>(dice.between(1, nodes));
    rows.push_back({submit, static_cast<double>(dice.between(1, 300)), tasks, dice.between(1, 40),
                    dice.between(1, 10)});
  }
  return bound_instance(rows, bound_nodes(nodes));
}

}  // namespace aliquot::test
