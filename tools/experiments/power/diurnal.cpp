#include "tools/experiments/power/diurnal.hpp"

#include <algorithm>
#include <numeric>

#include "manager/hypervisor/model/chance.hpp"
#include "policies/power/arrivals.hpp"
#include "tools/sim/generate/dfrs_workload.hpp"
#include "tools/sim/workload/weeks.hpp"

namespace aliquot::power {
namespace {

// Of a work day. On Saturdays and Sundays it is a third.
constexpr std::array<std::int64_t, 24> kRates = {3,  3,  3,  3,  3,  3,  3,  6, 12, 18, 21, 21,
                                                 18, 18, 21, 21, 21, 18, 12, 9, 9,  6,  6,  3};
// Draws of this workload are apart from those of the memory, which have the same seed.
constexpr std::uint64_t kArrivalDraws = 7;

// The instant in the first week by which this part, in millionths, of a week's jobs was submitted.
Instant when_submitted(std::uint64_t part) {
  std::int64_t all = 0;
  for (std::size_t hour = 0; hour < kHoursOfWeek; ++hour) all += hourly_rate(hour);
  std::int64_t left = all * static_cast<std::int64_t>(part);
  for (std::size_t hour = 0; hour < kHoursOfWeek; ++hour) {
    const std::int64_t here = hourly_rate(hour) * kMillion;
    if (left < here)
      return Instant{static_cast<std::int64_t>(hour) * kHour.raw + multiply_divide(left, kHour.raw, here)};
    left -= here;
  }
  return Instant{kWeek.raw - 1};
}

}  // namespace

std::int64_t hourly_rate(std::size_t hour_of_week) {
  const bool weekend = hour_of_week / 24 >= 5;
  return kRates[hour_of_week % 24] / (weekend ? 3 : 1);
}

Result<Workload> diurnal_workload(const DiurnalOptions& options) {
  const double wanted = options.load * options.nodes * options.weeks * to_seconds(kWeek);
  Workload workload;
  double area = 0;
  for (std::uint64_t jobs = 1'000; area < wanted; jobs *= 2) {
    auto made = dfrs_workload({options.seed, std::nullopt, jobs, options.nodes});
    if (!made) return made;
    workload = std::move(*made);
    area = 0;
    std::size_t taken = 0;
    for (; taken < workload.jobs.size() && area < wanted; ++taken)
      area += to_seconds(workload.jobs[taken].runtime()) * workload.jobs[taken].submission.demand.tasks;
    if (area >= wanted) workload.jobs.resize(taken);
  }
  const Chance chance(options.seed);
  std::vector<Instant> submitted;
  for (const WorkloadJob& job : workload.jobs) {
    const std::uint64_t week = chance.draw(job.id.raw, 0, kArrivalDraws) % options.weeks;
    const Instant at = when_submitted(chance.draw(job.id.raw, 1, kArrivalDraws) % kMillion);
    submitted.push_back(at + kWeek * static_cast<std::int64_t>(week));
  }
  std::ranges::sort(submitted);
  for (std::size_t j = 0; j < submitted.size(); ++j) workload.jobs[j].submitted = submitted[j];
  return workload;
}

}  // namespace aliquot::power
