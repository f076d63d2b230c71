// FCFS: jobs start strictly in the order of their submission, as soon as enough nodes are idle (DFRS,
// IV-B). See queue.hpp for what a node means here.
#pragma once

#include "policies/policy.hpp"

namespace aliquot {

class Fcfs : public Policy {
 public:
  [[nodiscard]] std::string name() const override { return "FCFS"; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;
};

}  // namespace aliquot
