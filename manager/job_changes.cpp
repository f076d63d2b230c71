#include "manager/job_changes.hpp"

#include <algorithm>

#include "config/quantities.hpp"
#include "manager/api/answers/need_check.hpp"
#include "manager/api/answers/size_check.hpp"
#include "monitor/array_text.hpp"

namespace aliquot {
namespace {

// How many of the members with these indices stand, or are to be made.
std::size_t members_left(const JobRecord& record, const IndexSet& indices) {
  const ArrayProgress& its = *record.array;
  const auto stands = std::ranges::count_if(
      its.standing, [&](const StandingMember& member) { return contains(indices, member.index); });
  const std::vector<std::uint32_t> later = indices_from(record.submission->array->indices, its.reached);
  const auto is_to_come = std::ranges::count_if(later, [&](std::uint32_t index) {
    return contains(indices, index) && !contains(its.cancelled, index);
  });
  return static_cast<std::size_t>(stands + is_to_come);
}

}  // namespace

Result<JobChange> cancel_job(const CoreState& state, const Cancel& request, std::uint32_t uid) {
  const JobRecord& record = state.records.at(request.job);
  const std::string why = "cancelled by uid " + std::to_string(uid);
  JobChange change{{Cancelled{request.job, JobResult::cancelled, why, request.indices}}, "cancelled"};
  if (request.indices.empty()) return change;
  const std::string job = "job " + std::to_string(request.job.raw);
  if (!record.array) return fail(ErrorKind::invalid_argument, job + " is no array; leave the indices out");
  const IndexSet& all = record.submission->array->indices;
  const std::vector<std::uint32_t> meant = indices_from(request.indices, 0);
  if (std::ranges::none_of(meant, [&](std::uint32_t index) { return contains(all, index); }))
    return fail(ErrorKind::not_found, "array " + std::to_string(request.job.raw) +
                                          " has no such index; it has " + print_indices(all));
  const std::size_t left = members_left(record, request.indices);
  if (left == 0)
    return fail(ErrorKind::conflict, "the members of array " + std::to_string(request.job.raw) +
                                         " that are meant have all ended already");
  change.done = std::to_string(left) + (left == 1 ? " member" : " members") + " cancelled";
  return change;
}

Result<void> is_no_array(JobId job, const Submission& submission) {
  if (!submission.array) return {};
  const std::string id = std::to_string(job.raw);
  return fail(ErrorKind::conflict, "job " + id +
                                       " is an array, and its members are what runs; name one of "
                                       "them, such as " +
                                       id + "[" + std::to_string(submission.array->indices.front().first) +
                                       "]");
}

Result<JobChange> end_hold(const CoreState& state, const ReleaseJob& request) {
  const Deferral& deferral = state.records.at(request.job).deferral;
  if (deferral.any() && !deferral.held)
    return fail(ErrorKind::conflict, "job " + std::to_string(request.job.raw) +
                                         " is not held: it may not start yet; see `aliquot why " +
                                         std::to_string(request.job.raw) + "`");
  const auto& array = state.records.at(request.job).array;
  if (array ? array->held : state.view.jobs.at(request.job).held)
    return JobChange{{HoldChanged{request.job, false}}, "released"};
  return fail(ErrorKind::conflict, "job " + std::to_string(request.job.raw) + " is not held");
}

Result<JobChange> requeue_job(const CoreState& state, const Requeue& request, std::uint32_t uid) {
  const JobRecord& record = state.records.at(request.job);
  if (auto ok = is_no_array(request.job, *record.submission); !ok)
    return tl::unexpected(std::move(ok.error()));
  if (state.view.jobs.at(request.job).phase == Phase::waiting)
    return fail(ErrorKind::conflict, "job " + std::to_string(request.job.raw) +
                                         " has not begun, and waits in the queue already");
  return JobChange{{Displaced{request.job, true, "requeued by uid " + std::to_string(uid)}},
                   "it starts anew from its beginning"};
}

Result<JobChange> change_need(const CoreState& state, const SetNeed& request, std::uint32_t uid) {
  if (auto ok = is_no_array(request.job, *state.records.at(request.job).submission); !ok)
    return tl::unexpected(std::move(ok.error()));
  if (auto ok = check_need(state, request.job, request.need); !ok)
    return tl::unexpected(std::move(ok.error()));
  JobChange change{{}, "a task needs " + say_cores(request.need)};
  const Submission& job = *state.records.at(request.job).submission;
  const Cpu before = declared_need(job).need;
  if (request.need != before || job.declared)
    change.events.emplace_back(NeedChanged{request.job, request.need,
                                           "uid " + std::to_string(uid) + " has changed its need from " +
                                               print_cores(before) + " to " + say_cores(request.need)});
  return change;
}

Result<JobChange> change_size(const CoreState& state, const Evolve& request, const LimitSettings& limits,
                              std::uint32_t uid) {
  if (auto ok = is_no_array(request.job, *state.records.at(request.job).submission); !ok)
    return tl::unexpected(std::move(ok.error()));
  if (auto ok = check_size(state, request.job, request.tasks, limits); !ok)
    return tl::unexpected(std::move(ok.error()));
  const std::string later = request.in.raw > 0 ? " in " + print_duration(request.in) : "";
  return JobChange{{TasksChanged{request.job, request.tasks, state.view.now + request.in,
                                 "uid " + std::to_string(uid) + " has asked for it"}},
                   "it is to have " + say_tasks(request.tasks) + later};
}

}  // namespace aliquot
