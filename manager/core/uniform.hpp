// Uniform jobs. A job is started, capped, paused and ended as a whole, so most of the time its VMs differ
// in nothing but the nodes they are on. Such a job is uniform: a look at its first VM tells the state of
// all, and one change is made to all of them at once.
//
// This only saves work: whatever is derived from the VMs of a job is the same if it is not known to be
// uniform.
#pragma once

#include <algorithm>
#include <span>

#include "manager/core/ledger.hpp"

namespace aliquot {

// They differ in nothing but their nodes.
[[nodiscard]] inline bool alike(const Vm& a, const Vm& b) {
  const auto same = [](const Flight& x, const Flight& y) {
    return x.op == y.op && x.kind == y.kind && x.yield == y.yield && x.since == y.since &&
           x.rolls_back == y.rolls_back;
  };
  return a.state == b.state && a.incarnation == b.incarnation && a.units == b.units && a.cap == b.cap &&
         a.cap_stale == b.cap_stale && a.has_run == b.has_run && a.unclear == b.unclear &&
         a.rolls_back == b.rolls_back && a.missing == b.missing && a.keeps_place == b.keeps_place &&
         a.flight.has_value() == b.flight.has_value() && (!a.flight || same(*a.flight, *b.flight)) &&
         a.failures == b.failures && a.not_before == b.not_before && a.exit_code == b.exit_code &&
         a.joins == b.joins && a.leaving == b.leaving && a.leave_by == b.leave_by && a.to_warn == b.to_warn;
}

// The VM is where the plan wants it and not about to leave, or it does not exist yet.
[[nodiscard]] inline bool is_in_place(const Vm& vm) {
  if (!exists(vm) && !vm.flight) return true;
  return vm.node == vm.wanted && !(vm.flight && vm.flight->kind == ActionKind::migrate);
}

// All VMs are alike and in place. is_in_place() is asked first because it rules out most of the others.
[[nodiscard]] inline bool is_uniform(const JobRecord& record) {
  const Vm& first = record.vms.front();
  return std::ranges::all_of(record.vms, is_in_place) &&
         std::ranges::all_of(record.vms, [&](const Vm& vm) { return alike(vm, first); });
}

// The VMs that must be looked at to know the state of all: the first of a uniform job, all of any other.
[[nodiscard]] inline std::span<const Vm> representatives(const JobRecord& record, bool uniform) {
  return std::span(record.vms).first(uniform ? 1 : record.vms.size());
}

}  // namespace aliquot
