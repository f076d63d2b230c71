#include "policies/aliquot/admission.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "policies/aliquot/free_memory.hpp"
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
constexpr double kNobody = std::numeric_limits<double>::infinity();  // bears nothing
constexpr std::size_t kFewGone = 4;                                  // a part of all
constexpr std::int32_t kFewClaims = 8;
constexpr std::size_t kFewBearers = 8;  // a part of all

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
  sort_ranked(order);
  return order;
}

// Who stood somewhere, has made progress and may be paused.
template <class Picks>
Admission::Order Admission::bearers(Picks&& picks) const {
  const Draft& draft = board_.draft();
  Order order(draft.memory());
  for (const std::uint32_t k : draft.stood_entries()) {
    if (draft.fixed(k)) continue;
    const Outlook& outlook = board_.outlook(k);
    if (outlook.virt > 0 && picks(k))
      order.push_back({key_of_priority(priority(outlook.flow, outlook.virt)), k});
  }
  sort_ranked(order);
  return order;
}

// Who is off just now is among them: it may come back to where it stood.
void Admission::gather_bearers() {
  const Order order = bearers([](std::uint32_t) { return true; });
  bearers_.clear();
  bearers_.reserve(order.size());
  for (const Ranked& next : order) {
    const Job& job = board_.draft().job(next.entry);
    bearers_.push_back({job.placement, charge_of_task(job.demand), next.entry});
  }
  all_gathered_ = true;
  gather_bearings();
}

void Admission::gather_bearings() {
  gone_ = 0;
  bearings_.clear();
  bearings_.reserve(bearers_.size());
  for (std::uint32_t k = 0; k < bearers_.size(); ++k) bearings_.push_back(bearing_of(k, bearers_[k].entry));
}

Admission::Bearing Admission::bearing_of(std::uint32_t bearer, std::uint32_t entry) const {
  const double lost = board_.cost() + 2 * std::max(board_.shortest(), board_.cost());
  const Outlook& outlook = board_.outlook(entry);
  const double paused = outlook.pred(outlook.stall + lost);
  const bool stalled = outlook.stall > 0;
  return {paused, stalled ? paused / outlook.at_full : kNobody, bearer, stalled};
}

// Who is let in may also undo a resume or a move whose penalty is still being served: that costs the
// other no progress, and it is a pity only if it gets as many times worse as the new job is late.
bool Admission::Bearing::bears(const Claim& claim) const {
  return stretch * claim.factor <= claim.stretch ? !(claim.spare_stalled && stalled)
                                                 : worse <= claim.stretch && !claim.spare_stalled;
}

// Where few claims are made, and few can bear them, only these are put in order. False: they are many.
bool Admission::offer_few(const Claim& claim) {
  if (all_gathered_ || ++claims_ > kFewClaims) return false;
  const Draft& draft = board_.draft();
  const Order order = bearers([&](std::uint32_t k) {
    return bearing_of(0, k).bears(claim) &&
           (draft.untouched(k) || draft.placement(k) == Shares(draft.job(k).placement));
  });
  if (order.size() > draft.placed_count() / kFewBearers) return false;
  bearers_.clear();
  bearers_.reserve(order.size());  // the room maker knows them by where they are
  for (std::size_t k = order.size(); k-- > 0 && !room_maker_->enough();) {
    const Job& job = draft.job(order[k].entry);
    bearers_.push_back({job.placement, charge_of_task(job.demand), order[k].entry});
    room_maker_->take_off(bearers_.back());
  }
  return true;
}

// Those who can bear it, the lowest priority first, until there is room.
void Admission::offer_bearers(const Claim& claim) {
  if (offer_few(claim)) return;
  if (!all_gathered_) gather_bearers();
  const Draft& draft = board_.draft();
  for (std::size_t k = bearings_.size(); k-- > 0 && !room_maker_->enough();) {
    Bearing& bearing = bearings_[k];
    if (!bearing.bears(claim)) continue;
    const RoomMaker::Candidate& bearer = bearers_[bearing.bearer];
    if (draft.placement(bearer.entry) == bearer.shares) {
      room_maker_->take_off(bearer);
    } else {
      bearing.stretch = bearing.worse = kNobody;
      ++gone_;
    }
  }
  if (gone_ <= bearings_.size() / kFewGone) return;
  std::erase_if(bearings_, [](const Bearing& bearing) { return bearing.stretch == kNobody; });
  gone_ = 0;
}

// An exchange costs both sides P: who was paused would lose more by it than by waiting as long.
Duration Admission::first_resume() const {
  return std::max(least_resume(board_.spec()), Duration{std::llround(board_.cost() * 1e6)});
}

bool Admission::place(std::uint32_t i) {
  const auto asked = Refusals::Refusal::of(board_.draft().job(i).demand, 0);
  if (no_room_.covers(asked)) return false;
  if (board_.place(i)) {
    // Perhaps where it stood before it was paused in this decision.
    if (all_gathered_ && board_.draft().stood(i)) gather_bearings();
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
  if (!room_maker_) room_maker_.emplace(draft);
  RoomMaker& maker = *room_maker_;
  maker.begin(demand);
  offer_bearers(claim);
  if (!maker.enough()) {
    no_victims_.add(asked);
    return false;
  }
  const auto paused = maker.finish();
  board_.place_instead(i, paused);
  no_room_.forget();
  note_paused(i, claim, paused);
  return true;
}

void Admission::note_paused(std::uint32_t helped, const Claim& claim,
                            std::span<const std::uint32_t> paused) {
  const Draft& draft = board_.draft();
  const Displaced why{claim.by, draft.job(helped).id, hundredths(board_.pred_left_out(helped)),
                      hundredths(board_.outlook(helped).at_full)};
  for (const std::uint32_t k : paused) {
    ++pauses_;
    attempts_.set(k, {0, board_.view().now + first_resume()});
    board_.book().displace(draft.job(k).id, why);
    if (claim.by == Displaced::By::arrival && board_.hopeful(k))
      out_.push_back({k, false, Refusals::Refusal::of(draft.job(k).demand, 0)});
  }
}

void Admission::admit() {
  const Draft& draft = board_.draft();
  for (const std::uint32_t i : waiting_) {
    attempts_.keep(i);
    if (!any_event_ && !due(i)) continue;
    const double stretch = (board_.outlook(i).flow + board_.shortest()) / board_.shortest();
    if (place(i) || (board_.spec().pause &&
                     place_instead(i, {stretch, kArrivalFactor, false, Displaced::By::arrival}))) {
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
    placed = paused =
        place_instead(i, {outlook.pred(board_.cost()), kResumeFactor, true, Displaced::By::resume});
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
