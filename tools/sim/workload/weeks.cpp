#include "tools/sim/workload/weeks.hpp"

#include <algorithm>

namespace aliquot {
namespace {

std::uint64_t week_of(const WorkloadJob& job) {
  return static_cast<std::uint64_t>(job.submitted.raw / kWeek.raw);
}

std::uint64_t count_weeks(const Workload& workload) {
  return workload.jobs.empty() ? 0 : week_of(workload.jobs.back()) + 1;
}

// `index` from 0. The number of skipped jobs is known only for the whole trace.
Workload cut_out(const Workload& workload, std::uint64_t index) {
  const auto [first, last] = std::ranges::equal_range(workload.jobs, index, {}, week_of);
  Workload part;
  part.jobs.assign(first, last);
  for (WorkloadJob& job : part.jobs) job.submitted.raw -= kWeek.raw * static_cast<std::int64_t>(index);
  part.sha256 = workload.sha256;
  part.accounts = workload.accounts;
  part.extra_columns = workload.extra_columns;
  part.device_models = workload.device_models;
  for (const WorkloadJob& job : part.jobs) {
    if (const auto its = workload.profiles.find(job.id); its != workload.profiles.end())
      part.profiles.insert(*its);
    if (const auto its = workload.true_needs.find(job.id); its != workload.true_needs.end())
      part.true_needs.insert(*its);
  }
  return part;
}

}  // namespace

std::vector<Workload> weeks(const Workload& workload) {
  std::vector<Workload> parts;
  for (std::uint64_t index = 0; index < count_weeks(workload); ++index) {
    parts.push_back(cut_out(workload, index));
  }
  return parts;
}

Result<Workload> week(const Workload& workload, std::uint64_t number) {
  const std::uint64_t count = count_weeks(workload);
  if (number == 0 || number > count) {
    return fail(ErrorKind::invalid_argument, "there is no week " + std::to_string(number) +
                                                 ": the weeks are 1 to " + std::to_string(count));
  }
  Workload part = cut_out(workload, number - 1);
  part.notes = workload.notes;
  if (!part.jobs.empty()) return part;
  return fail(ErrorKind::invalid_argument,
              "no job is submitted in week " + std::to_string(number) + " of " + std::to_string(count));
}

}  // namespace aliquot
