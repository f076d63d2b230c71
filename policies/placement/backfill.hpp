// BESTFIT and BACKFILL, the papers' baselines: one job after the other in the order of priority, each on as
// few nodes as possible, beside other jobs where cores and devices suffice.
#pragma once

#include "policies/placement/grammar.hpp"
#include "policies/policy.hpp"

namespace aliquot {

// IPSCHED's Table 1: jobs start in the order of submission, and the first that does not fit holds up the
// others. A job without devices fills a few nodes, and no other job can use the devices there.
class BestFit : public Policy {
 public:
  [[nodiscard]] std::string name() const override { return "BESTFIT"; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] bool shares_cpu() const override { return false; }
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;
};

// IPSCHED, sec. 4 and 5: Slurm's backfill over nodes whose cores and devices are counted.
//
// At every event jobs start in the order of their priority until one does not fit. At every interval the
// first `window` jobs by priority are looked at in that order: a job that can start without delaying those
// ahead of it starts, and every other one reserves its earliest start against those behind. Reservations
// are made anew each time. Running jobs keep what they have. Priorities are basic or multifactor as in
// window.hpp.
class Backfill : public Policy {
 public:
  explicit Backfill(const CollectiveSpec& spec) : spec_(spec) {}

  [[nodiscard]] std::string name() const override { return to_string(spec_); }
  [[nodiscard]] std::optional<Duration> period() const override { return spec_.interval; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] bool shares_cpu() const override { return false; }
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  CollectiveSpec spec_;
};

}  // namespace aliquot
