// EASY: as FCFS, but the first job that cannot start gets a reservation for the earliest instant at which
// enough nodes will be idle, and later jobs may start before it where they do not delay it (DFRS, IV-B;
// Lifka 1995). A job that ends by then may also use the reserved nodes that are idle: the correct form.
//
// Ends are known from Demand::estimate: what is left of it at the yield in force. A job past its estimate
// is taken to end at once; one without an estimate, never. While the end of a job stands in the way that
// nobody knows, the reservation has no instant: then the first job keeps the idle nodes it can use, and
// nobody borrows them, so that it cannot starve.
#pragma once

#include "policies/policy.hpp"

namespace aliquot {

class Easy : public Policy {
 public:
  [[nodiscard]] std::string name() const override { return "EASY"; }
  [[nodiscard]] std::optional<Duration> period() const override { return std::nullopt; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;
};

}  // namespace aliquot
