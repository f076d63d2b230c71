// CAPE-RM: CPU-only jobs beside GPU jobs by fixed bounds. No job is paused or moved.
//
// GPU jobs come first, in the order of priority and submission, each on nodes of its own among GPU jobs. A
// CPU-only job goes to nodes without devices, or beside a GPU job if
//   - it is expected to end no later than the GPU job, both by their estimates (without one, nothing is),
//   - fewer than `jobs` CPU-only jobs are there,
//   - the CPU load of the node, all needs over its capacity, stays within `load` percent, and its memory
//     suffices. Nodes without a GPU job are filled by whole needs.
// The other nodes with devices are kept for GPU jobs, and lent only to jobs that the nodes without devices
// could not hold even if they were empty. With a load above 100 % jobs share the CPU as an operating system
// has them share it: equal yields, and more only where a job's guarantee (Demand::min_yield) says so.
//
// Source: Das, Sudhakaran and Ashok, "Learning Based Performance and Power Efficient Cluster Resource
// Manager for CPU-GPU Cluster", section III (Collocation Aware and Power Efficient Resource Manager). The
// paper leaves the bounds to the administrator; it measures up to three CPU-only jobs, the default here.
#pragma once

#include "policies/grammar.hpp"
#include "policies/policy.hpp"

namespace aliquot {

struct CapeRmSpec {
  std::uint32_t jobs = 3;    // CPU-only ones beside the GPU job of a node; 0: no collocation
  std::uint32_t load = 100;  // percent of the capacity of a node with a GPU job
};

// "CAPE-RM", "CAPE-RM:jobs=1,load=150".
[[nodiscard]] const PolicyGrammar<CapeRmSpec>& cape_rm_grammar();

class CapeRm : public Policy {
 public:
  explicit CapeRm(const CapeRmSpec& spec) : spec_(spec) {}

  [[nodiscard]] std::string name() const override { return cape_rm_grammar().print(spec_); }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] bool shares_cpu() const override { return false; }
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  CapeRmSpec spec_;
};

}  // namespace aliquot
