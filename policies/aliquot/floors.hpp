// How little each job may get that stands on crowded nodes, those whose tasks need more than they have: no
// less than a part of the fair share of its fullest node, so that one that is late already does not starve
// the others, nor than is guaranteed to it. Where both together are more than a node has, the guarantees
// alone stand.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "policies/aliquot/crowd_lists.hpp"
#include "policies/aliquot/outlook.hpp"
#include "policies/draft.hpp"

namespace aliquot {

class Floors {
 public:
  // `part`: of the fair share. `lists`: who stands on crowded nodes, where that is known already; else
  // null.
  Floors(const Draft& draft, const Outlooks& outlooks, Yield part, const CrowdLists* lists = nullptr);

  // Is any node crowded? If not, nothing else may be asked.
  [[nodiscard]] bool any() const { return !of_nodes_.empty(); }
  [[nodiscard]] bool crowded(std::uint32_t node) const { return of_nodes_[node] != kNone; }
  // Where no lists were known.
  [[nodiscard]] std::span<const std::uint32_t> crowded_nodes() const { return nodes_; }
  // Has the job of this entry tasks on a crowded node? Only then it has a floor.
  [[nodiscard]] bool has(std::uint32_t entry) const { return of_jobs_[entry] != kNone; }
  [[nodiscard]] Yield of(std::uint32_t entry) const { return {of_jobs_[entry]}; }
  // Those that have one.
  [[nodiscard]] std::span<const std::uint32_t> jobs() const { return jobs_; }

 private:
  // Millionths, side by side: all are looked at.
  static constexpr std::int32_t kNone = INT32_MAX;
  using Parts = std::pmr::vector<std::int32_t>;

  void look_at_nodes(const Draft& draft, Yield part);
  void look_at_lists(const Draft& draft, Yield part, const CrowdLists& lists);
  [[nodiscard]] std::int32_t least_of(Cpu capacity, Cpu load, Yield part);
  void look_at_jobs(const Draft& draft, const Outlooks& outlooks);
  void leave_guarantees_room(const Draft& draft, const Outlooks& outlooks, Yield part);

  std::pmr::vector<std::uint32_t> nodes_;  // the crowded ones
  Parts of_nodes_;
  Parts of_jobs_;
  std::pmr::vector<std::uint32_t> jobs_;
  Yield least_fair_ = kFullYield;  // of the nodes
  Yield most_guaranteed_;
};

}  // namespace aliquot
