#include "policies/aliquot/admission.hpp"

#include <algorithm>
#include <cmath>

#include "policies/aliquot/outcome.hpp"
#include "policies/dfrs/priority.hpp"

namespace aliquot {

namespace {

constexpr double kArrivalFactor = 0.5;        // a victim may come to twice the stretch of a new job
constexpr double kResumeFactor = 1.2;         // but only to five sixths of that of a paused one
constexpr std::int64_t kRetriesOfShort = 15;  // 2 s of the 30
constexpr Duration kLeastRetry{500'000};
constexpr std::int64_t kRetriesOfFlow = 8;  // its stretch grows by an eighth from one to the next
constexpr std::int64_t kResumesOfShort = 2;
constexpr std::int64_t kResumesOfFlow = 16;

Duration first_retry(const AliquotSpec& spec) {
  return std::max(kLeastRetry, Duration{spec.short_job.raw / kRetriesOfShort});
}

Duration least_resume(const AliquotSpec& spec) { return {spec.short_job.raw / kResumesOfShort}; }

bool has_arrived(const Cause& cause, JobId job) {
  return std::binary_search(cause.arrived.begin(), cause.arrived.end(), job);
}

}  // namespace

Refusals::Refusal Refusals::of(const Demand& demand, double claim) {
  return {demand.memory, guaranteed_cpu(demand), demand.tasks, claim};
}

bool Refusals::covers(const Demand& demand, double claim) const {
  const Refusal asked = of(demand, claim);
  return std::any_of(known_.begin(), known_.end(),
                     [&](const Refusal& known) { return known.covers(asked); });
}

void Refusals::add(const Demand& demand, double claim) {
  const Refusal added = of(demand, claim);
  std::erase_if(known_, [&](const Refusal& known) { return added.covers(known); });
  known_.push_back(added);
}

Admission::Admission(Board& board, PolicyMemory& memory) : board_(board), memory_(memory) {
  const Cause& cause = board.view().cause;
  any_event_ = cause.completed || cause.disturbed || !cause.arrived.empty();
}

const Retry* Admission::retry_of(JobId job) const {
  const auto found = board_.view().memory.retries.find(job);
  return found == board_.view().memory.retries.end() ? nullptr : &found->second;
}

// Its own instant has come, or it has none yet.
bool Admission::due(const Job& job) const {
  const Retry* const retry = retry_of(job.id);
  return retry == nullptr || retry->not_before <= board_.view().now ||
         has_arrived(board_.view().cause, job.id);
}

// Nothing of it changes in a decision: who was placed anew is not among them, nor is who was moved.
void Admission::gather_bearers() {
  const Draft& draft = board_.draft();
  const double lost = board_.cost() + 2 * std::max(board_.shortest(), board_.cost());
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < draft.size(); ++k) {
    if (!draft.placed(k) || draft.fixed(k) || !(board_.outlook(k).virt > 0)) continue;
    if (draft.placement(k) == Shares(draft.job(k).placement)) found.push_back(k);
  }
  bearers_.emplace();
  bearers_->reserve(found.size());
  for (const std::size_t k : by_decreasing_priority(draft, std::move(found))) {
    const Outlook& outlook = board_.outlook(k);
    const double paused = outlook.pred(outlook.stall + lost);
    bearers_->push_back({k, paused, paused / outlook.at_full, outlook.stall > 0});
  }
}

// Who is let in may also undo a resume or a move whose penalty is still being served: that costs the
// other no progress, and it is a pity only if it gets as many times worse as the new job is late.
bool Admission::Bearer::bears(const Claim& claim) const {
  if (claim.spare_stalled && stalled) return false;
  return stretch * claim.factor <= claim.stretch || (stalled && worse <= claim.stretch);
}

// Running jobs that bear it; the highest priority first.
std::vector<std::size_t> Admission::pausable(const Claim& claim) {
  if (!bearers_) gather_bearers();
  const Draft& draft = board_.draft();
  std::vector<std::size_t> found;
  for (const Bearer& bearer : *bearers_) {
    const std::size_t k = bearer.entry;
    if (!bearer.bears(claim)) continue;
    if (draft.placed(k) && draft.placement(k) == Shares(draft.job(k).placement)) found.push_back(k);
  }
  return found;
}

// An exchange costs both sides P: who was paused would lose more by it than by waiting as long.
Duration Admission::first_resume() const {
  return std::max(least_resume(board_.spec()), Duration{std::llround(board_.cost() * 1e6)});
}

bool Admission::place(std::size_t i) {
  const Demand& demand = board_.draft().job(i).demand;
  if (no_room_.covers(demand, 0)) return false;
  if (board_.place(i)) return true;
  no_room_.add(demand, 0);
  return false;
}

bool Admission::place_instead(std::size_t i, const Claim& claim) {
  const Draft& draft = board_.draft();
  const Demand& demand = draft.job(i).demand;
  if (no_victims_.covers(demand, claim.stretch)) return false;
  const std::vector<std::size_t> victims = pausable(claim);
  if (victims.empty() || !board_.place_instead(i, victims)) {
    no_victims_.add(demand, claim.stretch);
    return false;
  }
  no_room_.forget();
  const Outlook& helped = board_.outlook(i);
  for (const std::size_t k : victims) {
    if (draft.placed(k)) continue;
    ++pauses_;
    memory_.retries[draft.job(k).id] = {0, board_.view().now + first_resume()};
    board_.book().displaced[draft.job(k).id] = {
        claim.by, draft.job(i).id, hundredths(board_.pred_left_out(i)), hundredths(helped.at_full)};
  }
  return true;
}

void Admission::admit() {
  const Draft& draft = board_.draft();
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const Job& job = draft.job(i);
    if (job.phase != Phase::waiting || !board_.hopeful(i)) continue;
    const Retry* const known = retry_of(job.id);
    if (known != nullptr) memory_.retries[job.id] = *known;
    if (!any_event_ && !due(job)) continue;
    const double stretch = (board_.outlook(i).flow + board_.shortest()) / board_.shortest();
    if (place(i) || (board_.spec().pause &&
                     place_instead(i, {stretch, kArrivalFactor, false, Displaced::By::arrival}))) {
      memory_.retries.erase(job.id);
    } else if (due(job)) {
      Retry& retry = memory_.retries[job.id];
      const Duration flow = board_.view().now - job.submitted;
      retry = {retry.failures + 1, board_.view().now + std::max(first_retry(board_.spec()),
                                                                Duration{flow.raw / kRetriesOfFlow})};
    }
  }
}

