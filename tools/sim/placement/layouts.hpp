// How jobs stand on the array of nodes: packing factor, fragmentation and spread (AUCSCHED, sec. 6).
//
// Watches a run and keeps of each job the placement it started with. Formulas in GLOSSARY.md.
#pragma once

#include <map>

#include "monitor/observer.hpp"
#include "policies/placement/model/layout.hpp"

namespace aliquot {

class Layouts : public Observer {
 public:
  void on_step(const Step& step, const ClusterView& after) override;

  // None: the job never started.
  [[nodiscard]] const Layout* of(JobId job) const {
    const auto found = layouts_.find(job);
    return found == layouts_.end() ? nullptr : &found->second;
  }

 private:
  std::map<JobId, Layout> layouts_;
};

// The fewest nodes that could hold so many cores, as many to a node as it may have there.
[[nodiscard]] constexpr std::uint32_t fewest_nodes(std::uint32_t cores, std::uint32_t per_node) {
  return (cores + per_node - 1) / per_node;
}

}  // namespace aliquot
