#include "policies/placement/search.hpp"

#include <algorithm>
#include <limits>

namespace aliquot::ip {

Search::Search(const Relaxation& relaxation, Packer& packer, Packing& best, std::size_t requests)
    : relaxation_(relaxation),
      packer_(packer),
      best_(best),
      incumbent_(best.value << kPlaces),
      here_(relaxation.bound),
      rest_(relaxation.items.size()),
      least_(relaxation.items.size() + 1, std::numeric_limits<std::int64_t>::max()),
      left_(relaxation.free),
      set_(requests, 0),
      shut_(relaxation.shapes, 0) {
  std::vector<Value> of_shape(relaxation.shapes, 0);
  for (std::size_t i = relaxation.items.size(); i-- > 0;) {
    const Item& item = relaxation.items[i];
    rest_[i] = of_shape[item.shape];
    of_shape[item.shape] += std::max<Value>(item.reduced, 0);
    least_[i] = std::min(least_[i + 1], item.takes[0]);
  }
}

Value Search::price_of_leaving(std::uint32_t i) const {
  return std::max<Value>(relaxation_.items[i].reduced, 0) + rest_[i];
}

void Search::take(std::uint32_t i) {
  const Item& item = relaxation_.items[i];
  steps_.push_back({i, true, here_});
  here_ += std::min<Value>(item.reduced, 0);
  worth_ += item.worth;
  for (std::size_t t = 0; t < relaxation_.totals; ++t) left_[t] -= item.takes[t];
  set_[item.request] = 1;
}

void Search::leave(std::uint32_t i) {
  steps_.push_back({i, false, here_});
  here_ -= price_of_leaving(i);
  shut_[relaxation_.items[i].shape] = 1;
}

void Search::undo(const Step& step) {
  const Item& item = relaxation_.items[step.item];
  here_ = step.bound_before;
  if (!step.taken) {
    shut_[item.shape] = 0;
    return;
  }
  worth_ -= item.worth;
  for (std::size_t t = 0; t < relaxation_.totals; ++t) left_[t] += item.takes[t];
  set_[item.request] = 0;
}

void Search::descend() {
  const std::vector<Item>& items = relaxation_.items;
  for (; next_ < items.size() && here_ > incumbent_; ++next_) {
    ++work_;
    const Item& item = items[next_];
    if (shut_[item.shape] != 0) continue;
    if (left_[0] < least_[next_]) break;  // nothing more fits
    work_ += 3;
    if (within(relaxation_, item, left_) && here_ + std::min<Value>(item.reduced, 0) > incumbent_) {
      take(next_);
    } else {
      leave(next_);
    }
  }
}

// A complete set.
void Search::offer() {
  if (here_ <= incumbent_ || worth_ <= incumbent_) return;
  if (packer_.pack_somehow(set_, trial_)) {
    if (trial_.value > best_.value) {
      best_ = trial_;
      incumbent_ = best_.value << kPlaces;
    }
  } else {
    packer_.pack_some(set_, Packer::recipes()[0], trial_);
    if (trial_.value > best_.value) {
      best_ = trial_;
      incumbent_ = best_.value << kPlaces;
    }
  }
  if (worth_ > incumbent_) open_ = std::max(open_, worth_);
}

// To the last item taken that is worth leaving; false: there is none.
bool Search::step_back() {
  while (!steps_.empty()) {
    const Step step = steps_.back();
    steps_.pop_back();
    undo(step);
    work_ += 3;
    if (!step.taken || here_ - price_of_leaving(step.item) <= incumbent_) continue;
    leave(step.item);
    next_ = step.item + 1;
    return true;
  }
  return false;
}

void Search::close() {
  Value bound = std::max(incumbent_, open_);
  if (!finished_) {
    bound = std::max(bound, here_);
    for (const Step& step : steps_) {
      if (step.taken) bound = std::max(bound, step.bound_before - price_of_leaving(step.item));
    }
  }
  bound_ = whole(bound);
}

void Search::run(std::uint64_t most) {
  for (;;) {
    descend();
    offer();
    if (!step_back()) {
      finished_ = true;
      break;
    }
    if (work_ + packer_.work() >= most) break;
  }
  close();
}

}  // namespace aliquot::ip
