#include "manager/hypervisor/agent/agent_inspections.hpp"

#include <utility>

namespace aliquot::agent {
namespace {

// Where agents differ the stronger fact holds. An image tells nothing as long as a node is silent: the VM
// may have been restored from it there.
int strength(VmFact fact) {
  switch (fact) {
    case VmFact::running:
    case VmFact::paused:
      return 4;
    case VmFact::ended:
      return 3;
    case VmFact::unknown:
      return 2;
    case VmFact::saved:
      return 1;
    case VmFact::absent:
      return 0;
  }
  return 0;
}

void take_stronger(Inspected& best, const Inspected& fact) {
  if (strength(fact.fact) > strength(best.fact)) best = fact;
}

}  // namespace

void AgentInspections::begin(const VmQuery& query, std::set<NodeId> asked, bool all_are_asked,
                             Clock::time_point give_up) {
  const VmFact first = all_are_asked ? VmFact::absent : VmFact::unknown;
  Inspected best{query.job, query.task, query.incarnation, first, {}, {}};
  open_.push_back({query, std::move(asked), best, give_up});
  answer_if_done();
}

bool AgentInspections::found(NodeId node, const Inspected& fact) {
  for (Inspection& each : open_) {
    const VmQuery& query = each.query;
    if (query.job != fact.job || query.task != fact.task || query.incarnation != fact.incarnation) continue;
    if (each.waiting.erase(node) == 0) continue;
    take_stronger(each.best, fact);
    answer_if_done();
    return true;
  }
  return false;
}

void AgentInspections::lost(NodeId node, bool is_off) {
  for (Inspection& each : open_) {
    if (each.waiting.erase(node) == 0 || is_off) continue;
    Inspected unknown = each.best;
    unknown.fact = VmFact::unknown;
    take_stronger(each.best, unknown);
  }
  answer_if_done();
}

void AgentInspections::every_second(Clock::time_point now) {
  for (Inspection& each : open_) {
    if (each.waiting.empty() || now < each.give_up) continue;
    each.waiting.clear();
    Inspected unknown = each.best;
    unknown.fact = VmFact::unknown;
    take_stronger(each.best, unknown);
  }
  answer_if_done();
}

void AgentInspections::answer_if_done() {
  for (auto at = open_.begin(); at != open_.end();) {
    if (!at->waiting.empty()) {
      ++at;
      continue;
    }
    const Inspection done = std::move(*at);
    at = open_.erase(at);
    answer_(done.query, done.best);
  }
}

}  // namespace aliquot::agent
