// BACKFILL, the papers' baseline (IPSCHED, sec. 4 and 5): Slurm's backfill over nodes whose cores and
// devices are counted, so that jobs share nodes.
//
// At every event jobs start in the order of their priority, each on as few nodes as possible (BESTFIT),
// until one does not fit. At every interval the first `window` jobs by priority are looked at in that
// order: a job that can start without delaying those ahead of it starts, and every other one reserves its
// earliest start against those behind. Reservations are made anew each time. Running jobs keep what they
// have. Priorities are basic or multifactor as in window.hpp.
#pragma once

#include "policies/placement/grammar.hpp"
#include "policies/policy.hpp"

namespace aliquot {

class Backfill : public Policy {
 public:
  explicit Backfill(const CollectiveSpec& spec) : spec_(spec) {}

  [[nodiscard]] std::string name() const override { return to_string(spec_); }
  [[nodiscard]] std::optional<Duration> period() const override { return spec_.interval; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  CollectiveSpec spec_;
};

}  // namespace aliquot
