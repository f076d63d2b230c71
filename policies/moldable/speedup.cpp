#include "policies/moldable/speedup.hpp"

#include <algorithm>

namespace aliquot::moldable {
namespace {

constexpr Millionths kOne{kMillion};
constexpr Millionths kMostParallelism{kMillion * kMostTasks};
constexpr Millionths kMostVariance{1'000 * kMillion};

Speedup quotient(Int128 numerator, Int128 denominator) {
  return {static_cast<std::int64_t>(numerator / denominator)};
}

// S(n) = n / (f n + 1 - f).
Speedup at(const AmdahlModel& model, Int128 n) {
  return quotient(n * kMillion * kMillion, model.serial.raw * n + kMillion - model.serial.raw);
}

// Downey, equations 1 and 2: a straight piece, a bend, and the average parallelism from there on. All terms
// are multiplied by so many millions that the parameters are whole.
Speedup at(const DowneyModel& model, Int128 n) {
  const Int128 one = kMillion;
  const Int128 a = model.parallelism.raw;
  const Int128 s = model.variance.raw;
  const Speedup most{model.parallelism.raw};
  if (s <= one) {
    // Low variance: A n / (A + sigma (n - 1) / 2), to n = A.
    if (n * one <= a) return quotient(2 * a * n * one, 2 * a + s * (n - 1));
    // A n / (sigma (A - 1/2) + n (1 - sigma / 2)), to n = 2 A - 1.
    if (n * one < 2 * a - one)
      return quotient(2 * a * n * one * one, s * (2 * a - one) + n * one * (2 * one - s));
    return most;
  }
  // High variance: n A (sigma + 1) / (sigma (n + A - 1) + A), to n = A + A sigma - sigma.
  if (n * one * one < a * one + s * (a - one))
    return quotient(n * a * (s + one) * one, s * (n * one + a - one) + a * one);
  return most;
}

Speedup at(const SpeedupTable& table, Int128 n) {
  SpeedupPoint before{1, linear(1)};
  for (const SpeedupPoint& point : table.points) {
    if (n <= point.tasks) {
      if (point.tasks == before.tasks) return point.speedup;
      const Int128 rise = (point.speedup - before.speedup).raw;
      return before.speedup + quotient(rise * (n - before.tasks), point.tasks - before.tasks);
    }
    before = point;
  }
  return before.speedup;
}

Error out_of_bounds(const std::string& what, const std::string& bounds) {
  return {ErrorKind::invalid_argument, what + ": give " + bounds};
}

}  // namespace

Result<SpeedupModel> SpeedupModel::amdahl(Millionths serial) {
  if (serial < Millionths{0} || serial > kOne)
    return tl::unexpected(out_of_bounds("the serial fraction of Amdahl's law", "0 to 1"));
  return SpeedupModel(AmdahlModel{serial});
}

Result<SpeedupModel> SpeedupModel::downey(Millionths parallelism, Millionths variance) {
  if (parallelism < kOne || parallelism > kMostParallelism)
    return tl::unexpected(out_of_bounds("the average parallelism of Downey's model", "1 to 1000000"));
  if (variance < Millionths{0} || variance > kMostVariance)
    return tl::unexpected(out_of_bounds("the variance of Downey's model", "0 to 1000"));
  return SpeedupModel(DowneyModel{parallelism, variance});
}

Result<SpeedupModel> SpeedupModel::table(std::vector<SpeedupPoint> points) {
  if (points.empty())
    return fail(ErrorKind::invalid_argument, "a table of speed-ups: give at least one point");
  SpeedupPoint before{0, linear(1)};
  for (const SpeedupPoint& point : points) {
    const std::string name = "the speed-up of " + std::to_string(point.tasks) + " tasks";
    if (point.tasks <= before.tasks || point.tasks > kMostTasks)
      return tl::unexpected(out_of_bounds(name, "increasing numbers of tasks, 1 to 1000000"));
    if (point.speedup < before.speedup || point.speedup > linear(point.tasks))
      return tl::unexpected(
          out_of_bounds(name, "at least that of fewer tasks, and at most the number of tasks"));
    before = point;
  }
  return SpeedupModel(SpeedupTable{std::move(points)});
}

Speedup SpeedupModel::at(std::uint32_t tasks) const {
  return std::visit([&](const auto& model) { return moldable::at(model, std::max(tasks, 1U)); }, kind_);
}

std::uint32_t SpeedupModel::saturation(std::uint32_t most) const {
  const Speedup best = at(most);
  std::uint32_t low = 1;
  std::uint32_t high = std::max(most, 1U);
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (at(middle) >= best)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

Duration run_time_at(const SpeedupModel& model, Duration known, std::uint32_t known_tasks,
                     std::uint32_t tasks) {
  const Int128 scaled = static_cast<Int128>(known.raw) * model.at(known_tasks).raw;
  const Int128 divisor = model.at(tasks).raw;
  const Int128 time = (scaled + divisor - 1) / divisor;
  return {static_cast<std::int64_t>(std::clamp<Int128>(time, 1, INT64_MAX))};
}

}  // namespace aliquot::moldable
