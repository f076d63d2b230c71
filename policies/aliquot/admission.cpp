#include "policies/aliquot/admission.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "policies/aliquot/free_memory.hpp"
#include "policies/aliquot/outcome.hpp"
#include "policies/dfrs/priority.hpp"

namespace aliquot {

namespace {

constexpr double kArrivalFactor = 0.5;        // a victim may come to twice the stretch of a new job
constexpr double kResumeFactor = 1.2;         // but only to five sixths of that of a paused one,
constexpr double kResumeOfFresh = 2.4;        // and half of that if it is likely to end soon by itself
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

Admission::Admission(Board& board, Attempts& attempts, Outsiders outsiders)
    : board_(board),
      attempts_(attempts),
      waiting_(board.draft().memory()),
      out_(std::move(outsiders)),
      bearers_(board.draft().memory()),
      stands_(board.draft().memory()),
      bearer_of_(board.draft().memory()),
      bearings_(board.draft().memory()) {
  const Cause& cause = board.view().cause;
  any_event_ = cause.completed || cause.disturbed || !cause.arrived.empty();
  std::erase_if(out_, [&](const Outsider& job) {
    const bool hopeful =
        board.hopeful(SlotsBeside(job.asked.memory, job.asked.guaranteed, job.asked.tasks));
    if (hopeful && job.waits) waiting_.push_back(job.entry);
    return !hopeful || job.waits;
  });
}

// Its own instant has come, or it has none yet.
bool Admission::due(std::uint32_t i) const {
  const Retry* const retry = attempts_.before(i);
  return retry == nullptr || retry->not_before <= board_.view().now ||
         has_arrived(board_.view().cause, board_.draft().job(i).id);
}
bool Admission::due_again(std::uint32_t i) const {
  const Retry* const retry = attempts_.next(i);
  return retry == nullptr || retry->not_before <= board_.view().now;
}

Admission::Order Admission::ranked(Entries entries) const {
  const Draft& draft = board_.draft();
  if (!std::is_sorted(entries.begin(), entries.end())) std::sort(entries.begin(), entries.end());
  Order order(draft.memory());
  order.reserve(entries.size());
  for (const std::uint32_t i : entries)
    order.push_back({key_of_priority(priority(draft.job(i), draft.view().now)), i});
  sort_by_key(order);
  return order;
}

// An exchange costs both sides P: who was paused would lose more by it than by waiting as long.
Duration Admission::first_resume() const {
  return std::max(least_resume(board_.spec()), Duration{std::llround(board_.cost() * 1e6)});
}

bool Admission::place(std::uint32_t i) {
  const auto asked = Refusals::Refusal::of(board_.draft().job(i).demand, 0);
  if (no_room_.covers(asked)) return false;
  if (board_.place(i)) {
    if (preemption_search_) preemption_search_->changed(board_.draft().placement(i));
    if (all_gathered_) stands_again(i);
    return true;
  }
  no_room_.add(asked);
  return false;
}

bool Admission::place_instead(std::uint32_t i, const Claim& claim) {
  Draft& draft = board_.draft();
  const Demand& demand = draft.job(i).demand;
  const auto asked = Refusals::Refusal::of(demand, claim.stretch);
  if (no_victims_.covers(asked)) return false;
  if (!preemption_search_) preemption_search_.emplace(draft);
  PreemptionSearch& maker = *preemption_search_;
  maker.begin(demand);
  offer_bearers(claim);
  if (!maker.enough()) {
    no_victims_.add(asked);
    return false;
  }
  const auto paused = maker.finish();
  if (board_.place_instead(i, paused)) maker.changed(draft.placement(i));
  no_room_.forget();
  note_paused(i, claim, paused);
  return true;
}

void Admission::note_paused(std::uint32_t helped, const Claim& claim,
                            std::span<const std::uint32_t> paused) {
  const Draft& draft = board_.draft();
  const Displacement why{claim.by, draft.job(helped).id, hundredths(board_.pred_left_out(helped)),
                         hundredths(board_.outlook(helped).at_full)};
  for (const std::uint32_t k : paused) {
    ++pauses_;
    if (all_gathered_) stands_[bearer_of_[k]] = 0;
    attempts_.set(k, {0, board_.view().now + first_resume()});
    board_.displace(draft.job(k).id, why);
    if (claim.by == Displacement::By::admission && board_.hopeful(k))
      out_.push_back({k, false, Refusals::Refusal::of(draft.job(k).demand, 0)});
  }
}

void Admission::admit() {
  const Draft& draft = board_.draft();
  for (const std::uint32_t i : waiting_) {
    attempts_.keep(i);
    if (!any_event_ && !due(i)) continue;
    const double stretch = (board_.outlook(i).flow + board_.shortest()) / board_.shortest();
    if (place(i) || (board_.spec().pause && place_instead(i, {stretch, kArrivalFactor, kArrivalFactor,
                                                              false, Displacement::By::admission}))) {
      attempts_.forget(i);
    } else if (due(i)) {
      const Retry* const known = attempts_.next(i);
      const Duration flow = board_.view().now - draft.job(i).submitted;
      const Duration wait = std::max(first_retry(board_.spec()), Duration{flow.raw / kRetriesOfFlow});
      attempts_.set(i, {known == nullptr ? 1 : known->failures + 1, board_.view().now + wait});
    }
  }
}

// `fitting`: who was seen to fit since the last change.
bool Admission::may_fit(const Refusals::Refusal& asked, std::uint32_t i, Fitting& fitting) {
  if (fitting.covers(asked)) return true;
  if (no_room_.covers(asked)) return false;
  if (board_.fits(board_.draft().job(i).demand)) {
    fitting.add(asked);
    return true;
  }
  no_room_.add(asked);
  return false;
}

// Room only gets less until somebody is paused: up to then, who does not fit at first need not be put in
// order, unless it may pause others.
void Admission::resume() {
  no_victims_.forget();  // of others, by another measure
  const Draft& draft = board_.draft();
  Entries tried(draft.memory());
  Entries rest(draft.memory());
  rest.reserve(out_.size());
  std::optional<FreeMemory> free;
  Fitting fitting;
  for (const auto& [i, waits, asked] : out_) {
    attempts_.keep(i);
    if (due_again(i)) {
      tried.push_back(i);
    } else if (any_event_) {
      if (!free) free.emplace(draft);
      const bool hopes = !free->surely_short(asked.memory, asked.tasks) && may_fit(asked, i, fitting);
      (hopes ? tried : rest).push_back(i);
    }
  }
  Order order = ranked(std::move(tried));
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (!try_to_resume(order[k].entry) || rest.empty()) continue;
    Order all = ranked(std::move(rest));
    rest.clear();
    std::erase_if(all, [&](const Ranked& other) { return comes_before(other, order[k]); });
    all.insert(all.end(), order.begin() + static_cast<std::ptrdiff_t>(k) + 1, order.end());
    std::sort(all.begin(), all.end(), comes_before<Ranked, Ranked>);
    order = std::move(all);
    k = SIZE_MAX;
  }
}

// Answers whether others were paused for it.
bool Admission::try_to_resume(std::uint32_t i) {
  const Job& job = board_.draft().job(i);
  const ClusterView& view = board_.view();
  const bool own_instant = due_again(i);
  bool placed = place(i);
  bool paused = false;
  if (!placed && own_instant && board_.spec().urgent && job.phase == Phase::paused) {
    const Outlook& outlook = board_.outlook(i);
    placed = paused = place_instead(i, {outlook.pred(board_.cost()), kResumeFactor, kResumeOfFresh, true,
                                        Displacement::By::resumption});
  }
  if (placed) {
    attempts_.forget(i);
  } else if (own_instant) {
    const Duration wait =
        std::max(least_resume(board_.spec()), Duration{(view.now - job.submitted).raw / kResumesOfFlow});
    attempts_.set(i, {0, view.now + wait});
  }
  return paused;
}

}  // namespace aliquot
