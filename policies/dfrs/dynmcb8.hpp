// The DYNMCB8 family (DFRS, III-B): MCB8 packs all jobs anew, at every event (DYNMCB8) or at every tick of
// the period (the others). Between two packings running jobs stay where they are, jobs that were left out
// stay out, and only the yields follow the jobs that end.
//
// -ASAP-PER also places a job greedily at its submission, once, and pauses no job for it. -STRETCH-PER
// packs and shares for the estimated stretch instead of the yield. A submission exactly at a tick is left
// to the tick.
#pragma once

#include <optional>

#include "policies/dfrs/objective.hpp"
#include "policies/grammar.hpp"
#include "policies/policy.hpp"

namespace aliquot {

// What the names say: DYNMCB8, DYNMCB8-PER-T, DYNMCB8-ASAP-PER-T and DYNMCB8-STRETCH-PER-T, with the
// options +exact and +match (docs/policies.md).
struct DynMcb8Spec {
  enum class Variant : std::uint8_t { at_every_event, periodic, asap_periodic, stretch_periodic };

  Variant variant = Variant::at_every_event;
  std::optional<Duration> period{};  // of the periodic variants
  bool exact = false;                // packs at the highest yield that is proven possible, or near it
  bool match = false;                // places the new bins on the hosts that their jobs had
};

[[nodiscard]] const PolicyGrammar<DynMcb8Spec>& grammar_of(DynMcb8Spec::Variant variant);
[[nodiscard]] std::string to_string(const DynMcb8Spec& spec);

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
