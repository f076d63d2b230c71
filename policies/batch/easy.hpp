// EASY: as FCFS, but the first job that cannot start gets a reservation for the earliest instant at which
// enough nodes will be idle, and later jobs may start before it where they do not delay it (DFRS, IV-B;
// Lifka 1995). A job that ends by then may also use the reserved nodes that are idle: the correct form.
//
// A job's end follows from Demand::estimate: what is left of it, at the yield in force. A job past its
// estimate is assumed to end at once; a job without one, never. Where the reservation depends on a job
// without a known end, it has no instant: then the first job keeps the idle nodes that it can use, and no
// other job borrows them, so that the first cannot starve.
//
// EASY-LEGACY never lends reserved nodes: so the simulator behind the published figures has it (DFRS, V),
// with hardly any backfilling, and results near those of FCFS. It serves comparisons only.
#pragma once

#include "policies/policy.hpp"

namespace aliquot {

class Easy : public Policy {
 public:
  // lends: reserved nodes, to jobs that end in time.
  explicit Easy(bool lends) : lends_(lends) {}

  [[nodiscard]] std::string name() const override { return lends_ ? "EASY" : "EASY-LEGACY"; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  bool lends_;
};

}  // namespace aliquot
