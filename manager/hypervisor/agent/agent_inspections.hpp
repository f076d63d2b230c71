// Questions after VMs that several agents answer: each becomes one answer when all have spoken, or when
// those that are silent will not. Belongs to one thread.
//
// A VM that should exist is asked for on its own nodes first, and on all others only if these deny it. When
// all nodes come back at once, thousands of VMs may be denied together: no more than kMostSearches of them
// are searched for at a time.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "manager/hypervisor/hypervisor.hpp"

namespace aliquot::agent {

// Each search brings an answer of every node.
inline constexpr std::size_t kMostSearches = 64;

class AgentInspections {
 public:
  using Clock = std::chrono::steady_clock;
  using Answer = std::function<void(const VmQuery&, const Inspected&)>;
  // The nodes that answer, each once, by found(). `all`: on no other node can the VM be; else what none of
  // these has stays unknown.
  struct Asked {
    std::set<NodeId> nodes;
    bool all = true;
    Clock::time_point give_up;
  };
  // Asks the nodes that the query does not name.
  using AskOthers = std::function<Asked(const VmQuery&)>;
  AgentInspections(Answer answer, AskOthers ask_others)
      : answer_(std::move(answer)), ask_others_(std::move(ask_others)) {}

  // `is_everywhere`: there are no others to be asked.
  void begin(const VmQuery& query, Asked asked, bool is_everywhere);
  // False: nothing was asked that this could answer.
  bool found(NodeId node, const Inspected& fact);
  // The node will not answer: what it was asked stays unknown, or counts as denied.
  void lost(NodeId node, bool is_off);
  void every_second(Clock::time_point now);

 private:
  using Key = std::tuple<JobId, std::uint32_t, std::uint32_t>;  // job, task, incarnation
  struct Inspection {
    VmQuery query;
    std::set<NodeId> waiting;
    Inspected best;  // of what has been found; absent if all have denied it
    Clock::time_point give_up;
    bool is_everywhere = false;
    bool is_search = false;  // of all nodes, after those where it should be
  };
  using Open = std::multimap<Key, Inspection>;  // of one VM the oldest first

  void conclude(Inspection done);
  void conclude_those_done();
  void begin_searches();

  const Answer answer_;
  const AskOthers ask_others_;
  Open open_;
  std::deque<Inspection> denied_;  // by all nodes where they should be; to be searched for
  std::size_t searches_ = 0;       // of those in open_
};

}  // namespace aliquot::agent
