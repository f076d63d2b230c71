// What a policy answers: a wish, as a delta. Jobs it does not name stay as they are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policies/model/view.hpp"

namespace aliquot {

// From now on this job stands there at this yield; with an empty placement it is paused (its yield is 0).
// A job that waits or is paused and gets a placement is started or resumed.
struct Change {
  JobId job;
  Placement placement;
  Yield yield;
  // Parallel to the placement for a job that asks for devices, else empty. They stay while it is placed.
  std::vector<DeviceSet> devices{};
  friend bool operator==(const Change&, const Change&) = default;
};

struct Plan {
  std::vector<Change> changes;     // in increasing job id, each job at most once
  PolicyMemory memory;             // what the policy wants to be handed next time
  std::optional<Instant> wake_at;  // ask again then even if nothing happens; later than view.now
  friend bool operator==(const Plan&, const Plan&) = default;
};

// Why a job is not running, or not at full yield. Closed: a label of the metrics, a word of the protocol.
enum class Reason : std::uint8_t {
  running_at_full_yield,
  sharing_cpu,        // running, below yield 1: the CPU of its fullest node is shared
  in_flight,          // its VMs are being created, saved, restored or moved
  held,               // by its user or an operator
  waiting_for_tick,   // this policy places at its period only
  backing_off,        // this policy tries again at an instant of its own
  memory,             // no set of nodes has enough free memory for all its tasks
  min_yield,          // its or others' guaranteed yields leave too little CPU
  nodes_busy,         // batch: not enough idle nodes
  behind_in_queue,    // batch: an earlier job is served first
  reserved,           // batch: would delay the reservation of the first job
  lower_priority,     // packed out in favour of jobs of higher priority
  nodes_unavailable,  // nodes that would do are draining, suspect, down or asleep
  never_fits,         // no such cluster, even empty, could hold it
  not_scheduled,      // the manager's mode is not auto, or the policy's plan broke a law
  other_policy,       // this policy places no devices, or knows no spreads
  devices,            // too few free devices of the model that it asks for
  spread,             // no such set of nodes as it asks for has room now
  save_space,         // it is to be paused, and the spool has no space for its memory
  node_silent,        // a node on which it stands does not answer
  tied,               // the nodes that keep its saved VMs, and they alone, cannot take it now
  deferred,           // it may not start before other jobs have, or before a time
  array_throttle,     // an array: as many of its members stand as may, or all have been made
  account_limit,      // its account, or its user in the account, has all that it may
  maintenance,        // nodes that would do are to be empty before it is sure to have ended
};

struct NodeCount {
  std::string what;  // for example "free memory below 128 MiB"
  std::uint32_t nodes = 0;
};

struct Explanation {
  Reason reason = Reason::memory;
  std::string text;                 // one sentence, with the figures, and what would have to change
  std::vector<NodeCount> nodes;     // grouped counts: why so many nodes do not do
  std::string tightest;             // "memory", "cpu" or empty
  std::vector<JobId> held_by;       // jobs that hold the tightest resource, largest first, at most 8
  std::optional<Instant> retry_at;  // when the policy will look again, if it knows
};

}  // namespace aliquot
