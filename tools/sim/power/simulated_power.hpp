// Power of the simulated nodes: asks the power policy after every step, lets nodes go off and boot in the
// times of its settings, and adds up what they draw.
//
// Energy is exact: between two steps a node draws the same, by its power and the CPU that the plan in force
// gives to its tasks.
#pragma once

#include <set>
#include <vector>

#include "manager/core/power_control.hpp"

namespace aliquot {

struct PowerFigures {
  power::Energy energy;            // of all nodes
  Duration time;                   // over which it was added up
  Int128 node_time_on = 0;         // node x us
  std::uint64_t switched_off = 0;  // nodes that went off
  Int128 given = 0;                // micro-cores x us
};

class SimulatedPower {
 public:
  // What happens after `until` is not counted in the figures.
  explicit SimulatedPower(power::PowerSettings settings, Instant until = kNever)
      : control_(settings), until_(until) {}

  // Appends what the power policy wants to be woken for the jobs that are submitted.
  void before_step(const ClusterView& view, std::vector<Event>& events) const;
  // Appends the wishes of the power policy, for the next round at the same instant.
  void after_step(const Step& step, const ClusterView& view, std::vector<Event>& events);
  // The manager has died, and the next one begins with this view: what had become of nodes, and was not on
  // disk, it is told again.
  void outlive_manager(const ClusterView& view);
  // Appends what has become of nodes until `now`.
  void take_due(Instant now, std::vector<Event>& events);
  [[nodiscard]] Instant next_due() const;
  // A node is going off or boots.
  [[nodiscard]] bool busy() const { return !under_way_.empty(); }

  [[nodiscard]] const PowerFigures& figures() const { return figures_; }

 private:
  void count_until(Instant now);
  void follow(const ClusterView& view);

  struct Switch {
    Instant done;
    NodeId node;
    NodePower next = NodePower::on;
    friend auto operator<=>(const Switch&, const Switch&) = default;
  };

  PowerControl control_;
  Instant until_;
  std::set<Switch> under_way_;
  std::vector<NodePower> powers_;  // by node, as last seen
  Instant now_;
  power::Watts draw_;  // of all nodes, since now_
  Cpu given_;
  std::int64_t nodes_on_ = 0;
  PowerFigures figures_;
};

}  // namespace aliquot
