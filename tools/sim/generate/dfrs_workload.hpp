// The synthetic workloads of the DFRS paper (IPDPS 2010, IV-C): typed Lublin-Feitelson jobs, annotated
// with CPU needs and memory, the time between arrivals scaled to a load.
//
// One task for each node the model asks for; a quad-core node. CPU need: 0.25 of a node if the job has one
// task, else 1. Memory per task: 0.1 of a node with probability 0.55, else 0.1 x, x uniform in 2 to 10.
//
// Draws: the jobs are lublin(seed), from its own generator. The memory of job j is drawn from another one
// (Chance, manager/hypervisor/model/chance.hpp) with the same seed, by counter: with a = draw(j, 0, 0),
// it is 0.1 if a mod 20 < 11, else 0.1 (2 + draw(j, 1, 0) mod 9). Jobs do not influence each other: a
// longer workload begins with the shorter one, and every load has the same jobs.
//
// Load: sum(run time x tasks) / (nodes x time from the first to the last submission). All submission times
// are multiplied by one factor and rounded to a microsecond; no factor where no load is given.
// Errors: a workload without a span (a single job) cannot be scaled.
#pragma once

#include <optional>

#include "tools/sim/workload.hpp"

namespace aliquot {

struct DfrsOptions {
  std::uint32_t seed = 1;
  std::optional<double> load;  // more than 0; none: as the model has it
  std::uint64_t jobs = 1000;
  std::uint32_t nodes = 128;
};

// For nodes of 4 cores and 8 GB, which is what ClusterShape is by default.
[[nodiscard]] Result<Workload> dfrs_workload(const DfrsOptions& options);

// The load of a workload, as above, on this number of nodes; 0 if it has no span.
[[nodiscard]] double load_of(const Workload& workload, std::uint32_t nodes);

}  // namespace aliquot
