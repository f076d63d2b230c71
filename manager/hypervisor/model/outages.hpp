// Which nodes the manager cannot reach now, and which of them are dead: the outages that were given and, if
// nodes are to fail by chance, those that are drawn one after the other (node_failures.hpp).
#pragma once

#include <vector>

#include "manager/hypervisor/model/agenda.hpp"
#include "manager/hypervisor/model/chance.hpp"
#include "manager/hypervisor/model/model_options.hpp"
#include "policies/model/view.hpp"

namespace aliquot::model {

class Outages {
 public:
  // Enters all outages that are known into the agenda. All outlive this.
  Outages(const std::vector<Node>& nodes, const ModelOptions& options, const Chance& chance,
          Agenda& agenda);

  [[nodiscard]] bool is_reachable(NodeId node) const { return unreachable_[node.raw] == 0; }
  // Its VMs are gone.
  [[nodiscard]] bool is_dead(NodeId node) const { return dead_[node.raw] > 0; }
  // The outage begins or ends now, and is counted.
  const Outage& pass(const OutageEdge& edge);
  // After the end of a drawn failure: draws the next one of its node.
  void draw_next(const OutageEdge& edge, Instant now);
  // Entries of the agenda about drawn failures. There is no end to them.
  [[nodiscard]] std::size_t endless_entries() const { return endless_; }

 private:
  void enter(std::size_t number);

  const ModelOptions& options_;
  const Chance& chance_;
  Agenda& agenda_;
  std::vector<Outage> outages_;
  std::vector<int> unreachable_;  // outages at this moment, by node
  std::vector<int> dead_;         // those of them in which the node died
  std::size_t endless_ = 0;
};

}  // namespace aliquot::model
