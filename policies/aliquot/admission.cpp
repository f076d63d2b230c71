#include "policies/aliquot/admission.hpp"

#include <algorithm>
#include <cmath>

#include "policies/aliquot/make_way.hpp"
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

Admission::Admission(PlanningState& planning) : planning_(planning) {
  const Draft& draft = planning.draft();
  any_event_ = every_job_is_tried(planning.view().cause);
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (planning.could_run(i)) {
      (draft.job(i).phase == Phase::waiting ? pending_ : preempted_).push_back(i);
    } else {
      planning.retries()[i].reset();
    }
    if (draft.placed(i)) least_weight_ = std::min(least_weight_, draft.job(i).demand.weight);
  }
}

bool Admission::is_due(std::size_t i) const {
  const auto& retry = planning_.retries()[i];
  return !retry || retry->not_before <= planning_.view().now;
}

bool Admission::place(std::size_t i) {
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
const std::vector<Admission::PreemptionCandidate>& Admission::candidates() {
  if (candidates_) return *candidates_;
  candidates_.emplace();
  const Draft& draft = planning_.draft();
  const Predictions predictions = planning_.predictions();
  Entries running;
  for (std::size_t k = 0; k < draft.size(); ++k)
    if (draft.stays(k) && !draft.fixed(k) && predictions[k].virtual_time > 0) running.push_back(k);
  const double lost = planning_.cost() + 2 * std::max(planning_.shortest(), planning_.cost());
  for (const std::size_t k : by_decreasing_priority(draft, std::move(running))) {
    const Job& job = draft.job(k);
    const double stretch = predictions[k].pred(predictions[k].penalty + lost);
    candidates_->push_back({{job.placement, charge_of_task(job.demand), static_cast<std::uint32_t>(k)},
                            stretch,
                            stretch / predictions[k].at_full_speed,
                            predictions[k].penalty > 0,
                            predictions[k].virtual_time < planning_.cost()});
  }
  return *candidates_;
}

bool Admission::PreemptionCandidate::may_be_paused(const PreemptionThreshold& threshold) const {
  if (serves_penalty && threshold.spare_penalized) return false;
  const double factor = young ? threshold.factor_of_young : threshold.factor;
  return stretch * factor <= threshold.stretch || (serves_penalty && growth <= threshold.stretch);
}

// Pauses the candidates of lowest priority until the job fits; the search then spares those without
// which it fits as well.
bool Admission::preempt_for(std::size_t i, const PreemptionThreshold& threshold) {
  const Draft& draft = planning_.draft();
  const Request request = Request::of(draft.job(i).demand, threshold.stretch);
  if (no_preemption_.cover(request)) return false;
  const std::vector<PreemptionCandidate>& all = candidates();
  if (!preemption_search_) preemption_search_.emplace(planning_.draft());
  preemption_search_->begin(draft.job(i).demand);
  for (std::size_t k = all.size(); k-- > 0 && !preemption_search_->enough();) {
    const PreemptionCandidate& candidate = all[k];
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

void Admission::pause(std::span<const std::uint32_t> paused, std::size_t beneficiary, Displacement::By by) {
  const double before = planning_.pred_if_left_out(beneficiary);
  for (const std::uint32_t k : paused) planning_.free_cpu_of(k);
  if (planning_.place(beneficiary)) preemption_search_->changed(planning_.draft().placement(beneficiary));
  refusals_.clear();
  note_pauses(paused, {by, planning_.draft().id(beneficiary), hundredths(before),
                       hundredths(planning_.prediction(beneficiary).at_full_speed)});
}

void Admission::note_pauses(std::span<const std::uint32_t> paused, const Displacement& why) {
  for (const std::uint32_t k : paused) {
    ++preemptions_;
    has_freed_memory_ = true;
    planning_.retries()[k] = {0, planning_.view().now + first_resume(planning_)};
    planning_.displace(k, why);
    // Rule 2 comes after rule 1, and goes through its jobs once: those that it pauses itself wait for the
    // next decision.
    if (why.by == Displacement::By::admission && planning_.could_run(k)) preempted_.push_back(k);
  }
}

// What the paused jobs are told: on a node of which k times the CPU is needed a job gets a k-th of its
// need, and comes to k times the stretch that it would have at full speed.
void Admission::let_lighter_make_way(std::size_t i, const PreemptionThreshold& threshold) {
  const Draft& draft = planning_.draft();
  const Weight weight = draft.job(i).demand.weight;
  if (!makes_way_for(least_weight_, weight)) return;
  std::vector<std::uint32_t> lighter;
  for (const PreemptionCandidate& candidate : candidates()) {
    const std::uint32_t k = candidate.job.entry;
    const bool stands = draft.placement(k) == candidate.job.shares;
    if (stands && makes_way_for(draft.job(k).demand.weight, weight) && candidate.may_be_paused(threshold))
      lighter.push_back(k);
  }
  if (lighter.empty()) return;
  const auto way = make_way(planning_, i, lighter);
  if (!way) return;
  refusals_.clear();
  no_preemption_.clear();
  preemption_search_.reset();
  has_freed_memory_ = true;
  const double alone = planning_.prediction(i).at_full_speed;
  note_pauses(way->paused, {Displacement::By::admission, draft.id(i), hundredths(alone * way->before),
                            hundredths(alone * way->after)});
}

void Admission::admit() {
  const Cause& cause = planning_.view().cause;
  const Instant now = planning_.view().now;
  for (const std::size_t i : pending_) {
    const Job& job = planning_.draft().job(i);
    const bool due = is_due(i) || std::ranges::binary_search(cause.arrived, job.id);
    if (!any_event_ && !due) continue;
    std::optional<Retry>& retry = planning_.retries()[i];
    if (try_to_admit(i)) {
      retry.reset();
    } else if (due) {
      const Duration wait =
          std::max(least_retry(planning_.spec()), Duration{(now - job.submitted).raw / kRetriesOfFlow});
      retry = {retry ? retry->failures + 1 : 1, now + wait};
    }
  }
}

bool Admission::try_to_admit(std::size_t i) {
  const double weight = factor_of(planning_.draft().job(i).demand.weight);
  const double stretch =
      weight * ((planning_.prediction(i).flow_time + planning_.shortest()) / planning_.shortest());
  const PreemptionThreshold threshold{stretch, kAdmissionFactor, kAdmissionFactor, false,
                                      Displacement::By::admission};
  const bool pauses = planning_.spec().pause;
  if (!place(i) && !(pauses && preempt_for(i, threshold))) return false;
  if (pauses) let_lighter_make_way(i, threshold);
  return true;
}

void Admission::resume() {
  no_preemption_.clear();  // these were refused by the threshold of rule 1
  const Draft& draft = planning_.draft();
  const Instant now = planning_.view().now;
  std::erase_if(preempted_, [&](std::size_t i) { return !any_event_ && !is_due(i); });
  for (const std::size_t i : by_decreasing_priority(draft, std::move(preempted_))) {
    const bool due = is_due(i);
    if (place(i) || (due && try_to_resume(i))) {
      planning_.retries()[i].reset();
    } else if (due) {
      const Duration flow_time = now - draft.job(i).submitted;
      planning_.retries()[i] = {
          0, now + std::max(least_resume(planning_.spec()), Duration{flow_time.raw / kResumesOfFlow})};
    }
  }
}

// At an instant of its own, with the pause of others.
bool Admission::try_to_resume(std::size_t i) {
  if (!planning_.spec().urgent || planning_.draft().job(i).phase != Phase::paused) return false;
  const double stretch = planning_.prediction(i).pred(planning_.cost());
  return preempt_for(i,
                     {stretch, kResumptionFactor, kResumptionOfYoung, true, Displacement::By::resumption});
}

// An exchange costs both jobs P: a preempted job would lose more by it than by waiting as long.
Duration first_resume(const PlanningState& planning) {
  return std::max(least_resume(planning.spec()), from_seconds(planning.cost()));
}

}  // namespace aliquot
