// `evaluate needs`: what wrong declarations of CPU needs cost, and how much of that is won back when needs
// are learned while jobs run. Each trace is simulated with the needs that users declare, with learned ones,
// with ones that may also be raised above what is declared, and with the true ones, which are known in a
// simulation only.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tools/experiments/campaign/synthetic_traces.hpp"
#include "tools/experiments/needs/wrong_needs.hpp"
#include "tools/sim/needs/watched_needs.hpp"

namespace aliquot::needs {

struct NeedOptions {
  SyntheticTraces traces;
  std::vector<std::string> policies = {"ALIQUOT", "DYNMCB8-ASAP-PER-600"};
  WrongNeeds wrong;  // its seed is that of the trace
  Duration penalty = seconds(300);
};

// Bounded stretches: turnaround / time alone, by what the jobs really need.
struct Stretches {
  std::uint64_t jobs = 0;
  double mean = 1;
  double largest = 1;
};

struct NeedRun {
  Stretches all;
  Stretches long_jobs;  // of more than kLongJob, alone
  NeedFigures needs;
};
inline constexpr Duration kLongJob = seconds(300);

// A trace under one policy.
struct NeedOutcome {
  std::string policy;
  std::uint32_t seed = 0;
  std::optional<Decimal> load;                        // none: unscaled
  std::array<NeedRun, kNeedSourceNames.size()> runs;  // by NeedSource
};

struct NeedStudy {
  NeedOptions options;
  std::vector<NeedOutcome> outcomes;  // by policy, load, seed
};

// On so many threads, whose number changes nothing but the time. Shows its progress on standard error.
// Errors: a policy that does not exist or cannot finish a trace.
[[nodiscard]] Result<NeedStudy> need_study(const NeedOptions& options, unsigned workers);

// One workload under one policy.
[[nodiscard]] Result<NeedRun> need_run(const Workload& workload, const ClusterShape& shape,
                                       const std::string& policy, Duration penalty, NeedSource source);

}  // namespace aliquot::needs
