// Where CAPE-RM lets a CPU-only job stand: beside which GPU job, and how much of it.
//
// Follows a draft: the caller tells of each job that it places. Knows the bounds of the rule, not the order
// of the jobs.
#pragma once

#include <vector>

#include "policies/collocation/cape_rm.hpp"
#include "policies/draft.hpp"
#include "policies/placement/model/nodes.hpp"

namespace aliquot {

class CollocationRule {
 public:
  CollocationRule(const Draft& draft, const CapeRmSpec& spec);

  // What a node is to a CPU-only job.
  enum class Verdict : std::uint8_t {
    open,       // it has no devices, or a GPU job that outlasts the job, or is lent to it
    outlasted,  // its GPU job is expected to end before the job, or nothing is expected of one of them
    crowded,    // as many CPU-only jobs as may be are beside its GPU job
    kept,       // for GPU jobs
    not_usable,
  };
  [[nodiscard]] std::vector<Verdict> verdicts(std::size_t entry) const;  // by node

  // Tasks of the demand that the node can take within the bound on its load.
  [[nodiscard]] std::uint32_t tasks_on(std::uint32_t n, const Demand& demand) const;
  // Where the job goes: nodes without devices first, then where the fewest CPU-only jobs are, of these on
  // few nodes. Empty: nowhere now.
  [[nodiscard]] Placement placement_of(std::size_t entry) const;

  // The nodes on which a GPU job may not start: they have one, or more CPU-only jobs than may be beside
  // one.
  [[nodiscard]] std::vector<bool> closed_to_gpu_jobs() const;

  void placed(std::size_t entry);  // tells that the draft has placed it

 private:
  struct Tenants {
    bool gpu_job = false;
    Instant gpu_job_ends = kNever;  // expected, of the first to end; the present if that is unknown
    std::uint32_t cpu_jobs = 0;     // CPU-only
  };
  [[nodiscard]] bool needs_lent_nodes(const Demand& demand) const;

  const Draft& draft_;
  CapeRmSpec spec_;
  std::vector<Tenants> tenants_;  // by node
};

}  // namespace aliquot
