// How good it is to give a node's free room to a task: the smaller the better. Exact integers.
#pragma once

#include <cstdint>

#include "policies/fitting/node_prospect.hpp"

namespace aliquot {

enum class FitRule : std::uint8_t { best_fit, dot_product, fgd, fgd_fill };

class FitScore {
 public:
  explicit FitScore(FitRule rule) : rule_(rule) {}

  // To be called first; true: other scores than before may come of the same arguments.
  bool follow(const ClusterView& view);

  // Of `tasks` tasks that take the node from one state to the other.
  [[nodiscard]] std::int64_t operator()(const Demand& demand, std::uint32_t tasks, const NodeRest& before,
                                        const NodeRest& after);

 private:
  // In thousandths of the largest node's.
  [[nodiscard]] std::int64_t part_of_cpu(Cpu cpu) const;
  [[nodiscard]] std::int64_t part_of_memory(Memory memory) const;
  [[nodiscard]] std::int64_t part_of_devices(std::int64_t parts) const;

  FitRule rule_;
  NodeProspect prospect_;
  Cpu most_cpu_{1};
  Memory most_memory_{1};
  std::int64_t most_parts_ = 1;
};

}  // namespace aliquot
