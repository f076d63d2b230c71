// Questions after VMs that several agents answer: each becomes one answer when all have spoken, or when
// those that are silent will not. Belongs to one thread.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "manager/hypervisor/hypervisor.hpp"

namespace aliquot::agent {

class AgentInspections {
 public:
  using Clock = std::chrono::steady_clock;
  using Answer = std::function<void(const VmQuery&, const Inspected&)>;
  explicit AgentInspections(Answer answer) : answer_(std::move(answer)) {}

  // `asked` nodes answer, each once, by found(); of the others it is not known whether the VM is there.
  void begin(const VmQuery& query, std::set<NodeId> asked, bool all_are_asked, Clock::time_point give_up);
  // False: nothing was asked that this could answer.
  bool found(NodeId node, const Inspected& fact);
  // The node will not answer: what it was asked stays unknown, or counts as denied.
  void lost(NodeId node, bool is_off);
  void every_second(Clock::time_point now);

 private:
  struct Inspection {
    VmQuery query;
    std::set<NodeId> waiting;
    Inspected best;  // of what has been found; absent if all have denied it
    Clock::time_point give_up;
  };
  void answer_if_done();

  const Answer answer_;
  std::list<Inspection> open_;  // oldest first
};

}  // namespace aliquot::agent
