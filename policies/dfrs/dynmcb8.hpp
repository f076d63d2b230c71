// The DYNMCB8 family (DFRS, III-B): MCB8 packs all jobs anew, at every event (DYNMCB8) or at every tick of
// the period (the others). Between two packings running jobs stay where they are, jobs that were left out
// stay out, and only the yields follow the jobs that end.
//
// -ASAP-PER also places a job greedily at its submission, once, and pauses no job for it. -STRETCH-PER
// packs and shares for the estimated stretch instead of the yield. A submission exactly at a tick is left
// to the tick.
#pragma once

#include "policies/dfrs/dynmcb8_spec.hpp"
#include "policies/dfrs/objective.hpp"
#include "policies/policy.hpp"

namespace aliquot {

class DynMcb8 : public Policy {
 public:
  explicit DynMcb8(DynMcb8Spec spec) : spec_(spec) {}

  [[nodiscard]] std::string name() const override { return to_string(spec_); }
  [[nodiscard]] std::optional<Duration> period() const override { return spec_.period; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  [[nodiscard]] bool for_stretch() const { return spec_.variant == DynMcb8Spec::Variant::stretch_periodic; }
  // T of the paper: from now to the next scheduling event.
  [[nodiscard]] Duration horizon(const ClusterView& view) const;
  [[nodiscard]] PackingObjective objective(const ClusterView& view) const;
  [[nodiscard]] Plan plan(const Draft& draft) const;
  void place_arrived(Draft& draft) const;

  DynMcb8Spec spec_;
};

}  // namespace aliquot
