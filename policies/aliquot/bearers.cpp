// Whom ALIQUOT's admission may pause for others: those that can bear it, the lowest priority first.
#include <algorithm>
#include <limits>

#include "policies/aliquot/admission.hpp"
#include "policies/dfrs/priority.hpp"

namespace aliquot {

namespace {

constexpr double kNobody = std::numeric_limits<double>::infinity();  // bears nothing
constexpr std::size_t kFewGone = 4;                                  // a part of all
constexpr std::int32_t kFewClaims = 8;
constexpr std::size_t kFewBearers = 8;  // a part of all
constexpr std::uint32_t kNoBearer = UINT32_MAX;

}  // namespace

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
  sort_by_key(order);
  return order;
}

// Who is off just now is among them: it may come back to where it stood.
void Admission::gather_bearers() {
  const Order order = bearers([](std::uint32_t) { return true; });
  bearers_.clear();
  bearers_.reserve(order.size());
  bearings_.reserve(order.size());
  stands_.reserve(order.size());
  bearer_of_.resize(board_.draft().size(), kNoBearer);
  for (const Ranked& next : order) {
    const Job& job = board_.draft().job(next.entry);
    const auto bearer = static_cast<std::uint32_t>(bearers_.size());
    bearers_.push_back({job.placement, charge_of_task(job.demand), next.entry});
    bearings_.push_back(bearing_of(bearer, next.entry));
    stands_.push_back(board_.draft().placement(next.entry) == bearers_.back().shares ? 1 : 0);
    bearer_of_[next.entry] = bearer;
  }
  all_gathered_ = true;
}

// Perhaps: it was paused in this decision, and has been placed.
void Admission::stands_again(std::uint32_t i) {
  const std::uint32_t bearer = bearer_of_[i];
  if (bearer == kNoBearer || board_.draft().placement(i) != bearers_[bearer].shares) return;
  stands_[bearer] = 1;
  const auto at = std::lower_bound(
      bearings_.begin(), bearings_.end(), bearer,
      [](const Bearing& bearing, std::uint32_t number) { return bearing.bearer < number; });
  if (at == bearings_.end() || at->bearer != bearer) {
    bearings_.insert(at, bearing_of(bearer, i));
    return;
  }
  if (at->stretch == kNobody) --gone_;
  *at = bearing_of(bearer, i);
}

Admission::Bearing Admission::bearing_of(std::uint32_t bearer, std::uint32_t entry) const {
  const double lost = board_.cost() + 2 * std::max(board_.shortest(), board_.cost());
  const Outlook& outlook = board_.outlook(entry);
  const double paused = outlook.pred(outlook.stall + lost);
  const bool stalled = outlook.stall > 0;
  return {paused, stalled ? paused / outlook.at_full : kNobody, bearer, stalled,
          outlook.virt < board_.cost()};
}

// Who is let in may also undo a resume or a move whose penalty is still being served: that costs the
// other no progress, and it is a pity only if it gets as many times worse as the new job is late.
bool Admission::Bearing::bears(const Claim& claim) const {
  const double factor = fresh ? claim.factor_of_fresh : claim.factor;
  return stretch * factor <= claim.stretch ? !(claim.spare_stalled && stalled)
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
  for (std::size_t k = order.size(); k-- > 0 && !preemption_search_->enough();) {
    const Job& job = draft.job(order[k].entry);
    bearers_.push_back({job.placement, charge_of_task(job.demand), order[k].entry});
    preemption_search_->take_off(bearers_.back());
  }
  return true;
}

// Those who can bear it, the lowest priority first, until there is room.
void Admission::offer_bearers(const Claim& claim) {
  if (offer_few(claim)) return;
  if (!all_gathered_) gather_bearers();
  for (std::size_t k = bearings_.size(); k-- > 0 && !preemption_search_->enough();) {
    Bearing& bearing = bearings_[k];
    if (!bearing.bears(claim)) continue;
    if (stands_[bearing.bearer] != 0) {
      preemption_search_->take_off(bearers_[bearing.bearer]);
    } else {
      bearing.stretch = bearing.worse = kNobody;
      ++gone_;
    }
  }
  if (gone_ <= bearings_.size() / kFewGone) return;
  std::erase_if(bearings_, [](const Bearing& bearing) { return bearing.stretch == kNobody; });
  gone_ = 0;
}

}  // namespace aliquot
