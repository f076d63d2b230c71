// `evaluate evolving-online`: the applications of the paper (test_case.hpp) arrive one after the other, and
// are submitted with their profiles, or with the most tasks of the profile for the whole time (rigid),
// under batch policies and under one that shares nodes. Beyond the paper, whose evaluation is offline
// (Klein and Perez, "Towards Scheduling Evolving Applications", 2011, sec. 5).
//
// A task needs the CPU of a whole node and a part of its memory. Arrivals are a Poisson process whose rate
// gives the offered load: the area of the profiles, over that of the cluster. Estimates are exact. The
// stretch of a job is relative to the duration of its profile, however it is submitted.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "policies/model/time.hpp"
#include "tools/sim/decimal.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot::evolving {

struct OnlineOptions {
  std::uint32_t traces = 20;     // of each load
  std::uint32_t first_seed = 1;  // of the first trace; each further one has the next
  std::uint64_t jobs = 100;      // of each trace
  std::uint32_t nodes = 100;
  std::vector<Decimal> loads = {{kPico * 3 / 10}, {kPico * 5 / 10}, {kPico * 7 / 10}};
  Decimal memory{kPico * 4 / 10};   // of a node's, for each task
  Duration penalty = seconds(300);  // after a resume or a move
};

struct OnlineVariant {
  std::string_view policy;
  bool evolving = false;  // submitted with their profiles; else rigid
};
inline constexpr std::array<OnlineVariant, 9> kOnlineVariants = {{
    {"EASY", false},
    {"FIT", false},
    {"ALIQUOT", false},
    {"EASY", true},
    {"FIT", true},
    {"FIT/expand=2", true},
    {"FIT/expand=inf", true},
    {"FIT/expand=inf/compact", true},
    {"ALIQUOT", true},
}};

// Of one trace under one variant.
struct OnlineRun {
  double avg_stretch = 1;
  double max_stretch = 1;
  Duration makespan;  // first submission to last end
};

struct OnlineTrace {
  Decimal load;
  std::uint32_t seed = 1;
  std::array<OnlineRun, kOnlineVariants.size()> runs;  // by variant
};

struct OnlineStudy {
  OnlineOptions options;
  std::vector<OnlineTrace> traces;  // by load, then seed
};

// The jobs of a trace. Of a rigid one the profile is left out.
[[nodiscard]] Workload online_workload(const OnlineOptions& options, Decimal load, std::uint32_t seed,
                                       bool evolving);

// On so many threads, whose number changes nothing but the time. Shows its progress on standard error.
// Errors: a cluster that is smaller than a step (invalid_argument); a run that cannot be finished.
[[nodiscard]] Result<OnlineStudy> online_study(const OnlineOptions& options, unsigned workers);

}  // namespace aliquot::evolving