void Admission::resume() {
  no_victims_.forget();  // of others, by another measure
  const Draft& draft = board_.draft();
  std::vector<std::size_t> paused;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.job(i).phase == Phase::waiting || !board_.hopeful(i)) continue;
    const Job& job = draft.job(i);
    if (const Retry* const known = retry_of(job.id)) memory_.retries.emplace(job.id, *known);
    paused.push_back(i);
  }
  for (const std::size_t i : by_decreasing_priority(draft, std::move(paused))) try_to_resume(i, any_event_);
}

void Admission::try_to_resume(std::size_t i, bool any_event) {
  const Job& job = board_.draft().job(i);
  const ClusterView& view = board_.view();
  const auto known = memory_.retries.find(job.id);
  const Instant not_before = known == memory_.retries.end() ? view.now : known->second.not_before;
  const bool own_instant = not_before <= view.now;
  if (!any_event && !own_instant) return;
  bool placed = place(i);
  if (!placed && own_instant && board_.spec().urgent && job.phase == Phase::paused) {
    const Outlook& outlook = board_.outlook(i);
    placed = place_instead(i, {outlook.pred(board_.cost()), kResumeFactor, true, Displaced::By::resume});
  }
  if (placed) {
    memory_.retries.erase(job.id);
  } else if (own_instant) {
    memory_.retries[job.id] = {
        0, view.now + std::max(least_resume(board_.spec()),
                               Duration{(view.now - job.submitted).raw / kResumesOfFlow})};
  }
}

}  // namespace aliquot
