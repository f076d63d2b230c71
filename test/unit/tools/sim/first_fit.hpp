// A policy that places devices, for tests of everything around it.
#pragma once

#include <algorithm>

#include "policies/draft.hpp"
#include "policies/policy.hpp"

namespace aliquot::test {

// Starts whoever fits, in the order of their ids, on the first nodes with room and devices; one task more
// on a node than on none.
class FirstFit final : public Policy {
 public:
  [[nodiscard]] std::string name() const override { return "FIRST-FIT"; }
  [[nodiscard]] std::optional<Duration> period() const override { return std::nullopt; }
  [[nodiscard]] Explanation explain(const ClusterView&, JobId) const override { return {}; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override {
    Draft draft(view, Draft::Start::as_in_force, std::pmr::get_default_resource(),
                Draft::Constrained::placed);
    FreeDevices free = free_devices(view);
    Plan plan;
    for (std::size_t i = 0; i < draft.size(); ++i) {
      if (!draft.candidate(i)) continue;
      const Demand& demand = draft.job(i).demand;
      Change change{draft.job(i).id, {}, kFullYield};
      std::uint32_t missing = demand.tasks;
      for (std::uint32_t n = 0; n < draft.nodes() && missing > 0; ++n) {
        const auto picked = pick_devices(view.nodes[n], free.on({n}), demand.devices);
        const std::int64_t idle = (draft.node(n).capacity - draft.ledger(n).load).raw / demand.need.raw;
        std::int64_t units = std::min<std::int64_t>({draft.slots(n, demand), idle, missing});
        if (demand.spread.per_node > 0) units = std::min<std::int64_t>(units, demand.spread.per_node);
        const std::uint32_t least = std::max(1U, std::min(demand.spread.per_node, missing));
        if (!picked || units < least) continue;
        change.placement.push_back({{n}, static_cast<std::uint32_t>(units)});
        if (demand.devices.any()) change.devices.push_back(*picked);
        missing -= static_cast<std::uint32_t>(units);
      }
      if (missing > 0) continue;
      draft.place(i, change.placement);
      for (std::size_t k = 0; k < change.devices.size(); ++k)
        free.change(change.placement[k].node, change.devices[k], demand.devices.parts, -1);
      plan.changes.push_back(std::move(change));
    }
    return plan;
  }
};

}  // namespace aliquot::test
