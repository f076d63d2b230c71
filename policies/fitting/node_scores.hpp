// The nodes that can take tasks of a job, each with a score: what policies that place one job at a time
// compare.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/fitting/fragmentation.hpp"

namespace aliquot {

enum class FitRule : std::uint8_t { best_fit, dot_product, fgd, fgd_fill };

// A node that can take some tasks of a job, with these devices.
struct ScoredNode {
  std::int64_t score = 0;  // the smaller the better; exact
  std::uint32_t node = 0;
  std::uint32_t tasks = 0;
  DeviceSet devices = 0;
  friend auto operator<=>(const ScoredNode&, const ScoredNode&) = default;
};

// For one decision: begins with what is free in the draft.
class NodeScores {
 public:
  // `fragmentation`: of the view, for the rules of FGD; the others do not use it.
  NodeScores(const Draft& draft, FitRule rule, Fragmentation* fragmentation);

  // By node; none where it can take no task. Of each node the most tasks it can take, at most demand.tasks,
  // and the devices with the best score. The demand's spread is not considered. Valid until the next call.
  [[nodiscard]] const std::vector<std::optional<ScoredNode>>& of(const Demand& demand);

  // Tasks of this demand go to the node.
  void take(std::uint32_t node, const Demand& demand, std::uint32_t tasks, DeviceSet devices);

 private:
  // The scores for one demand.
  struct Column {
    Demand demand;
    std::vector<std::optional<ScoredNode>> nodes;
    std::vector<std::uint32_t> changed;  // nodes whose score is out of date
  };

  [[nodiscard]] std::optional<ScoredNode> best_on(std::uint32_t node, const Demand& demand);
  [[nodiscard]] std::int64_t score(const Demand& demand, std::uint32_t tasks, const FreeOnNode& before,
                                   const FreeOnNode& after);
  // In millionths of the largest node's.
  [[nodiscard]] std::int64_t share_of_cpu(Cpu cpu) const;
  [[nodiscard]] std::int64_t share_of_memory(Memory memory) const;
  [[nodiscard]] std::int64_t share_of_devices(std::int64_t parts) const;

  FitRule rule_;
  Fragmentation* fragmentation_;
  Cpu most_cpu_{1};
  Memory most_memory_{1};
  std::int64_t most_parts_ = 1;
  std::vector<FreeOnNode> free_;  // by node
  std::vector<Column> columns_;
};

}  // namespace aliquot
