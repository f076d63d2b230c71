#include "manager/page_answers.hpp"

#include "manager/api/answers/job_answers.hpp"
#include "manager/api/explain/plan_answers.hpp"
#include "manager/api/explain/why_answer.hpp"
#include "manager/job_owner.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kMostJobs = 1000;
constexpr std::size_t kMostAccounts = 1000;
constexpr std::uint64_t kLookBack = 400;  // lines of the log, for the last decisions among them

}  // namespace

std::string page_picture(const PageParts& parts) {
  const CoreState& state = parts.scheduler.cluster().state();
  const std::uint64_t newest = parts.store.newest_event();
  const std::uint64_t from = newest > kLookBack ? newest - kLookBack : 0;
  return page_picture(status_answer(state, parts.scheduler.policy(), parts.facts, parts.clock),
                      node_list_answer(state, parts.clock),
                      list_answer(state, {}, kMostJobs, parts.clock, parts.sight),
                      events_answer(state.view, parts.store.events(std::nullopt, from, kLookBack), from,
                                    kLookBack, parts.clock, parts.sight));
}

Result<std::string> page_why(const PageParts& parts, JobId job) {
  const CoreState& state = parts.scheduler.cluster().state();
  if (parts.sight.of(owner_of(job, parts.scheduler.cluster(), parts.store)) == Sight::Part::nothing)
    return tl::unexpected<Error>(no_such_job(job));
  const auto story = parts.store.story(job, kHistoryShown);
  if (const auto ended = parts.store.ended(job))
    return why_answer(*ended, parts.clock, state.view, story, parts.sight);
  return why_answer(state, parts.scheduler.policy(), job, parts.clock, parts.refused.last(), story,
                    parts.sight);
}

std::string page_plan(const PageParts& parts) {
  const CoreState& state = parts.scheduler.cluster().state();
  const Plan plan = parts.scheduler.preview();
  return plan_answer(state, parts.scheduler.policy(), plan, check_plan(state.view, plan), parts.clock,
                     parts.sight);
}

std::string page_accounts(const PageParts& parts) {
  Accounts request;
  request.limit = kMostAccounts;
  return accounts_answer(parts.accounts(), request, parts.clock).value_or("{}");
}

}  // namespace aliquot
