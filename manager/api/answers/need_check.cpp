#include "manager/api/answers/need_check.hpp"

#include "config/quantities.hpp"
#include "manager/api/answers/admission.hpp"
#include "manager/core/account_yields.hpp"
#include "manager/core/need_transitions.hpp"

namespace aliquot {

Result<void> check_need(const CoreState& state, JobId id, Cpu need) {
  const Job& job = state.view.jobs.at(id);
  const Submission& submission = *state.records.at(id).submission;
  const std::string which = "job " + std::to_string(id.raw);
  if (need > most_cpu(submission))
    return fail(ErrorKind::refused, "a task of " + which + " may need at most " +
                                        say_cores(most_cpu(submission)) +
                                        ", as its VMs have no more virtual CPUs; submit it with a larger "
                                        "--max-cpus to let it grow further");
  const Submission later = with_declared_need_within(submission, need);
  if (auto fits = check_fit_later(later, state.view, job); !fits) return fits;
  if (guarantee_kept(state, job, later.demand) != GuaranteeKept::not_at_all) return {};
  return fail(ErrorKind::conflict, "the nodes of " + which + " cannot guarantee a yield of " +
                                       print_ratio(later.demand.min_yield.raw) + " of " + say_cores(need) +
                                       " now, and it cannot leave them now; `aliquot show " +
                                       std::to_string(id.raw) +
                                       "` and `aliquot node list` tell why; ask for less, or again later");
}

}  // namespace aliquot
