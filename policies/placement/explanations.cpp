#include "policies/placement/explanations.hpp"

#include <array>
#include <utility>

#include "policies/feasibility.hpp"
#include "policies/model/free_devices.hpp"
#include "policies/placement/allocation.hpp"
#include "policies/placement/window_state.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

std::optional<Explanation> plain_whole_reason(const Draft& draft, std::size_t i) {
  if (auto plain = plain_reason(draft, i)) return plain;
  const Demand& demand = draft.job(i).demand;
  std::int64_t tasks = 0;
  for (std::uint32_t n = 0; n < draft.nodes(); ++n)
    tasks += tasks_within(draft.node(n).capacity, draft.node(n).memory, demand);
  if (tasks >= demand.tasks) return std::nullopt;
  Explanation why = explained(Reason::never_fits,
                              "asks for " + tasks_text(demand) +
                                  "; this policy gives each task all it needs, and even empty the " +
                                  std::to_string(draft.nodes()) + " nodes hold " + std::to_string(tasks) +
                                  " such tasks: a policy that shares the CPU may hold more");
  why.tightest = "cpu";
  return why;
}

Explanation does_not_fit_now(const Draft& draft, std::size_t i) {
  const Demand& demand = draft.job(i).demand;
  const FreeDevices free = free_devices(draft.view());
  enum : std::size_t { devices, cpu, memory, nothing };
  std::array<std::uint32_t, 4> short_of{};  // nodes, by the first of these that they lack for one task
  std::int64_t room = 0;                    // for tasks, in all
  Explanation why;
  why.nodes = count_nodes(draft.view(),
                          {"free devices too few", "free CPU below " + text_of(demand.need),
                           "free memory below " + text_of(demand.memory), "room for at least one task"},
                          [&](std::size_t n) {
                            const Node& node = draft.node(n);
                            const std::uint32_t tasks = tasks_at_full_yield(node, draft.ledger(n), demand);
                            const bool has_devices =
                                pick_devices(node, free.on(node.id), demand.devices).has_value();
                            const std::size_t lacks = !has_devices                           ? devices
                                                      : tasks > 0                            ? nothing
                                                      : draft.ledger(n).free < demand.memory ? memory
                                                                                             : cpu;
                            room += has_devices ? tasks : 0;
                            ++short_of[lacks];
                            return lacks;
                          });
  why.text = "asks for " + tasks_text(demand);
  if (demand.devices.any())
    why.text += ", with " + text_of(demand.devices, draft.view().device_models) + " on each node";
  why.text += "; there is room for " + std::to_string(room) + " of " + std::to_string(demand.tasks);
  if (room >= demand.tasks) {
    why.reason = Reason::spread;
    why.text += ", but not on such nodes as it asks for";
  } else if (short_of[devices] > short_of[cpu] + short_of[memory]) {
    why.reason = Reason::devices;
    why.tightest = "devices";
  } else if (short_of[memory] > short_of[cpu]) {
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

Explanation interval_reason(Draft& draft, std::size_t i, const std::string& looks, Duration interval,
                            Explanation passed_over) {
  Explanation why = std::move(passed_over);
  if (!Allocation(draft).fits_alone(i))
    why = does_not_fit_now(draft, i);
  else if (!WindowState::passed_over(draft.view().memory, draft.job(i)))
    why = explained(Reason::waiting_for_tick,
                    "there is room for it now: " + looks + " every " + text_of(interval));
  why.retry_at = draft.view().next_tick;
  return why;
}

}  // namespace aliquot
