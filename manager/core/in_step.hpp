// Jobs are started, capped, paused and ended as wholes: most of the time the VMs of one differ in nothing
// but the nodes on which they stand. Such a job is in step, and one look at its first VM tells of all.
//
// What is derived from the VMs of a job is the same whether it is known to be in step or not.
#pragma once

#include <algorithm>
#include <span>

#include "manager/core/charges.hpp"

namespace aliquot {

[[nodiscard]] inline bool alike(const Vm& a, const Vm& b) {
  const auto same = [](const Flight& x, const Flight& y) {
    return x.op == y.op && x.kind == y.kind && x.yield == y.yield && x.since == y.since;
  };
  return a.state == b.state && a.incarnation == b.incarnation && a.units == b.units && a.cap == b.cap &&
         a.cap_stale == b.cap_stale && a.has_run == b.has_run && a.unclear == b.unclear &&
         a.flight.has_value() == b.flight.has_value() && (!a.flight || same(*a.flight, *b.flight)) &&
         a.failures == b.failures && a.not_before == b.not_before && a.exit_code == b.exit_code;
}

// Where it is wanted it stands and stays, or will stand once it exists.
[[nodiscard]] inline bool is_at_home(const Vm& vm) {
  if (!exists(vm) && !vm.flight) return true;
  return vm.node == vm.wanted && !(vm.flight && vm.flight->kind == ActionKind::migrate);
}

// All VMs are alike and at home. Whoever is not is on the move, mostly, which is seen at once.
[[nodiscard]] inline bool in_step(const JobRecord& record) {
  const Vm& first = record.vms.front();
  return std::ranges::all_of(record.vms, is_at_home) &&
         std::ranges::all_of(record.vms, [&](const Vm& vm) { return alike(vm, first); });
}

// The VMs that tell of all.
[[nodiscard]] inline std::span<const Vm> telling(const JobRecord& record, bool in_step) {
  return std::span(record.vms).first(in_step ? 1 : record.vms.size());
}

}  // namespace aliquot
