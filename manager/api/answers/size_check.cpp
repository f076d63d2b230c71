#include "manager/api/answers/size_check.hpp"

#include <algorithm>
#include <utility>

#include "manager/api/answers/admission.hpp"
#include "manager/api/answers/network_admission.hpp"

namespace aliquot {
namespace {

// Numbers of tasks are given once, and each has its record.
constexpr std::uint64_t kMostNumbers = 10;  // times limits.max_tasks

// Changes that are announced and have not come.
constexpr std::size_t kMostAnnounced = 100;

Result<void> check_count(const std::string& which, std::uint32_t tasks, const LimitSettings& limits) {
  if (tasks <= limits.max_tasks) return {};
  return fail(ErrorKind::too_large, which + " is to have " + say_tasks(tasks) + "; at most " +
                                        std::to_string(limits.max_tasks) + " are taken (limits.max_tasks)");
}

tl::unexpected<Error> cannot_grow(const std::string& which) {
  return fail(ErrorKind::refused,
              which +
                  " cannot have more tasks while it runs: a job that asks for devices or a spread is "
                  "placed all at once");
}

Result<void> check_numbers(const std::string& which, std::uint64_t numbers, const Submission& job) {
  if (numbers <= most_numbers(job)) return {};
  return fail(ErrorKind::too_large,
              which + " would give its tasks " + std::to_string(numbers) +
                  " numbers, and its network has " + "addresses for " + std::to_string(most_numbers(job)) +
                  ": the number of a task that has left is not given again; submit another job");
}

}  // namespace

std::string say_tasks(std::uint32_t tasks) {
  return std::to_string(tasks) + (tasks == 1 ? " task" : " tasks");
}

Result<void> check_size(const CoreState& state, JobId id, std::uint32_t tasks,
                        const LimitSettings& limits) {
  const JobRecord& record = state.records.at(id);
  const Job& job = state.view.jobs.at(id);
  const std::string which = "job " + std::to_string(id.raw);
  if (auto fits = check_count(which, tasks, limits); !fits) return fits;
  if (record.evolution.announced.size() >= kMostAnnounced)
    return fail(ErrorKind::too_large, which + " has " + std::to_string(kMostAnnounced) +
                                          " announced changes to come; wait until some have");
  if (tasks <= job.demand.tasks) return {};
  if (!can_grow(record.submission)) return cannot_grow(which);
  if (record.vms.size() + tasks > kMostNumbers * limits.max_tasks)
    return fail(ErrorKind::too_large, which + " has had " + std::to_string(record.vms.size()) +
                                          " tasks already; submit another job");
  const std::uint64_t more = tasks - std::min(tasks, wanted_tasks(record));
  const std::uint64_t numbers = record.vms.size() + record.evolution.growth + more;
  if (auto fits = check_numbers(which, numbers, *record.submission); !fits) return fits;
  Submission larger = *record.submission;
  larger.demand.tasks = tasks;
  if (auto reach = check_network(larger, state.view.nodes); !reach) return reach;
  return check_fit_later(std::move(larger), state.view, job);
}

Result<void> check_profile(const Submission& job, const LimitSettings& limits) {
  if (job.profile.empty()) return {};
  if (job.choice)
    return fail(ErrorKind::invalid_argument,
                "a job has either a profile or a range of tasks; leave one of them out");
  if (!can_grow(job)) return cannot_grow("the job");
  for (const LaterStep& step : job.profile)
    if (auto fits = check_count("the job", step.tasks, limits); !fits) return fits;
  return check_numbers("the job", numbers_of_profile(job), job);
}

Submission at_its_largest(Submission job) {
  for (const LaterStep& step : job.profile) job.demand.tasks = std::max(job.demand.tasks, step.tasks);
  return job;
}

}  // namespace aliquot
