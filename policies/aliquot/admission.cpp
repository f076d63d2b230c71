#include "policies/aliquot/admission.hpp"

#include <algorithm>
#include <cmath>

#include "policies/dfrs/job_order.hpp"
#include "policies/dfrs/priority.hpp"

namespace aliquot {

namespace {

constexpr double kAdmissionFactor = 0.5;    // a job may be paused up to twice the stretch of a pending job,
constexpr double kResumptionFactor = 1.2;   // but only up to five sixths of that of a preempted one,
constexpr double kResumptionOfYoung = 2.4;  // and half of that if it will probably end soon by itself
constexpr std::int64_t kRetriesOfShort = 15;  // 2 s of the 30
constexpr Duration kLeastRetry{500'000};
constexpr std::int64_t kRetriesOfFlow = 8;  // the stretch grows by an eighth from one retry to the next
constexpr std::int64_t kResumesOfShort = 2;
constexpr std::int64_t kResumesOfFlow = 16;

Duration least_retry(const AliquotSpec& spec) {
  return std::max(kLeastRetry, Duration{spec.short_job.raw / kRetriesOfShort});
}
Duration least_resume(const AliquotSpec& spec) { return {spec.short_job.raw / kResumesOfShort}; }

}  // namespace

// Both the jobs and the retries are in increasing ids.
RetrySchedule::RetrySchedule(const Draft& draft)
    : draft_(draft), retries_(draft.size(), std::nullopt, draft.memory()) {
  std::size_t i = 0;
  for (const auto& [job, retry] : draft.view().memory.retries) {
    while (i < draft.size() && draft.id(i) < job) ++i;
    if (i < draft.size() && draft.id(i) == job) retries_[i] = retry;
  }
}

FlatMap<JobId, Retry> RetrySchedule::by_job() const {
  FlatMap<JobId, Retry> retries;
  retries.reserve(static_cast<std::size_t>(std::ranges::count_if(
      retries_, [](const std::optional<Retry>& retry) { return retry.has_value(); })));
  for (std::size_t i = 0; i < retries_.size(); ++i)
    if (retries_[i]) retries.append(draft_.id(i), *retries_[i]);
  return retries;
}

Admission::Admission(PlanningState& planning, RetrySchedule& retries)
    : planning_(planning),
      retries_(retries),
      pending_(planning.draft().memory()),
      preempted_(planning.draft().memory()),
      candidates_(planning.draft().memory()) {
  const Draft& draft = planning.draft();
  const Cause& cause = planning.view().cause;
  any_event_ = cause.completed || cause.disturbed || !cause.arrived.empty();
  for (std::uint32_t i = 0; i < draft.size(); ++i) {
    if (!draft.stood(i) && planning.could_run(i)) {
      (draft.job(i).phase == Phase::waiting ? pending_ : preempted_).push_back(i);
    } else {
      retries_.clear(i);
    }
  }
}

Admission::Entries Admission::by_priority(Entries entries) const {
  struct Ranked {
    std::uint64_t key;
    std::uint32_t entry;
  };
  const Draft& draft = planning_.draft();
  if (!std::ranges::is_sorted(entries)) std::ranges::sort(entries);
  std::pmr::vector<Ranked> ranked(draft.memory());
  ranked.reserve(entries.size());
  for (const std::uint32_t i : entries)
    ranked.push_back({key_of_priority(priority(draft.job(i), draft.view().now)), i});
  sort_by_key(ranked);
  std::ranges::transform(ranked, entries.begin(), &Ranked::entry);
  return entries;
}

// An exchange costs both jobs P: a preempted job would lose more by it than by waiting as long.
Duration Admission::first_resume() const {
  return std::max(least_resume(planning_.spec()), Duration{std::llround(planning_.cost() * 1e6)});
}

bool Admission::place(std::uint32_t i) {
  const Request request = Request::of(planning_.draft().job(i).demand);
  if (refusals_.cover(request)) return false;
  if (!planning_.place(i)) {
    refusals_.add(request);
    return false;
  }
  if (preemption_search_) preemption_search_->changed(planning_.draft().placement(i));
  return true;
}

// Jobs that have made progress and are not fixed.
void Admission::gather_candidates() {
  const Draft& draft = planning_.draft();
  Entries running(draft.memory());
  for (const std::uint32_t k : draft.stood_entries())
    if (draft.placed(k) && !draft.fixed(k) && planning_.predictions()[k].virtual_time > 0)
      running.push_back(k);
  const double lost = planning_.cost() + 2 * std::max(planning_.shortest(), planning_.cost());
  candidates_.reserve(running.size());
  for (const std::uint32_t k : by_priority(std::move(running))) {
    const Job& job = draft.job(k);
    const Prediction& prediction = planning_.predictions()[k];
    const double stretch = prediction.pred(prediction.penalty + lost);
    candidates_.push_back({{job.placement, charge_of_task(job.demand), k},
                           stretch,
                           stretch / prediction.at_full_speed,
                           prediction.penalty > 0,
                           prediction.virtual_time < planning_.cost()});
  }
}

bool Admission::PreemptionCandidate::may_be_paused(const PreemptionThreshold& threshold) const {
  if (serves_penalty && threshold.spare_penalized) return false;
  const double factor = young ? threshold.factor_of_young : threshold.factor;
  return stretch * factor <= threshold.stretch || (serves_penalty && growth <= threshold.stretch);
}

// Pauses the candidates of lowest priority until the job fits; the search then spares those without
// which it fits as well.
bool Admission::preempt_for(std::uint32_t i, const PreemptionThreshold& threshold) {
  const Draft& draft = planning_.draft();
  const Request request = Request::of(draft.job(i).demand, threshold.stretch);
  if (no_preemption_.cover(request)) return false;
  if (!preemption_search_) {
    gather_candidates();
    preemption_search_.emplace(planning_.draft());
  }
  preemption_search_->begin(draft.job(i).demand);
  for (std::size_t k = candidates_.size(); k-- > 0 && !preemption_search_->enough();) {
    const PreemptionCandidate& candidate = candidates_[k];
    const bool stands = draft.placement(candidate.job.entry) == candidate.job.shares;
    if (stands && candidate.may_be_paused(threshold)) preemption_search_->take_off(candidate.job);
  }
  if (!preemption_search_->enough()) {
    no_preemption_.add(request);
    return false;
  }
  pause(preemption_search_->finish(), i, threshold.by);
  return true;
}

void Admission::pause(std::span<const std::uint32_t> paused, std::uint32_t beneficiary,
                      Displacement::By by) {
  const double before = planning_.pred_if_left_out(beneficiary);
  if (planning_.place_instead(beneficiary, paused))
    preemption_search_->changed(planning_.draft().placement(beneficiary));
  refusals_.clear();
  const Displacement why{by, planning_.draft().id(beneficiary), hundredths(before),
                         hundredths(planning_.prediction(beneficiary).at_full_speed)};
  for (const std::uint32_t k : paused) {
    ++preemptions_;
    retries_.set(k, {0, planning_.view().now + first_resume()});
    planning_.displace(k, why);
    if (by == Displacement::By::admission && planning_.could_run(k)) preempted_.push_back(k);
  }
}

void Admission::admit() {
  const Cause& cause = planning_.view().cause;
  const Instant now = planning_.view().now;
  for (const std::uint32_t i : pending_) {
    const Job& job = planning_.draft().job(i);
    const bool due = retries_.is_due(i, now) || std::ranges::binary_search(cause.arrived, job.id);
    if (!any_event_ && !due) continue;
    if (try_to_admit(i)) {
      retries_.clear(i);
    } else if (due) {
      const std::uint32_t failures = retries_.of(i) ? retries_.of(i)->failures : 0;
      const Duration wait =
          std::max(least_retry(planning_.spec()), Duration{(now - job.submitted).raw / kRetriesOfFlow});
      retries_.set(i, {failures + 1, now + wait});
    }
  }
}

bool Admission::try_to_admit(std::uint32_t i) {
  if (place(i)) return true;
  if (!planning_.spec().pause) return false;
  const double stretch = (planning_.prediction(i).flow_time + planning_.shortest()) / planning_.shortest();
  return preempt_for(i, {stretch, kAdmissionFactor, kAdmissionFactor, false, Displacement::By::admission});
}

void Admission::resume() {
  no_preemption_.clear();  // these were refused by the threshold of rule 1
  const Instant now = planning_.view().now;
  Entries tried(planning_.draft().memory());
  for (const std::uint32_t i : preempted_)
    if (any_event_ || retries_.is_due(i, now)) tried.push_back(i);
  for (const std::uint32_t i : by_priority(std::move(tried))) {
    const bool due = retries_.is_due(i, now);
    if (place(i) || (due && try_to_resume(i))) {
      retries_.clear(i);
    } else if (due) {
      const Duration flow_time = now - planning_.draft().job(i).submitted;
      const Duration wait =
          std::max(least_resume(planning_.spec()), Duration{flow_time.raw / kResumesOfFlow});
      retries_.set(i, {0, now + wait});
    }
  }
}

// At an instant of its own, with the pause of others.
bool Admission::try_to_resume(std::uint32_t i) {
  if (!planning_.spec().urgent || planning_.draft().job(i).phase != Phase::paused) return false;
  const double stretch = planning_.prediction(i).pred(planning_.cost());
  return preempt_for(i,
                     {stretch, kResumptionFactor, kResumptionOfYoung, true, Displacement::By::resumption});
}

}  // namespace aliquot
