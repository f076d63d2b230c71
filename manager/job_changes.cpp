#include "manager/job_changes.hpp"

#include "config/quantities.hpp"
#include "manager/api/answers/need_check.hpp"
#include "manager/api/answers/size_check.hpp"

namespace aliquot {

Result<JobChange> end_hold(const CoreState& state, const ReleaseJob& request) {
  const Deferral& deferral = state.records.at(request.job).deferral;
  if (deferral.any() && !deferral.held)
    return fail(ErrorKind::conflict, "job " + std::to_string(request.job.raw) +
                                         " is not held: it may not start yet; see `aliquot why " +
                                         std::to_string(request.job.raw) + "`");
  if (state.view.jobs.at(request.job).held) return JobChange{{HoldChanged{request.job, false}}, "released"};
  return fail(ErrorKind::conflict, "job " + std::to_string(request.job.raw) + " is not held");
}

Result<JobChange> change_need(const CoreState& state, const SetNeed& request, std::uint32_t uid) {
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
  if (auto ok = check_size(state, request.job, request.tasks, limits); !ok)
    return tl::unexpected(std::move(ok.error()));
  const std::string later = request.in.raw > 0 ? " in " + print_duration(request.in) : "";
  return JobChange{{TasksChanged{request.job, request.tasks, state.view.now + request.in,
                                 "uid " + std::to_string(uid) + " has asked for it"}},
                   "it is to have " + say_tasks(request.tasks) + later};
}

}  // namespace aliquot
