#include "manager/hypervisor/model/outages.hpp"

#include "manager/hypervisor/model/node_failures.hpp"

namespace aliquot::model {

Outages::Outages(const std::vector<Node>& nodes, const ModelOptions& options, const Chance& chance,
                 Agenda& agenda)
    : options_(options),
      chance_(chance),
      agenda_(agenda),
      outages_(options.outages),
      unreachable_(nodes.size()),
      dead_(nodes.size()) {
  if (options.mtbf.raw > 0)
    for (const Node& node : nodes) outages_.push_back(draw_failure(chance, options, node.id, 1, Instant{}));
  for (std::size_t number = 0; number < outages_.size(); ++number) enter(number);
}

void Outages::enter(std::size_t number) {
  const Outage& outage = outages_[number];
  agenda_.enter(outage.from, OutageEdge{number, true});
  agenda_.enter(outage.from + outage.length, OutageEdge{number, false});
  if (outage.number > 0) endless_ += 2;
}

const Outage& Outages::pass(const OutageEdge& edge) {
  const Outage& outage = outages_[edge.outage];
  const int change = edge.begins ? 1 : -1;
  unreachable_[outage.node.raw] += change;
  if (outage.dies) dead_[outage.node.raw] += change;
  if (outage.number > 0) --endless_;
  return outage;
}

void Outages::draw_next(const OutageEdge& edge, Instant now) {
  const Outage& last = outages_[edge.outage];
  outages_[edge.outage] = draw_failure(chance_, options_, last.node, last.number + 1, now);
  enter(edge.outage);
}

}  // namespace aliquot::model
