// Random but lawful views of a cluster, by seed: what the property laws are tried on.
//
// The generator is the tests' own (splitmix64), so that a seed means the same view everywhere. A view may
// have unlike nodes, nodes that are not up, guaranteed yields, held and pinned jobs, jobs in every phase;
// every third has devices, and jobs that ask for some or for a spread.
#pragma once

#include <cstdint>

#include "policies/model/plan.hpp"
#include "policies/model/view.hpp"

namespace aliquot::test {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  // Uniform in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high);
  bool chance(int percent) { return between(1, 100) <= percent; }

 private:
  std::uint64_t state_;
};

struct ViewShape {
  std::uint32_t most_nodes = 8;
  std::uint32_t most_jobs = 14;
  bool plain = false;  // equal nodes, all up, no guarantees, nothing held or pinned: the paper's world
};

[[nodiscard]] ClusterView random_view(std::uint64_t seed, const ViewShape& shape = {});

// The same with nodes of two hypervisor kinds, or nearly always: what stands or is paused is bound to one.
[[nodiscard]] ClusterView mixed_view(std::uint64_t seed, const ViewShape& shape = {});

// The same in which most nodes keep what is saved on them, and most paused jobs are tied to some.
[[nodiscard]] ClusterView tied_view(std::uint64_t seed, const ViewShape& shape = {});

// The same in which half of the nodes that hold nothing are off, go off or boot.
[[nodiscard]] ClusterView sleeping_view(std::uint64_t seed, const ViewShape& shape = {});

// The same in which nodes close for maintenance, and jobs that can be neither saved nor moved have limits.
[[nodiscard]] ClusterView closing_view(std::uint64_t seed, const ViewShape& shape = {});

// The job's demand alone, on nodes of this capacity and memory.
[[nodiscard]] Demand random_demand(Dice& dice, const Node& node, const ViewShape& shape);

// The plan is adopted at the view's own instant: moves and resumes stall, the cause is spent. What is
// paused on nodes that keep it is tied to them.
void adopt(ClusterView& view, const Plan& plan);
[[nodiscard]] ClusterView after(ClusterView view, const Plan& plan);

}  // namespace aliquot::test
