// The manager's book of CPU: what each job was promised, granted and has used (monitor/cpu_use.hpp), kept
// as steps pass and counters are read, told to the metrics and handed to the store.
//
// What is read is on disk some milliseconds later: a manager that is killed loses what came after its last
// reading (manager/housekeeping.hpp says how often), and of that only what the counters do not tell again:
// those of VMs that ended, were saved or moved meanwhile. Belongs to the loop's thread.
#pragma once

#include <optional>
#include <vector>

#include "manager/account_totals.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/store/store.hpp"
#include "monitor/cpu_ledger.hpp"
#include "monitor/metrics.hpp"
#include "monitor/observer.hpp"

namespace aliquot {

class CpuAccounting final : public Observer {
 public:
  // All outlive the book; the store has been recovered, the scheduler brought up to date from it.
  struct Parts {
    const Scheduler& scheduler;
    Store& store;
    Metrics& metrics;
    const std::vector<std::int64_t>& speeds;  // of a core of each node, by NodeId (shares_in_force.hpp)
  };
  // Takes up what the store has of the jobs that have not ended; their VMs ran on meanwhile.
  CpuAccounting(Parts parts, Instant now);

  void on_step(const Step& step, const ClusterView& after) override;
  // Counters of VMs, as they were at that instant.
  void read(const std::vector<VmUsage>& readings, Instant at);
  // Hands what has changed to the store.
  void keep(Instant now);
  // Also of a job that has ended; none: nothing is known of it.
  [[nodiscard]] std::optional<JobUse> use(JobId job, Instant now) const;
  // What the jobs of every account come to, those that have ended and those that have not.
  [[nodiscard]] AccountRows accounts(Instant now) const;

 private:
  Parts parts_;
  CpuLedger ledger_;
  AccountTotals accounts_;
};

}  // namespace aliquot
