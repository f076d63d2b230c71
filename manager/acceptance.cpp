#include "manager/acceptance.hpp"

#include <algorithm>
#include <utility>

#include "config/quantities.hpp"
#include "manager/api/answers/admission.hpp"
#include "manager/api/answers/job_answers.hpp"
#include "manager/api/answers/size_check.hpp"
#include "manager/core/account_limits.hpp"
#include "manager/core/account_yields.hpp"
#include "manager/intake/intake.hpp"
#include "manager/start_terms.hpp"
#include "manager/submission_terms.hpp"

namespace aliquot {

namespace {

// A job that its account may never have is refused; what must wait, waits.
Result<void> check_limits(const Submission& job, const std::map<std::string, AccountTerms>& terms) {
  const auto never = never_allowed(terms, {job.account, job.uid}, amounts_of(job.demand, job.demand.tasks));
  if (!never) return {};
  return fail(ErrorKind::refused, "account " + never->account + " may have " +
                                      amount_text(never->kind, never->most) +
                                      (never->uid ? " for each user" : " at a time") +
                                      ", and this job asks for " + amount_text(never->kind, never->asked) +
                                      "; ask for less, or have an operator raise the limit (`aliquot "
                                      "account set " +
                                      never->account + "`)");
}

// Its own minimum yield against the limit of its account, and the reservation of its account against what
// the empty cluster can guarantee. `accepted`: with what its accounts say of yields.
Result<void> check_yields(const Submission& job, const Submission& accepted,
                          const std::vector<Node>& nodes) {
  if (!accepted.account_yields) return {};
  const AccountYields& yields = *accepted.account_yields;
  if (job.demand.min_yield > yields.max)
    return fail(ErrorKind::refused,
                "account " + yields.max_of + " has a limit (max yield) of " + print_ratio(yields.max.raw) +
                    ", and this job asks for a minimum yield of " + print_ratio(job.demand.min_yield.raw) +
                    "; lower --min-yield, or have an operator raise the limit "
                    "(`aliquot account set " +
                    yields.max_of + " --max-yield`)");
  if (yields.min <= job.demand.min_yield) return {};
  const auto fits = check_fit(at_its_largest(accepted), nodes);
  if (fits) return {};
  return fail(fits.error().kind, "account " + yields.min_of + " has a reservation (min yield) of " +
                                     print_ratio(yields.min.raw) + " for each job, and " +
                                     fits.error().message);
}

}  // namespace

std::size_t Acceptance::jobs_accepted() const {
  const CoreState& state = parts_.scheduler.cluster().state();
  const std::uint64_t promised =
      last_given_ < state.next_job ? 0 : last_given_.raw - state.next_job.raw + 1;
  return state.records.size() + promised;
}

Result<Submission> Acceptance::admitted(Submit& request, const Asker& asker, std::size_t before) const {
  const Cluster& cluster = parts_.scheduler.cluster();
  auto job = admitted_submission(
      request, asker.peer,
      {cluster.view(), parts_.settings, asker.roles, parts_.learning, jobs_accepted() + before});
  if (!job) return job;
  const auto& terms = cluster.account_uses().terms;
  const Submission accepted = with_account_yields(*job, account_yields(terms, job->account));
  if (auto ok = check_yields(*job, accepted, cluster.view().nodes); !ok)
    return tl::unexpected<Error>(ok.error());
  if (auto ok = check_limits(accepted, terms); !ok) return tl::unexpected<Error>(ok.error());
  job->demand.weight = parts_.weight({job->account, job->uid});
  if (request.begin_unix_us) job->start.begin = instant_of(*request.begin_unix_us, parts_.clock());
  if (auto ok = check_start(*job, cluster, parts_.store, &asker.sight); !ok)
    return tl::unexpected<Error>(ok.error());
  return job;
}

Result<std::vector<Submission>> Acceptance::all_admitted(SubmitMany& request, const Asker& asker) const {
  std::vector<Submission> jobs;
  for (Submit& one : request.jobs) {
    const std::string where = "jobs[" + std::to_string(jobs.size()) + "]: ";
    const std::string* named = archive_of(one.submission.program);
    if (named != nullptr && !named->empty()) one.archive_bytes = request.archive_bytes;
    auto job = admitted(one, asker, jobs.size());
    if (!job) return fail(job.error().kind, where + job.error().message);
    if (needs_contents(job->program))
      return fail(ErrorKind::refused, where + "it boots an image or a kernel; submit it by itself");
    jobs.push_back(std::move(*job));
  }
  return jobs;
}

Result<Acceptance::Accepted> Acceptance::accept(std::vector<Submission>& submissions, bool are_many) {
  for (const Submission& each : submissions)
    if (auto ok = check_start(each, parts_.scheduler.cluster(), parts_.store, nullptr); !ok)
      return tl::unexpected<Error>(ok.error());
  Accepted accepted;
  std::vector<JobId> given;
  const CoreState& state = parts_.scheduler.cluster().state();
  for (Submission& each : submissions) {
    last_given_ = std::max(JobId{last_given_.raw + 1}, state.next_job);
    given.push_back(last_given_);
    if (!are_many) accepted.body = submitted_answer(state, last_given_, each);
    accepted.events.emplace_back(Submitted{last_given_, std::move(each)});
  }
  if (are_many) accepted.body = submitted_answer(state, given);
  return accepted;
}

}  // namespace aliquot
