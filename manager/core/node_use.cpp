#include "manager/core/node_use.hpp"

#include <algorithm>

#include "manager/core/ledger.hpp"

namespace aliquot {
namespace {

bool arrives(ActionKind kind) {
  return kind == ActionKind::create || kind == ActionKind::restore || kind == ActionKind::migrate;
}

bool is_on(const JobRecord& record, NodeId node) {
  return std::ranges::any_of(record.vms, [node](const Vm& vm) {
    if (vm.flight && vm.flight->to == node && arrives(vm.flight->kind)) return true;
    return vm.node == node && vm.incarnation > 0 && (exists(vm) || vm.flight || vm.unclear);
  });
}

}  // namespace

std::vector<JobId> jobs_on(const CoreState& state, NodeId node) {
  std::vector<JobId> jobs;
  for (const auto& [id, record] : state.records)
    if (is_on(record, node)) jobs.push_back(id);
  return jobs;
}

bool has_vms(const CoreState& state, NodeId node) {
  return std::ranges::any_of(state.records, [&](const auto& entry) { return is_on(entry.second, node); });
}

}  // namespace aliquot
