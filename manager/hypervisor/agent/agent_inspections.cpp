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

Inspected with_unknown(const Inspected& best) {
  Inspected stronger = best;
  Inspected unknown = best;
  unknown.fact = VmFact::unknown;
  take_stronger(stronger, unknown);
  return stronger;
}

bool is_denied(VmFact fact) { return fact == VmFact::absent || fact == VmFact::saved; }

}  // namespace

void AgentInspections::begin(const VmQuery& query, Asked asked, bool is_everywhere) {
  const Inspected first{query.job, query.task, query.incarnation, VmFact::absent, {}, {}};
  Inspection begun{query,         std::move(asked.nodes), asked.all ? first : with_unknown(first),
                   asked.give_up, is_everywhere,          false};
  if (begun.waiting.empty()) return conclude(std::move(begun));
  open_.emplace(Key{query.job, query.task, query.incarnation}, std::move(begun));
}

bool AgentInspections::found(NodeId node, const Inspected& fact) {
  const auto [first, last] = open_.equal_range(Key{fact.job, fact.task, fact.incarnation});
  for (auto at = first; at != last; ++at) {
    Inspection& each = at->second;
    if (each.waiting.erase(node) == 0) continue;
    take_stronger(each.best, fact);
    if (each.waiting.empty()) {
      Inspection done = std::move(each);
      open_.erase(at);
      conclude(std::move(done));
    }
    return true;
  }
  return false;
}

void AgentInspections::lost(NodeId node, bool is_off) {
  for (auto& [key, each] : open_)
    if (each.waiting.erase(node) > 0 && !is_off) each.best = with_unknown(each.best);
  conclude_those_done();
}

void AgentInspections::every_second(Clock::time_point now) {
  for (auto& [key, each] : open_) {
    if (now < each.give_up) continue;
    each.waiting.clear();
    each.best = with_unknown(each.best);
  }
  conclude_those_done();
}

void AgentInspections::conclude_those_done() {
  std::deque<Inspection> done;
  for (auto at = open_.begin(); at != open_.end();) {
    if (!at->second.waiting.empty()) {
      ++at;
      continue;
    }
    done.push_back(std::move(at->second));
    at = open_.erase(at);
  }
  for (Inspection& each : done) conclude(std::move(each));
}

// An image does not prove that the VM is nowhere: another program may have moved it before.
void AgentInspections::conclude(Inspection done) {
  if (done.is_search) --searches_;
  if (!done.is_everywhere && done.query.exists && is_denied(done.best.fact))
    denied_.push_back(std::move(done));
  else
    answer_(done.query, done.best);
  begin_searches();
}

void AgentInspections::begin_searches() {
  while (searches_ < kMostSearches && !denied_.empty()) {
    Inspection next = std::move(denied_.front());
    denied_.pop_front();
    Asked others = ask_others_(next.query);
    if (!others.all) next.best = with_unknown(next.best);
    if (others.nodes.empty()) {
      answer_(next.query, next.best);
      continue;
    }
    next.waiting = std::move(others.nodes);
    next.give_up = others.give_up;
    next.is_everywhere = next.is_search = true;
    ++searches_;
    const Key key{next.query.job, next.query.task, next.query.incarnation};
    open_.emplace(key, std::move(next));
  }
}

}  // namespace aliquot::agent
