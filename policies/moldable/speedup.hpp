// Speed-up models of moldable jobs: how many times faster a job runs on n tasks than on one.
//
// Three kinds, behind one value type: Amdahl's law (a serial fraction), Downey's model (an average
// parallelism A and the variance sigma of the parallelism), and a table of measured points. A speed-up is
// in millionths and rounded down; all arithmetic is of integers, so that it is the same on every machine.
// Of every model: one task has the speed-up 1; more tasks never have a smaller one; n tasks never have more
// than n.
//
// Sources: A. Downey, "A model for speedup of parallel programs", Berkeley CSD-97-933, 1997, sec. 2;
// G. Amdahl, AFIPS 1967. Errors: a parameter out of its bounds (invalid_argument), which the message names.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/model/time.hpp"

namespace aliquot::moldable {

inline constexpr std::uint32_t kMostTasks = 1'000'000;

// Millionths: 2'500'000 is two and a half times as fast.
using Speedup = Quantity<struct SpeedupTag>;

// Of whole tasks, without loss.
constexpr Speedup linear(std::uint32_t tasks) { return {std::int64_t{tasks} * kMillion}; }
[[nodiscard]] constexpr double to_ratio(Speedup speedup) {
  return static_cast<double>(speedup.raw) / static_cast<double>(kMillion);
}

// A number of a model, in millionths.
struct Millionths {
  std::int64_t raw = 0;
  friend constexpr auto operator<=>(Millionths, Millionths) = default;
};

struct AmdahlModel {
  Millionths serial;  // the part of the work that one task must do alone: 0 to 1
  friend bool operator==(const AmdahlModel&, const AmdahlModel&) = default;
};
struct DowneyModel {
  Millionths parallelism;  // A, on average over the run: 1 to a million
  Millionths variance;     // sigma: 0 (constant parallelism) to a thousand; from 1 on it is called high
  friend bool operator==(const DowneyModel&, const DowneyModel&) = default;
};
struct SpeedupPoint {
  std::uint32_t tasks = 1;
  Speedup speedup;
  friend bool operator==(const SpeedupPoint&, const SpeedupPoint&) = default;
};
// By increasing tasks. Straight lines lead from (1, 1) through the points; beyond the last one the speed-up
// stays.
struct SpeedupTable {
  std::vector<SpeedupPoint> points;
  friend bool operator==(const SpeedupTable&, const SpeedupTable&) = default;
};

class SpeedupModel {
 public:
  [[nodiscard]] static Result<SpeedupModel> amdahl(Millionths serial);
  [[nodiscard]] static Result<SpeedupModel> downey(Millionths parallelism, Millionths variance);
  // At least one point; tasks increase, speed-ups do not decrease, none is above its number of tasks.
  [[nodiscard]] static Result<SpeedupModel> table(std::vector<SpeedupPoint> points);
  // No model at all: as fast as there are tasks.
  [[nodiscard]] static SpeedupModel perfect() { return SpeedupModel(AmdahlModel{}); }

  // On 1 to kMostTasks tasks.
  [[nodiscard]] Speedup at(std::uint32_t tasks) const;
  // The smallest number of tasks, up to `most`, that is as fast as `most` tasks.
  [[nodiscard]] std::uint32_t saturation(std::uint32_t most) const;

  friend bool operator==(const SpeedupModel&, const SpeedupModel&) = default;

 private:
  using Kind = std::variant<AmdahlModel, DowneyModel, SpeedupTable>;
  explicit SpeedupModel(Kind kind) : kind_(std::move(kind)) {}
  Kind kind_;
};

// The run time alone on `tasks` tasks of a job that takes `known` on `known_tasks`. Rounded up, at least a
// microsecond; the longest Duration where it would be longer.
[[nodiscard]] Duration run_time_at(const SpeedupModel& model, Duration known, std::uint32_t known_tasks,
                                   std::uint32_t tasks);

}  // namespace aliquot::moldable
