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
      later_of_shape_(relaxation.items.size()),
      least_cpu_(relaxation.items.size() + 1, std::numeric_limits<std::int64_t>::max()),
      set_(requests, false),
      excluded_shape_(relaxation.shapes, false) {
  std::vector<Value> of_shape(relaxation.shapes, 0);
  for (std::size_t i = relaxation.items.size(); i-- > 0;) {
    const Item& item = relaxation.items[i];
    later_of_shape_[i] = of_shape[item.shape];
    of_shape[item.shape] += std::max<Value>(item.reduced_value, 0);
    least_cpu_[i] = std::min(least_cpu_[i + 1], item.demand[kCpu]);
  }
}

void BranchAndBound::run(std::uint64_t most_work) {
  most_work_ = most_work;
  visit(0, relaxation_.bound, 0, relaxation_.capacity);
}

// Decides the items from this one on. `bound`: of the sets that agree with the decisions so far; `value`
// and `left`: of the items included, and what these leave of the capacity.
void BranchAndBound::visit(std::size_t i, Value bound, Value value, const Amounts& left) {
  if (bound <= incumbent_) return;
  if (work_ + packer_.work() >= most_work_) {
    stopped_ = true;
    open_ = std::max(open_, bound);
    return;
  }
  const std::vector<Item>& items = relaxation_.items;
  while (i < items.size() && excluded_shape_[items[i].shape]) ++i;
  if (left[kCpu] < least_cpu_[i]) return pack_set(value);  // nothing more fits
  work_ += 4;
  const Item& item = items[i];
  if (fits(item.demand, left)) {
    set_[item.request] = true;
    visit(i + 1, bound + std::min<Value>(item.reduced_value, 0), value + item.value,
          minus(left, item.demand));
    set_[item.request] = false;
  }
  excluded_shape_[item.shape] = true;
  visit(i + 1, bound - cost_of_excluding(i), value, left);
  excluded_shape_[item.shape] = false;
}

Value BranchAndBound::cost_of_excluding(std::size_t i) const {
  return std::max<Value>(relaxation_.items[i].reduced_value, 0) + later_of_shape_[i];
}

void BranchAndBound::pack_set(Value value) {
  if (value <= incumbent_) return;
  Packing packing = packer_.pack_most(set_);
  if (packing.value > best_.value) {
    best_ = std::move(packing);
    incumbent_ = best_.value << kFractionBits;
  }
  if (value > incumbent_) open_ = std::max(open_, value);
}

}  // namespace aliquot::ip
