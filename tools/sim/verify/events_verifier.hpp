// Verifies the events of a run (--events-out) against its workload, from first principles. It shares no
// code with the writer of the file, except the model's units.
//
// The laws: a job is submitted when the workload says, then started, then paused, resumed, moved and given
// other yields in a possible order, and it ends; all its tasks are placed, or none; no node is ever given
// more memory or CPU than it has; the virtual time of a completed job, the integral of its rate outside its
// stalls, is its run time; a resume or a move stalls the job for the penalty. A job with devices holds as
// many as it asks for on each of its nodes, keeps them, and is neither paused nor moved; no device is given
// beyond its parts; a spread is as the job asks. An evolving job grows and shrinks within the numbers of
// tasks of the steps that its virtual time has come to, and while it has fewer tasks than its step says,
// its rate is at most that part of its yield.
//
// Where jobs evolve, what moves cost is not checked: tasks that join have no VM yet and are put elsewhere
// at no cost, and an instant has several decisions, of which a later one may take a move back.
#pragma once

#include <map>

#include "tools/sim/verify/event_rows.hpp"
#include "tools/sim/verify/findings.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot {

// One job, according to the events so far.
struct JobHistory {
  const WorkloadJob* asked = nullptr;
  const std::vector<LaterStep>* profile = nullptr;  // of an evolving job
  bool submitted = false;
  std::optional<Instant> started;
  std::optional<Instant> ended;
  VirtualTime virtual_time;
  std::uint64_t preemptions = 0;
  std::uint64_t migrations = 0;
  Int128 preempted = 0;  // bytes
  Int128 migrated = 0;

  // Now.
  enum class State : std::uint8_t { unknown, waiting, placed, paused, gone };
  State state = State::unknown;
  Placement placement;
  std::uint64_t tasks = 0;  // when it last stood somewhere
  std::vector<DeviceSet> devices;
  Yield yield;
  Yield rate;
  Instant since;
  Instant stalled_until;
};

// Of the running jobs, over time; as in GLOSSARY.md.
struct YieldSums {
  Int128 yield_time = 0;
  Int128 lowest_time = 0;
  Int128 job_time = 0;
  Int128 busy = 0;
  Yield lowest = kFullYield;
  Instant first;
  Instant last;
};

struct EventsReading {
  std::map<JobId, JobHistory> jobs;
  YieldSums yields;
  std::uint64_t rows = 0;
};

// `nodes` empty: capacities are not known, and not checked.
[[nodiscard]] Result<EventsReading> verify_events(const Workload& workload, const std::vector<Node>& nodes,
                                                  Duration penalty, const std::string& path,
                                                  Findings& findings);

}  // namespace aliquot
