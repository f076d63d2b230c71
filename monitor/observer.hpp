// An observer is told of every step of the scheduler: metrics, text log, journal, CPU accounting, the
// simulator's reports. It never answers, and nothing that it does reaches the core.
//
// A step is told twice. When it is made, on_step() hands out the view as this very step left it: whatever
// an observer needs to know of jobs and nodes, it takes then. When it is on disk, on_durable() lets an
// observer act on the world outside the process: write a log line, remove files. By then the manager may be
// several steps further; so no view comes with it. Where there is no store (the simulator), a step counts
// as durable at once.
#pragma once

#include "monitor/record/step.hpp"

namespace aliquot {

class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  // `after` is valid during the call only. The step may still be lost, with the process.
  virtual void on_step(const Step& /*step*/, const ClusterView& /*after*/) {}
  // Called in the order of the steps.
  virtual void on_durable(const Step& /*step*/) {}
};

}  // namespace aliquot
