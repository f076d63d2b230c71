// CONSERVATIVE backfilling: every job in the queue holds a reservation, and a later job may start before
// an earlier one only where it delays no reservation at all (Mu'alem & Feitelson, IEEE TPDS 2001, II-A).
//
// The reservations are kept in PolicyMemory. Reservations made anew at each decision would not hold: a job
// that moves forward into a gap may delay a job behind it that had reserved the gap. So the reservations
// that were kept are restored first. Then, whenever nodes may have become free earlier than expected, each
// job in the order of submission is reserved anew at the earliest possible start (compression), which is
// its old one at the latest. Where no job runs longer than its estimate and no node goes away, no job
// starts later than its first reservation says.
//
// A job past its estimate is assumed to run for twice the estimate, and so on; a job without an estimate,
// for a year. queue.hpp says what a node means here; heterogeneous nodes are counted by kind.
#pragma once

#include "policies/policy.hpp"

namespace aliquot {

class Conservative : public Policy {
 public:
  [[nodiscard]] std::string name() const override { return "CONSERVATIVE"; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;
};

}  // namespace aliquot
