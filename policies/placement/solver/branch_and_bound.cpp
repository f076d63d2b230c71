#include "policies/placement/solver/branch_and_bound.hpp"

#include <algorithm>
#include <limits>

namespace aliquot::ip {

BranchAndBound::BranchAndBound(const Relaxation& relaxation, Packer& packer, Packing& best,
                               std::size_t requests)
    : relaxation_(relaxation),
      packer_(packer),
      best_(best),
      incumbent_(best.value << kFractionBits),
      node_bound_(relaxation.bound),
      later_of_shape_(relaxation.items.size()),
      least_cpu_(relaxation.items.size() + 1, std::numeric_limits<std::int64_t>::max()),
      left_(relaxation.capacity),
      set_(requests, 0),
      excluded_shape_(relaxation.shapes, 0) {
  std::vector<Value> of_shape(relaxation.shapes, 0);
  for (std::size_t i = relaxation.items.size(); i-- > 0;) {
    const Item& item = relaxation.items[i];
    later_of_shape_[i] = of_shape[item.shape];
    of_shape[item.shape] += std::max<Value>(item.reduced_value, 0);
    least_cpu_[i] = std::min(least_cpu_[i + 1], item.demand[kCpu]);
  }
}

Value BranchAndBound::cost_of_excluding(std::uint32_t i) const {
  return std::max<Value>(relaxation_.items[i].reduced_value, 0) + later_of_shape_[i];
}

void BranchAndBound::include(std::uint32_t i) {
  const Item& item = relaxation_.items[i];
  path_.push_back({i, true, node_bound_});
  node_bound_ += std::min<Value>(item.reduced_value, 0);
  value_ += item.value;
  relaxation_.take(item, left_);
  set_[item.request] = 1;
}

void BranchAndBound::exclude(std::uint32_t i) {
  path_.push_back({i, false, node_bound_});
  node_bound_ -= cost_of_excluding(i);
  excluded_shape_[relaxation_.items[i].shape] = 1;
}

void BranchAndBound::undo(const Branch& branch) {
  const Item& item = relaxation_.items[branch.item];
  node_bound_ = branch.bound_before;
  if (!branch.included) {
    excluded_shape_[item.shape] = 0;
    return;
  }
  value_ -= item.value;
  relaxation_.give_back(item, left_);
  set_[item.request] = 0;
}

// Includes what it can, down to a complete set.
void BranchAndBound::descend() {
  const std::vector<Item>& items = relaxation_.items;
  for (; next_ < items.size() && node_bound_ > incumbent_; ++next_) {
    ++work_;
    const Item& item = items[next_];
    if (excluded_shape_[item.shape] != 0) continue;
    if (left_[kCpu] < least_cpu_[next_]) break;  // nothing more fits
    work_ += 3;
    if (relaxation_.fits(item, left_) &&
        node_bound_ + std::min<Value>(item.reduced_value, 0) > incumbent_) {
      include(next_);
    } else {
      exclude(next_);
    }
  }
}

void BranchAndBound::pack_set() {
  if (node_bound_ <= incumbent_ || value_ <= incumbent_) return;
  Packing packing;
  if (!packer_.pack_all(set_, packing)) packer_.pack_some(set_, packing);
  if (packing.value > best_.value) {
    best_ = std::move(packing);
    incumbent_ = best_.value << kFractionBits;
  }
  if (value_ > incumbent_) open_ = std::max(open_, value_);
}

// To the last included item without which the bound is still above the incumbent; false: there is none.
bool BranchAndBound::backtrack() {
  while (!path_.empty()) {
    const Branch branch = path_.back();
    path_.pop_back();
    undo(branch);
    work_ += 3;
    if (!branch.included || node_bound_ - cost_of_excluding(branch.item) <= incumbent_) continue;
    exclude(branch.item);
    next_ = branch.item + 1;
    return true;
  }
  return false;
}

void BranchAndBound::run(std::uint64_t most_work) {
  do {
    descend();
    pack_set();
    finished_ = !backtrack();
  } while (!finished_ && work_ + packer_.work() < most_work);
  bound_ = std::max(incumbent_, open_);
  if (finished_) return;
  // The branches that were not searched.
  bound_ = std::max(bound_, node_bound_);
  for (const Branch& branch : path_) {
    if (branch.included) bound_ = std::max(bound_, branch.bound_before - cost_of_excluding(branch.item));
  }
}

}  // namespace aliquot::ip
