// What became of a job, for people: from what it had to what it has, by which decision, and why. Entries
// are made beside the core from what it did (manager/api/explain/chronicle), stand in the step that they
// belong to, and change nothing: a replay does without them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policies/model/plan.hpp"

namespace aliquot {

enum class Turn : std::uint8_t {
  wait,     // a decision left it without a place, or left it for another reason than before
  start,    // placed for the first time
  resume,   // placed again
  pause,    // taken off its nodes by a decision
  move,     // other nodes, while it runs
  cap,      // another yield, on the same nodes
  lost,     // off its nodes without a decision: they failed, or it was sent back
  refused,  // a decision that would have changed it broke a law, and nothing of it was done
  advised,  // a decision that would have changed it was only shown: the mode is advise
  failed,   // an action on its VMs did not succeed
  ended,
  checkpoint,  // what it has done until then cannot be lost any more
  rollback,    // it has lost VMs and goes on from its newest checkpoint
  rerun,       // it starts anew from the beginning
  foreign,     // another program did something to its VMs
  need,        // a task of it needs another amount of CPU
  tasks,       // it grows or shrinks, or is to do so
};

// Where a job stands in the plan in force.
struct Standing {
  Phase phase = Phase::waiting;
  Yield yield;
  Placement placement;
  friend bool operator==(const Standing&, const Standing&) = default;
};

struct ChronicleEntry {
  std::optional<JobId> job;  // none: a decision refused as a whole
  Turn turn = Turn::wait;
  std::uint64_t decision = 0;  // number of the step in which it was taken; 0: none led to this
  std::string cause;           // what the decision was about: "job 7 arrived"
  Standing before;
  Standing after;                // of refused and advised: as it would have been
  std::optional<Reason> reason;  // of wait, pause and lost
  std::string text;              // one sentence more, if there is something to say
  std::vector<JobId> for_jobs;   // that gained by the decision that took from this one; at most 8
  friend bool operator==(const ChronicleEntry&, const ChronicleEntry&) = default;
};

}  // namespace aliquot
