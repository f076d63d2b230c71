// The TPDS 2012 family: the authors' algorithms after DFRS 2010, named by what they do at a submission, on
// a completion and at a tick (tpds2012/spec.hpp; docs/policies.md tells the parts).
//
// At a submission: Greedy places the new job or lets it wait; GreedyP pauses jobs of lower priority for it,
// GreedyPM may place these elsewhere at once; MCB8 packs all jobs anew; an empty word leaves it to the
// tick. With `*` all jobs that wait or are paused are tried again on completions. At a tick all jobs are
// packed anew. Without `*` and without a period a waiting job is tried again by GREEDY's bounded
// exponential back-off; otherwise it would wait for ever.
#pragma once

#include "policies/draft.hpp"
#include "policies/policy.hpp"
#include "policies/tpds2012/spec.hpp"

namespace aliquot {

class Tpds2012Policy : public Policy {
 public:
  explicit Tpds2012Policy(Tpds2012Spec spec) : spec_(spec) {}

  [[nodiscard]] std::string name() const override { return to_string(spec_); }
  [[nodiscard]] std::optional<Duration> period() const override;
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  [[nodiscard]] bool backs_off() const { return !spec_.star && spec_.tick == Tpds2012Spec::Tick::none; }
  [[nodiscard]] bool packs_now(const Cause& cause) const;
  [[nodiscard]] bool tries_all(const Cause& cause) const;
  [[nodiscard]] bool tries(const ClusterView& view, const Job& job) const;
  [[nodiscard]] Duration horizon(const ClusterView& view) const;
  [[nodiscard]] Yields yields(const Draft& draft) const;
  void pack_anew(Draft& draft) const;
  void try_greedily(Draft& draft) const;
  void remember_waiting_jobs(const Draft& draft, Plan& plan) const;

  Tpds2012Spec spec_;
};

}  // namespace aliquot
