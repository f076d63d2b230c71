// Which column makes L of the master smaller: each step looks at many of them, and so they stand one behind
// the other.
#include <algorithm>
#include <limits>

#include "policies/packing/exact/pattern_master.hpp"

namespace aliquot {

namespace {

constexpr double kFarFromUse = 0.03;  // of a node: what a column is worth less

}  // namespace

// The columns that have come since the last time, one behind the other: each step looks at all of them.
void PatternMaster::flatten() {
  for (std::size_t c = flat_.size(); c < columns_->size(); ++c) {
    const Column& column = (*columns_)[c];
    Parts* parts = &flat_.emplace_back();
    parts->kind = column.kind;
    for (std::size_t from = 0; from == 0 || from < column.pattern.size(); from += kParts) {
      if (from > 0) {
        parts->next = static_cast<std::uint32_t>(further_.size());
        parts = &further_.emplace_back();
      }
      parts->units.fill(0);
      parts->shape.fill(static_cast<std::uint32_t>(row_of_.size()));
      for (std::size_t i = 0; i < std::min(kParts, column.pattern.size() - from); ++i) {
        parts->units[i] = column.pattern[from + i].units;
        parts->shape[i] = column.pattern[from + i].shape;
      }
    }
  }
  const auto known = static_cast<std::uint32_t>(in_basis_.size());
  in_basis_.resize(columns_->size(), 0);
  if (!looked_) return choose_active();
  for (std::uint32_t c = known; c < in_basis_.size(); ++c) look_at(c);
}

// The active columns that would make L smaller now; few of them do after a step or two.
void PatternMaster::look_at_active() {
  promising_.resize(active_.size());
  std::size_t found = 0;
  for (const std::uint32_t c : active_) {
    promising_[found] = c;
    found += static_cast<std::size_t>(in_basis_[c] == 0) & static_cast<std::size_t>(gain_of(c) > kZero);
  }
  promising_.resize(found);
}

// Of all columns, those that are looked at at every turn: the others would have to become worth some
// hundredths of a node more first.
void PatternMaster::choose_active() {
  active_.resize(flat_.size());
  std::size_t near = 0;
  std::size_t found = 0;
  promising_.resize(flat_.size());
  for (std::uint32_t c = 0; c < flat_.size(); ++c) {
    if ((*usable_)[c] == 0) continue;
    const double gain = in_basis_[c] != 0 ? 0 : gain_of(c);
    active_[near] = c;
    near += static_cast<std::size_t>(gain > -kFarFromUse);
    promising_[found] = c;
    found += static_cast<std::size_t>(gain > kZero);
  }
  active_.resize(near);
  promising_.resize(found);
}

void PatternMaster::look_at(std::uint32_t column) {
  if ((*usable_)[column] == 0) return;
  const double gain = in_basis_[column] != 0 ? 0 : gain_of(column);
  if (gain > -kFarFromUse) active_.push_back(column);
  if (gain > kZero) promising_.push_back(column);
}

double PatternMaster::loses(std::uint32_t column) const {
  if (column >= flat_.size() || (*usable_)[column] == 0) return std::numeric_limits<double>::infinity();
  return -gain_of(column);
}

std::int32_t PatternMaster::best_entering(Among among) {
  std::int32_t best = kLoad;
  double most = kZero;
  const auto offer = [&](std::int32_t variable, double gain) {
    if (gain <= most) return;
    most = gain;
    best = variable;
  };
  // More of a shape than is asked for, fewer nodes of a kind than there are.
  for (std::uint32_t row = 0; row < shape_of_.size(); ++row) offer(surplus(row), -price_[shape_of_[row]]);
  for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
    offer(surplus(static_cast<std::uint32_t>(shape_of_.size()) + k), -kind_price_[k]);
  }
  for (const Look look : {Look::promising, Look::active, Look::all}) {
    if (look == Look::all && among == Among::near) break;
    if (look == Look::active) look_at_active();
    if (look == Look::all) choose_active();
    std::size_t kept = 0;
    for (const std::uint32_t c : promising_) {
      const double gain = gain_of(c);
      if (gain <= kZero || in_basis_[c] != 0 || (*usable_)[c] == 0) continue;
      promising_[kept++] = c;
      offer(static_cast<std::int32_t>(c), gain);
    }
    promising_.resize(kept);
    if (best != kLoad) break;
  }
  return best;
}

}  // namespace aliquot
