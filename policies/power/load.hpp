// How many nodes the jobs fill, in hundredths of a node: the load of the power rules.
#pragma once

#include <optional>
#include <vector>

#include "policies/model/view.hpp"
#include "policies/power/arrivals.hpp"

namespace aliquot::power {

// What a node of this cluster has on average. Nodes that were removed do not count.
struct AverageNode {
  Cpu capacity;
  Memory memory;
  std::int64_t nodes = 0;
};
[[nodiscard]] AverageNode average_node(const std::vector<Node>& nodes);

// The nodes that the tasks of a job fill at full speed: tasks / (tasks that one node holds, at least 1).
// Rounds up.
[[nodiscard]] NodeShare job_share(const Demand& demand, const AverageNode& node);

// Of all jobs that are placed or could be: a held job that is not placed does not count. At most all nodes.
[[nodiscard]] NodeShare present_load(const ClusterView& view);

// CAPE-RM's statistic (sec. III): the average load in each time slot of the day, weighted by time. The
// paper leaves the slots and the averaging to the administrator; here a slot is an hour, and all days count
// alike.
class DailyLoad {
 public:
  // What was observed in one hour of the day.
  struct Slot {
    std::int64_t sum = 0;  // of load x milliseconds
    std::int64_t milliseconds = 0;
    friend bool operator==(const Slot&, const Slot&) = default;
  };
  using Slots = std::array<Slot, 24>;

  DailyLoad() = default;
  // As slots() told it (memory_text.hpp).
  explicit DailyLoad(const Slots& slots) : slots_(slots) {}

  // The load was `load` from `from` until `to`.
  void add(Instant from, Instant to, NodeShare load);
  // Nothing: this hour of the day was not observed yet.
  [[nodiscard]] std::optional<NodeShare> average(Instant now) const;
  [[nodiscard]] const Slots& slots() const { return slots_; }
  friend bool operator==(const DailyLoad&, const DailyLoad&) = default;

 private:
  Slots slots_{};
};

}  // namespace aliquot::power
