// The power policy: which nodes go off and which are woken, and why. A pure function beside any scheduling
// policy: it sees the view after each decision about jobs, and changes nothing but the power of nodes.
//
// All rules keep these laws. A node goes off only if it holds nothing (no VM, no job that is to run or must
// go on there), and only after `minimum_on`. No job is stranded: a job that waits for nodes that are asleep
// wakes as many as it has tasks; one that waits although it has them wakes, after a while, every node that
// may be of use to it. Jobs that are submitted wake nodes before the scheduling policy decides: as many as
// their tasks need that find no place at full speed. The core checks once more that a node holds nothing.
//
// always-on  wakes what is asleep.
// cape-rm    keeps as many nodes on as the load fills, present or by its average for the hour of the day,
//            whichever is larger; others that are idle go off at once. Source: "Learning Based Performance
//            and Power Efficient Cluster Resource Manager for CPU-GPU Cluster", sec. III (CAPE-RM): with V
//            nodes of which p % are idle and q % carry the load for t, E = V (p - q) e t / 100 is saved.
// aliquot    keeps a reserve of idle nodes on: the arrivals learned for this hour of the week, within the
//            time that a node takes to boot; and nodes for jobs that get less than their need. While jobs
//            hardly wait for each other, a wait for a boot would be the largest stretch of all: then a
//            fifth of the nodes is in reserve, which is cheap where little is to be done. Others that are
//            idle go off when they were idle for as long as it takes to save what a boot costs (the
//            break-even time: at most twice the energy of a rule that knows the future).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policies/power/boot_times.hpp"
#include "policies/power/load.hpp"
#include "policies/power/recent_stretch.hpp"
#include "policies/power/settings.hpp"

namespace aliquot::power {

// What the power policy remembers: a value of bounded size.
struct PowerMemory {
  struct NodeTimes {
    NodePower power = NodePower::on;
    std::optional<Instant> changed{};     // when its power was last seen to change
    std::optional<Instant> idle_since{};  // none: it holds something
    std::optional<Instant> woken{};       // when it was seen to be woken; none: it does not boot
    friend bool operator==(const NodeTimes&, const NodeTimes&) = default;
  };
  ArrivalStatistics arrivals;
  DailyLoad daily;
  RecentStretch stretch;
  std::vector<NodeTimes> nodes;
  std::vector<BootTimes> boots;  // by node; one beyond them has not been seen to boot
  Instant observed;              // when observe() was last called
  NodeShare load;                // the load then
  friend bool operator==(const PowerMemory&, const PowerMemory&) = default;
};

// A job was submitted. Call it before observe().
void learn(PowerMemory& memory, const ClusterView& view, const Demand& demand);
// The view after a step.
void observe(PowerMemory& memory, const ClusterView& view);

// Nothing was observed until now: what was learned stays, what nodes were like is forgotten.
void resume(PowerMemory& memory, Instant now);

// How long the node is expected to boot: by its last boots, or as the settings say.
[[nodiscard]] Duration boot_time(const PowerSettings& settings, const PowerMemory& memory, NodeId node);

// Why a node is on, goes off, is off or is woken.
enum class PowerReason : std::uint8_t {
  always_on,      // the rule
  not_available,  // it does not answer, or an operator has taken it out of service
  holds_jobs,
  waiting_job,  // `job` waits for it
  load,         // the load needs `nodes` nodes
  reserve,      // of `nodes` idle nodes
  minimum_on,   // until `until`
  break_even,   // idle for too short a time, until `until`
  surplus,      // the others carry the load, and the reserve is complete
  changing,     // it goes off or boots
};

struct NodeVerdict {
  NodePower next = NodePower::on;  // its present power: nothing changes
  PowerReason reason = PowerReason::always_on;
  std::optional<JobId> job{};
  std::uint32_t nodes = 0;
  std::optional<Instant> until{};
  friend bool operator==(const NodeVerdict&, const NodeVerdict&) = default;
};

struct PowerDecision {
  std::vector<NodeVerdict> verdicts;  // by node
  Instant ask_again = kNever;         // even if nothing happens before
};

// `memory` has observed this view, whose index is kept. `arriving`: jobs that are about to be submitted.
[[nodiscard]] PowerDecision decide_power(const ClusterView& view, const PowerSettings& settings,
                                         const PowerMemory& memory, std::span<const Demand> arriving = {});

// "stays on: minimum on-time, for 290 s more"; "goes off: the other nodes carry the load". Of a node of the
// view that was decided on.
[[nodiscard]] std::string text_of(const NodeVerdict& verdict, NodePower power, Instant now);

}  // namespace aliquot::power
