// Declared needs that are wrong: the jobs of a trace need something else than their users say, by seed.
//
// The largest need of a job is drawn between a quarter of its need in the trace and all of it, and what its
// user declares is off from that by a factor of up to `factor` in either direction, or only above, both
// uniform in the logarithm; at most a whole node. Of the jobs, one part keeps its need; one part goes
// through two to six phases, each with a need between a quarter of the largest and all of it; one part
// drifts from one such need to another in eight equal steps. A phase is a share of the run time.
#pragma once

#include "tools/sim/workload.hpp"

namespace aliquot::needs {

struct WrongNeeds {
  std::uint64_t seed = 1;
  double factor = 4;
  bool only_above = false;   // no job declares less than it needs
  double with_phases = 0.2;  // of the jobs
  double drifting = 0.2;     // of the jobs
};

// The workload with `true_needs` of each job, and declared needs that are wrong.
[[nodiscard]] Workload declare_wrongly(Workload workload, const WrongNeeds& how, Cpu node);

}  // namespace aliquot::needs
