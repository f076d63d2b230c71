// CPU accounting: what each job was promised, granted and has used, and what its guests say of their memory
// (monitor/cpu_use.hpp). It follows the steps and the readings of VMs, tells the metrics, and hands the
// sums to the store: by job, by account, and by the hour of UTC for each user of an account. Before
// anything changes after the end of an hour, all is counted up to its end: a grant that runs over the hour
// is divided there, to the microsecond. CPU that is used counts for the hour in which it was read.
//
// Sums are on disk some milliseconds after a reading. A manager that is killed loses what came after its
// last reading (manager/housekeeping.hpp says how often), and of that only what no counter tells again: the
// CPU of VMs that ended, were saved or migrated meanwhile. Belongs to the loop's thread.
#pragma once

#include <optional>
#include <vector>

#include "manager/account_totals.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/hourly_use.hpp"
#include "manager/shares_in_force.hpp"
#include "manager/store/store.hpp"
#include "monitor/calendar.hpp"
#include "monitor/cpu_ledger.hpp"
#include "monitor/metrics.hpp"
#include "monitor/observer.hpp"

namespace aliquot {

class CpuAccounting final : public Observer {
 public:
  // All outlive this; the store has been recovered, the scheduler brought up to date from it.
  struct Parts {
    const Scheduler& scheduler;
    Store& store;
    Metrics& metrics;
    const std::vector<std::int64_t>& speeds;  // of a core of each node, by NodeId (shares_in_force.hpp)
    ChargedWatts watts;
    const Calendar& calendar;
  };
  // Continues from what the store has of the jobs that have not ended; their VMs ran on meanwhile.
  CpuAccounting(Parts parts, Instant now);

  void on_step(const Step& step, const ClusterView& after) override;
  // What jobs on the node are charged for its draw has changed.
  void draw_changed(NodeId node, Instant now);
  // Counters of VMs, read at that instant.
  void read(const std::vector<VmUsage>& readings, Instant at);
  // Hands the sums that have changed to the store.
  void keep(Instant now);
  // Also of a job that has ended; none: no such job is known.
  [[nodiscard]] std::optional<JobUse> use(JobId job, Instant now) const;
  // CPU time granted to the job until then, ended or not; 0: no such job is known.
  [[nodiscard]] Duration granted(JobId job, Instant now) const;
  // The sums of the jobs of every account, ended or not.
  [[nodiscard]] AccountRows accounts(Instant now) const;

  // The sums of the users of all accounts over the hours from `first` up to `end`, without it; of the hour
  // that runs up to now.
  [[nodiscard]] CpuByUser cpu_between(std::int64_t first, std::int64_t end, Instant now);
  // The same of single jobs.
  [[nodiscard]] CpuByJob cpu_of_jobs(const JobHours& span, Instant now);

 private:
  void take_up(Instant now);
  void admit(JobId job, const JobRecord& record, const CpuTime& counted);
  // Hours that have ended since are counted, each up to its end.
  void end_hours(Instant now) {
    if (now >= hour_ends_) count_hours(now);
  }
  void count_hours(Instant now);

  Parts parts_;
  CpuLedger ledger_;
  HourlyUse hours_;
  Instant counted_to_;
  Instant hour_ends_;
  AccountTotals accounts_;
};

}  // namespace aliquot
