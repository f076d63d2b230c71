// `evaluate predictions`: how far run times that are learned from a log are off, and what a batch policy
// makes of them, beside its users' requests, nothing, perfect run times, and histories that are useless on
// purpose: those of other users.
//
// Each week of the log is simulated by itself, in order, and what was learned in a week is known in the
// next: each job is predicted from runs that have ended before its submission, and no others.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tools/experiments/prediction/predicted_jobs.hpp"
#include "tools/sim/workload.hpp"

namespace aliquot::prediction {

// Where the estimates of a policy come from.
enum class Source : std::uint8_t { none, users, shuffled, learned, perfect };
inline constexpr std::array<std::string_view, 5> kSourceNames = {
    "none", "users' requests", "shuffled histories", "learned", "perfect"};
[[nodiscard]] constexpr std::string_view name(Source source) {
  return kSourceNames[static_cast<std::size_t>(source)];
}
[[nodiscard]] constexpr bool learns(Source source) {
  return source == Source::learned || source == Source::shuffled;
}

struct PredictionOptions {
  std::string workload;
  ReadOptions read;
  std::vector<std::string> policies = {"EASY/predict", "CONSERVATIVE/predict"};
  std::uint64_t seed = 1;  // of the exchange of users
};

// The bounded slowdown (bounded stretch) of the jobs that were submitted in one week.
struct WeekSlowdown {
  std::uint64_t week = 0;  // of the log, from 1
  std::uint64_t jobs = 0;
  double mean = 1;
  double largest = 1;
};

// A policy over all weeks.
struct PredictedRun {
  std::string policy;
  Source source = Source::none;
  std::vector<WeekSlowdown> weeks;
  std::vector<PredictedJob> predicted;  // of a source that learns: every job

  [[nodiscard]] double mean() const;     // over the jobs
  [[nodiscard]] double by_week() const;  // geometric mean of the weeks' means
  [[nodiscard]] double largest() const;
};

struct PredictionStudy {
  PredictionOptions options;
  std::vector<PredictedRun> runs;  // by policy, then by source

  [[nodiscard]] const PredictedRun& run_of(std::size_t policy, Source source) const {
    return runs[policy * kSourceNames.size() + static_cast<std::size_t>(source)];
  }
};

// On so many threads, whose number changes nothing but the time. Shows its progress on standard error.
// Errors: a log that cannot be read; a policy that does not exist or cannot finish a week.
[[nodiscard]] Result<PredictionStudy> prediction_study(const PredictionOptions& options, unsigned workers);

}  // namespace aliquot::prediction
