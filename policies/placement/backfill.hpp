// BACKFILL: what the papers compare themselves with (IPSCHED, sec. 4 and 5): Slurm's backfill over nodes
// whose cores and devices are counted, so that jobs share nodes.
//
// At every event jobs start in the order of their priority, each on as few nodes as hold it (BESTFIT),
// until one finds no room. At every interval the first jobs by priority, `window` of them, are looked at in
// that order: who can start without disturbing those ahead starts, everybody else reserves the earliest
// start there is and holds it against those behind. Reservations are made anew each time. Whoever runs
// keeps what it has. Basic and multifactor priorities as in window.hpp.
#pragma once

#include "policies/placement/grammar.hpp"
#include "policies/policy.hpp"

namespace aliquot {

class Backfill : public Policy {
 public:
  explicit Backfill(const CollectiveSpec& spec) : spec_(spec) {}

  [[nodiscard]] std::string name() const override { return to_string(spec_); }
  [[nodiscard]] std::optional<Duration> period() const override { return spec_.interval; }
  [[nodiscard]] Plan decide(const ClusterView& view) const override;
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override;

 private:
  CollectiveSpec spec_;
};

}  // namespace aliquot
