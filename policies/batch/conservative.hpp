// CONSERVATIVE backfilling: every job in the queue holds a reservation, and a later job may start before
// an earlier one only where it delays no reservation at all (Mu'alem & Feitelson, IEEE TPDS 2001, II-A).
//
// The reservations are kept in PolicyMemory. They cannot be derived anew at each decision without breaking
// promises: planned from scratch, a job that moves forward into a gap may push one behind it that held the
// gap to after its promise. So what is kept is put back first; then, whenever something may have become
// free earlier than expected, each job in the order of submission is taken out and put at the earliest
// instant there is (compression), which is its old one at the latest. Where no job runs longer than its
// estimate and no node goes away, no job starts later than it was first promised.
//
// A job past its estimate is taken for one of twice the estimate, and so on; one without an estimate for
// one of a year. See queue.hpp for what a node means here; unlike nodes are counted by kind.
#pragma once

#include "policies/policy.hpp"

namespace aliquot {

class Conservative : public Policy {
 public:
  [[nodiscard]] std::string name() const override { return "CONSERVATIVE"; }
  [[nodiscard]] std::optional<Duration> period() const override { return std::nullopt; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;
};

}  // namespace aliquot
