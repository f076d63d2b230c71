// Sixty jobs of one or two tasks, by seed, that overload half a dozen nodes; and a whole run of them.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "policies/policy.hpp"
#include "test/support/random_view.hpp"
#include "tools/sim/cluster_shape.hpp"
#include "tools/sim/simulation.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot::test {

inline Workload small_workload(std::uint64_t seed, const ClusterShape& shape, bool spreads = false) {
  Dice dice(seed);
  Workload made;
  std::int64_t submit = 0;
  for (std::uint64_t id = 1; id <= 60; ++id) {
    TraceJob job;
    job.id = {id};
    submit += dice.between(0, 30'000'000);
    job.submitted = Instant{submit};
    job.tasks = static_cast<std::uint32_t>(dice.between(1, 2));
    job.cpu_need = {kPico / 4 * dice.between(1, 4)};
    job.memory = {kPico / 20 * dice.between(1, 12)};
    job.runtime = Duration{dice.between(1, 300'000'000)};
    made.jobs.push_back(make_job(job, shape));
    if (spreads && dice.chance(20)) made.jobs.back().submission.demand.spread = {1, 2, 1, dice.chance(50)};
  }
  return made;
}

// Every job ends once, and the observer has nothing to complain of. Seeds differ in the penalty, too.
// `Seen`: an Observer with a `complaint`, and in `ended` how often each job has ended.
template <class Seen>
void run_to_the_end(const Workload& jobs, const ClusterShape& shape, const std::string& policy,
                    std::uint64_t seed, Seen& seen) {
  ModelOptions model;
  model.seed = seed;
  model.penalty = seconds(seed % 2 == 0 ? 0 : 60);
  Simulation simulation(jobs, shape, model, *make_policy(policy), seen);
  const auto done = simulation.run();
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_EQ("", seen.complaint);
  ASSERT_EQ(jobs.jobs.size(), seen.ended.size());
  for (const auto& [job, times] : seen.ended) ASSERT_EQ(1, times) << job.raw;
}

}  // namespace aliquot::test
