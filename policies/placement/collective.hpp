// IPSCHED and AUCSCHED: at every interval a window of waiting jobs is placed collectively.
//
// IPSCHED (2012, sec. 3) starts the jobs that fit together with the largest sum of p_j (s_j - c_j), or of
// p_j r_j (s_j - c_j). It preempts and moves no job, and nothing is shared: each job runs at yield 1.
// AUCSCHED (2013, sec. 4) weighs the priorities alone and lets the jobs bid for blocks of nodes. No job
// starts between two intervals. If the effort ends before the proof of the bound does, the answer is kept.
// With `/paper` it is discarded then and the window halved; it doubles again after an answer in time (the
// papers do not say how it grows). Jobs without any CPU need are placed one by one after the others.
#pragma once

#include <utility>

#include "policies/placement/grammar.hpp"
#include "policies/placement/solver/fast.hpp"
#include "policies/policy.hpp"

namespace aliquot {

class Collective : public Policy {
 public:
  // `solver`: the one that the spec names.
  explicit Collective(const CollectiveSpec& spec, ip::Solver solver = ip::solve_fast)
      : spec_(spec), solver_(std::move(solver)) {}

  [[nodiscard]] std::string name() const override { return to_string(spec_); }
  [[nodiscard]] std::optional<Duration> period() const override { return spec_.interval; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] bool shares_cpu() const override { return false; }
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;
  [[nodiscard]] std::optional<ProvenGap> proven_gap(const ClusterView& view) const override;

 private:
  CollectiveSpec spec_;
  ip::Solver solver_;
};

}  // namespace aliquot
