// The yields of the running jobs over time, from the steps of a run: means weighted by time, and the
// lowest.
//
// A yield is what the plan in force gives. A job that is stalled by a rescheduling penalty keeps its yield;
// a paused job has none. The work is constant for each change of a plan, except that the lowest yield is
// searched again when the last job that had it has changed.
#pragma once

#include <cstdint>
#include <vector>

#include "monitor/record/step.hpp"

namespace aliquot {

struct YieldFigures {
  double mean = 1;          // over jobs and time: integral of sum y / integral of the number running
  double lowest = 1;        // the least that any job had for any time
  double mean_lowest = 1;   // of the lowest yield, over the time in which anything ran
  double mean_running = 0;  // jobs running, over the time from the first step to the last
};

class YieldClock {
 public:
  void take(const Step& step, const ClusterView& after);
  [[nodiscard]] YieldFigures figures() const;

 private:
  void pass(Instant now);
  void set(JobId job, Yield yield);
  void remove(JobId job);
  void leave_lowest(Yield yield);
  void meet_lowest(Yield yield);
  void follow(const ClusterView& view);

  std::vector<Yield> yields_;  // of the running jobs, in no order
  std::vector<JobId> jobs_;
  IdTable<JobId, std::size_t> place_;  // of a job in both
  Int128 sum_ = 0;                     // of yields_
  Yield lowest_ = kFullYield;
  std::size_t at_lowest_ = 0;  // how many jobs have it; 0: look for it anew

  bool began_ = false;
  Instant began_at_;
  Instant now_;
  Int128 yield_time_ = 0;   // integral of sum_, ppm x us
  Int128 lowest_time_ = 0;  // integral of lowest_
  Int128 job_time_ = 0;     // integral of the number of running jobs, us
  Duration busy_;           // while any job ran
  Yield lowest_ever_ = kFullYield;
};

}  // namespace aliquot
