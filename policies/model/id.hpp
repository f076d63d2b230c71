// Identities. A JobId is never used twice in the life of a store; ties between jobs break by it.
#pragma once

#include <compare>
#include <cstdint>

namespace aliquot {

template <class Tag, class Raw>
struct Id {
  Raw raw = 0;
  friend constexpr auto operator<=>(Id, Id) = default;
};

using JobId = Id<struct JobTag, std::uint64_t>;
// Also the node's position in ClusterView::nodes: nodes come and go by their state, not by their number.
using NodeId = Id<struct NodeTag, std::uint32_t>;
// One hypervisor operation; outcomes name the operation they belong to, so a late one is never mistaken.
using OpId = Id<struct OpTag, std::uint64_t>;

// A run of tasks of one job, [first, first + count). Tasks are numbered from 0.
struct TaskRun {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  friend constexpr bool operator==(TaskRun, TaskRun) = default;
};

}  // namespace aliquot
