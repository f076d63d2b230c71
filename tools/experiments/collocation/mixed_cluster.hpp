// A cluster of several classes of nodes, mixed at a ratio: nodes without GPUs, nodes with GPUs of one
// model, nodes with much memory. After SAGA, the cluster of the CAPE-RM paper (sec. II-A): 6 cores and 24
// GB on each node, 64 GB on those with much, two GPUs where there are any.
#pragma once

#include <string>
#include <vector>

#include "policies/model/error.hpp"
#include "tools/sim/cluster_shape.hpp"

namespace aliquot::collocation {

inline constexpr std::uint32_t kCores = 6;
inline constexpr std::uint32_t kGpusPerNode = 2;
inline constexpr Memory kMemory{24'000'000'000};
inline constexpr Memory kMuchMemory{64'000'000'000};

struct NodeClass {
  std::string name;          // "cpu", "memory", or the model of its GPUs
  std::uint32_t weight = 1;  // against the other classes

  [[nodiscard]] bool has_gpus() const { return name != "cpu" && name != "memory"; }
};

// "cpu:2,M2090:3,C2070:2,memory:1". An error names the part that is wrong; some class must be cpu, some
// have GPUs.
[[nodiscard]] Result<std::vector<NodeClass>> parse_mix(const std::string& text);
[[nodiscard]] std::string text_of(const std::vector<NodeClass>& mix);

// So many nodes, by largest remainder. An error if a class would get none.
[[nodiscard]] Result<ClusterShape> mixed_cluster(const std::vector<NodeClass>& mix, std::uint32_t nodes);

}  // namespace aliquot::collocation
