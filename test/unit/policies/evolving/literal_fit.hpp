// Algorithm 2 of Klein and Perez, "Towards Scheduling Evolving Applications", 2011, line by line: the
// reference implementation of fit(). Exponential for a finite expand limit above 1.
//
// Two readings: line 16 says `i > 0`, which must be `i > 1`, for the first step is delayed instead of being
// expanded; and the empty profile of line 2 is no failure, so that a failure is marked by a flag.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/evolving/fit.hpp"

namespace aliquot::evolving::literal {

struct Step {
  std::int64_t d = 0;  // microseconds
  std::int64_t n = 0;
};
using Profile = std::vector<Step>;

struct Outcome {
  bool failed = false;
  std::int64_t t_s = 0;
  Profile ep_x;
};

class Fit {
 public:
  // No limit: infinite expansion. The resource profile begins at 0, and nothing is in use after it.
  Fit(Profile requested, Profile resources, std::int64_t nodes, std::optional<ExpandLimit> limit);

  [[nodiscard]] Outcome run() { return fit(1, 0); }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }

 private:
  [[nodiscard]] Outcome fit(std::size_t i, std::int64_t t_0);
  [[nodiscard]] std::int64_t max(std::int64_t t_0, std::int64_t t_1) const;
  [[nodiscard]] std::int64_t loc(std::int64_t t_0, std::int64_t t_1) const;

  Profile requested_;
  Profile resources_;
  std::int64_t nodes_;
  std::optional<ExpandLimit> limit_;
  std::uint64_t calls_ = 0;
};

inline Fit::Fit(Profile requested, Profile resources, std::int64_t nodes, std::optional<ExpandLimit> limit)
    : requested_(std::move(requested)), resources_(std::move(resources)), nodes_(nodes), limit_(limit) {}

inline std::int64_t Fit::max(std::int64_t t_0, std::int64_t t_1) const {
  std::int64_t most = 0;
  std::int64_t from = 0;
  for (const Step& step : resources_) {
    if (from < t_1 && from + step.d > t_0) most = std::max(most, step.n);
    from += step.d;
  }
  return t_0 == t_1 ? 0 : most;
}

inline std::int64_t Fit::loc(std::int64_t t_0, std::int64_t t_1) const {
  const std::int64_t most = max(t_0, t_1);
  std::int64_t end = t_0;
  std::int64_t from = 0;
  for (const Step& step : resources_) {
    if (from < t_1 && from + step.d > t_0 && step.n == most) end = std::min(from + step.d, t_1);
    from += step.d;
  }
  return end;
}

inline Outcome Fit::fit(std::size_t i, std::int64_t t_0) {
  ++calls_;
  if (i > requested_.size()) return {false, t_0, {}};
  const auto [d, n] = requested_[i - 1];
  std::int64_t t_s = t_0;
  while (true) {
    if (nodes_ - max(t_s, t_s + d) < n) {
      t_s = loc(t_s, t_s + d);
      continue;
    }
    if (i > 1) {
      const auto [d_before, n_before] = requested_[i - 2];
      const std::int64_t t_eas = limit_ ? t_s - limit_->longest({d_before}).raw : INT64_MIN;
      if (t_eas > t_0 - d_before) return {true, t_eas, {}};
      if (nodes_ - max(t_0, t_s) < n_before) return {true, loc(t_0, t_s), {}};
    }
    Outcome tail = fit(i + 1, t_s + d);
    if (tail.failed) {
      t_s = tail.t_s;
      continue;
    }
    const std::int64_t held = i > 1 ? tail.t_s - t_s : d;
    tail.ep_x.insert(tail.ep_x.begin(), {held, n});
    return {false, i > 1 ? t_s : tail.t_s - d, std::move(tail.ep_x)};
  }
}

}  // namespace aliquot::evolving::literal
