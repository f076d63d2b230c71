#include "policies/placement/explanations.hpp"

#include "policies/feasibility.hpp"
#include "policies/model/free_devices.hpp"
#include "policies/placement/allocation.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

namespace {

// Nodes by the first resource that they lack for one task.
struct Shortage {
  std::uint32_t devices = 0;
  std::uint32_t cpu = 0;
  std::uint32_t memory = 0;
  std::uint32_t none = 0;
  std::int64_t tasks = 0;  // that fit in all
};

Shortage shortage_of(const Draft& draft, const Demand& demand) {
  const FreeDevices free = free_devices(draft.view());
  Shortage shortage;
  for (std::uint32_t n = 0; n < draft.nodes(); ++n) {
    const Node& node = draft.node(n);
    if (!node.usable()) continue;
    const std::uint32_t tasks = tasks_at_full_yield(node, draft.ledger(n), demand);
    if (!pick_devices(node, free.on(node.id), demand.devices)) {
      ++shortage.devices;
    } else if (tasks > 0) {
      ++shortage.none;
      shortage.tasks += tasks;
    } else if (draft.ledger(n).free < demand.memory) {
      ++shortage.memory;
    } else {
      ++shortage.cpu;
    }
  }
  return shortage;
}

}  // namespace

std::optional<Explanation> never_fits_whole(const Draft& draft, std::size_t i) {
  const Demand& demand = draft.job(i).demand;
  std::int64_t tasks = 0;
  for (std::uint32_t n = 0; n < draft.nodes(); ++n)
    tasks += tasks_within(draft.node(n).capacity, draft.node(n).memory, demand);
  if (tasks >= demand.tasks) return std::nullopt;
  Explanation why;
  why.reason = Reason::never_fits;
  why.tightest = "cpu";
  why.text = "asks for " + tasks_text(demand) +
             "; this policy gives each task all it needs, and even empty the " +
             std::to_string(draft.nodes()) + " nodes hold " + std::to_string(tasks) +
             " such tasks: a policy that shares the CPU may hold more";
  return why;
}

Explanation does_not_fit_now(const Draft& draft, std::size_t i) {
  const Demand& demand = draft.job(i).demand;
  const Shortage shortage = shortage_of(draft, demand);
  Explanation why;
  add_count(why.nodes, "free devices too few", shortage.devices);
  add_count(why.nodes, "free CPU below " + text_of(demand.need), shortage.cpu);
  add_count(why.nodes, "free memory below " + text_of(demand.memory), shortage.memory);
  add_count(why.nodes, "room for at least one task", shortage.none);
  count_unusable(draft.view(), why.nodes);
  why.text = "asks for " + tasks_text(demand);
  if (demand.devices.any())
    why.text += ", with " + text_of(demand.devices, draft.view().device_models) + " on each node";
  why.text +=
      "; there is room for " + std::to_string(shortage.tasks) + " of " + std::to_string(demand.tasks);
  if (shortage.tasks >= demand.tasks) {
    why.reason = Reason::spread;
    why.text += ", but not on such nodes as it asks for";
  } else if (shortage.devices > shortage.cpu + shortage.memory) {
    why.reason = Reason::devices;
    why.tightest = "devices";
  } else if (shortage.memory > shortage.cpu) {
    why.reason = Reason::memory;
    why.tightest = "memory";
  } else {
    why.reason = Reason::nodes_busy;
    why.tightest = "cpu";
  }
  why.held_by = largest_holders(draft, i, [&](std::size_t j) {
    const Demand& d = draft.job(j).demand;
    switch (why.reason) {
      case Reason::devices:
        return std::int64_t{d.devices.per_node} * static_cast<std::int64_t>(draft.placement(j).size());
      case Reason::memory:
        return (d.memory * d.tasks).raw;
      default:
        return (d.need * d.tasks).raw;
    }
  });
  return why;
}

}  // namespace aliquot
