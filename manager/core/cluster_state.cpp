#include "manager/core/cluster_state.hpp"

#include "manager/core/account_limits.hpp"
#include "manager/core/array_transitions.hpp"
#include "manager/core/deferral.hpp"
#include "manager/core/maintenance_windows.hpp"
#include "manager/core/size_transitions.hpp"
#include "manager/core/time_limits.hpp"

namespace aliquot {

ClusterState::ClusterState(CoreState stored) : core(std::move(stored)), ledger(core.view.nodes) {
  core.view.index.rebuild(core.view);
  core.view.closings = closings(core);
  for (auto& [id, record] : core.records) {
    for (const Vm& vm : record.vms) ledger.charge(record, vm);
    if (has_limit(record.submission) && !record.array && !record.leaving) limited.insert(id);
    if (may_evolve(record) && !record.leaving) evolving.insert(id);
    const auto planned = core.view.jobs.find(id);
    Job* const job = planned == core.view.jobs.end() ? nullptr : &planned->second;
    if (job) show_limits(*job, *record.submission);
    if (job && record.cool_down.until > core.view.now) cooling.insert({record.cool_down.until, id});
    enter(*this, id, record);
    derived.update(derived.add(id, record, job, ledger.revision()), core.view, ledger.revision());
    follow_array(*this, id);
  }
  count_uses(*this);
}

}  // namespace aliquot
