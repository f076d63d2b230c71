// `evaluate collocation`: CPU-only jobs beside GPU jobs. Generated traces of both on a cluster of mixed
// node classes are simulated without collocation, under the rule of the CAPE-RM paper, with
// several bounds on the load and the jobs of a node, and under HYBRID and COLLOCATE, where GPU jobs have a
// guaranteed yield.
//
// The slowdown ratio of a GPU job is the paper's: (time shared - time alone) / time alone, where the time
// shared is from its start to its end. Here all that slows it is CPU that others have: the model has no
// interference in caches and memory, and a GPU job is as slow as its CPU.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tools/experiments/collocation/mixed_cluster.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot::collocation {

struct StudyRule {
  std::string_view policy;
  bool guaranteed = false;  // GPU jobs have the guaranteed yield of the options; else none
};
inline constexpr std::array<StudyRule, 7> kRules = {{
    {"CAPE-RM:jobs=0"},
    {"CAPE-RM"},
    {"CAPE-RM:load=150"},
    {"CAPE-RM:jobs=1,load=300"},
    {"CAPE-RM:load=300"},
    {"HYBRID(IPSCHED,ALIQUOT)", true},
    {"COLLOCATE(IPSCHED,ALIQUOT)", true},
}};

struct CollocationOptions {
  std::vector<NodeClass> mix;
  std::uint32_t nodes = 32;
  std::vector<double> loads = {0.3, 0.5, 0.7, 0.9};
  std::uint32_t seeds = 5;  // traces of each load
  std::uint32_t first_seed = 1;
  Duration time = seconds(86'400);  // of submissions
  Yield guarantee = kFullYield;     // of GPU jobs, where the rule has one
  Duration penalty = seconds(300);  // after a resume or a move
};

// Of one trace under one rule. Stretches are bounded.
struct CollocationRun {
  double slowdown_mean = 0;  // of GPU jobs
  double slowdown_worst = 0;
  double gpu_max = 1, gpu_mean = 1;  // stretch of GPU jobs
  double cpu_max = 1, cpu_mean = 1;  // of CPU-only jobs
  double mean = 1;                   // of all
  double nodes_used = 0;             // that hold a task, over the time of submissions
};

struct CollocationOutcome {
  double load = 0;
  std::uint32_t seed = 0;
  std::uint32_t gpu_jobs = 0;
  std::uint32_t cpu_jobs = 0;
  std::array<CollocationRun, kRules.size()> runs;
};

struct CollocationStudy {
  CollocationOptions options;
  std::vector<CollocationOutcome> outcomes;
};

// On so many threads, whose number changes nothing but the time. Shows its progress on standard error.
// Errors: a mix that the nodes cannot have; a run that cannot be finished.
[[nodiscard]] Result<CollocationStudy> collocation_study(const CollocationOptions& options,
                                                         unsigned workers);

// One trace under one rule.
[[nodiscard]] Result<CollocationRun> collocation_run(Workload workload, const ClusterShape& shape,
                                                     const CollocationOptions& options,
                                                     const StudyRule& rule);

}  // namespace aliquot::collocation
