#include "manager/foreign_vms.hpp"

#include <algorithm>
#include <tuple>

#include "manager/api/answers/job_answers.hpp"
#include "manager/core/fit_to_capacity.hpp"
#include "manager/core/ledger.hpp"

namespace aliquot {
namespace {

// It is not asked any more, or not for long.
bool is_removed(const CoreState& state, NodeId node) {
  return node.raw >= state.view.nodes.size() || state.view.nodes[node.raw].service == NodeService::removed;
}

constexpr Duration kTellAgain = seconds(60);  // while jobs that could not be moved hold what others need
constexpr Duration kDestroyAgain = seconds(60);

}  // namespace

std::optional<std::string> unknown_because(const CoreState& state, const VmIdentity& vm) {
  const auto record = state.records.find(vm.job);
  if (record == state.records.end()) {
    if (vm.job < state.next_job) return "its job has ended";
    return "the store does not know its job: is it older than the VM?";
  }
  if (vm.task >= record->second.vms.size()) return "its job has no such task";
  const Vm& known = record->second.vms[vm.task];
  if (known.incarnation != vm.incarnation) return "its task has another VM";
  if (known.unclear || known.flight || exists(known)) return std::nullopt;
  return known.state == VmState::ended ? "its task has ended" : "its task does not run now";
}

bool is_outlived(const CoreState& state, const VmIdentity& vm, const Calendar& calendar) {
  const Job* const job = planned_or_leaving(state, vm.job);
  if (job == nullptr) return false;
  const std::vector<Vm>& vms = state.records.at(vm.job).vms;
  return vm.task < vms.size() && vm.incarnation < vms[vm.task].incarnation &&
         vm.created >= calendar.unix_us(job->submitted) / kMillion;
}

std::optional<Event> ForeignVms::take(NodeId node, const NodeSurvey& survey, std::int64_t speed_ppm,
                                      const CoreState& state, Instant now) {
  std::map<Uuid, Suspicion> found;
  auto& before = suspicions_[node];
  OtherVms others = survey.others;
  for (const FoundDomain& domain : survey.ours) {
    if (!unknown_because(state, domain.identity)) continue;
    const auto known = before.find(domain.uuid);
    const bool again = known != before.end();
    Suspicion suspicion = again ? known->second : Suspicion{domain, now};
    suspicion.domain = domain;
    suspicion.confirmed = again;
    found.emplace(domain.uuid, std::move(suspicion));
    if (!again) continue;
    ++others.count;
    others.memory += domain.memory;
    others.cpu += domain.cpu;
  }
  before = std::move(found);
  others.cpu = {static_cast<std::int64_t>(Int128{others.cpu.raw} * speed_ppm / kMillion)};
  if (node.raw >= state.view.nodes.size()) return std::nullopt;
  const Node& known = state.view.nodes[node.raw];
  const bool is_told = charges_all_others(known) || now - told_[node] < kTellAgain;
  if (known.others == others && is_told) return std::nullopt;
  told_[node] = now;
  return OthersChanged{node, others};
}

std::vector<OrphanVm> ForeignVms::orphans(const CoreState& state) const {
  std::vector<OrphanVm> all;
  for (const auto& [node, suspicions] : suspicions_) {
    if (is_removed(state, node)) continue;
    for (const auto& [uuid, suspicion] : suspicions) {
      auto because = unknown_because(state, suspicion.domain.identity);
      if (suspicion.confirmed && because)
        all.push_back({node, suspicion.domain, suspicion.seen, std::move(*because)});
    }
  }
  std::ranges::sort(all, {}, [](const OrphanVm& vm) {
    const VmIdentity& identity = vm.domain.identity;
    return std::tuple(vm.node, identity.job, identity.task, identity.incarnation);
  });
  return all;
}

std::vector<OrphanVm> ForeignVms::take_outlived(const CoreState& state, const Calendar& calendar,
                                                Instant now) {
  std::vector<OrphanVm> outlived = orphans(state);
  std::erase_if(outlived, [&](const OrphanVm& vm) {
    Suspicion& suspicion = suspicions_.at(vm.node).at(vm.domain.uuid);
    if (!is_outlived(state, vm.domain.identity, calendar) || now < suspicion.not_before) return true;
    suspicion.not_before = now + kDestroyAgain;
    return false;
  });
  return outlived;
}

std::size_t ForeignVms::count_orphans(const CoreState& state, NodeId node) const {
  const auto suspicions = suspicions_.find(node);
  if (suspicions == suspicions_.end() || is_removed(state, node)) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(
      suspicions->second, [](const auto& suspicion) { return suspicion.second.confirmed; }));
}

}  // namespace aliquot
