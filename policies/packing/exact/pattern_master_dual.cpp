// The dual simplex method of the master: the prices stand, and what is asked for has changed.
#include <algorithm>
#include <cmath>

#include "policies/packing/exact/pattern_master.hpp"

namespace aliquot {

namespace {

constexpr double kSteep = 1e-7;        // what a step is divided by, at least
constexpr std::size_t kMostSteps = 4;  // for each row

}  // namespace

// What the basis holds for this demand on these nodes; some of it may be less than nothing.
bool PatternMaster::take_values(std::span<const std::int64_t> demand, std::span<const std::int64_t> nodes) {
  for (std::uint32_t s = 0; s < demand.size(); ++s) {
    if (demand[s] > 0 && row_of_[s] < 0) return false;
  }
  asked_.clear();
  for (const std::uint32_t s : shape_of_)
    asked_.push_back(static_cast<double>(std::max<std::int64_t>(demand[s], 0)));
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    asked_.push_back(static_cast<double>(nodes[k] - nodes_[k]));
  std::fill(value_.begin(), value_.end(), 0);
  for (std::size_t row = 0; row < size_; ++row) {
    const double* const here = column_of(row);
    for (std::size_t place = 0; place < size_; ++place) value_[place] += here[place] * asked_[row];
  }
  return true;
}

// The variable to enter so that what stands at `leaves` rises, or falls, and no price turns; kLoad: none
// does.
std::int32_t PatternMaster::best_turning(std::size_t leaves, Turn turn) {
  take_row(leaves, leaving_);
  if (turn == Turn::down) {
    for (double& number : leaving_) number = -number;
  }
  slope_.assign(row_of_.size() + 1, 0);
  for (std::size_t row = 0; row < shape_of_.size(); ++row) slope_[shape_of_[row]] = leaving_[row];
  std::int32_t best = kLoad;
  double least = 0;
  double steepest = 0;
  const auto offer = [&](std::int32_t variable, double slope, double gain) {
    if (slope >= -kSteep || (best != kLoad && gain < kSurely * least * slope)) return;
    const double price = std::max(-gain, 0.0) / -slope;
    if (best != kLoad && (price > least || (price == least && slope >= steepest))) return;
    best = variable;
    least = price;
    steepest = slope;
  };
  const std::size_t shapes = shape_of_.size();
  for (std::uint32_t row = 0; row < shapes; ++row) {
    offer(surplus(row), -leaving_[row], -price_[shape_of_[row]]);
  }
  for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
    const auto row = static_cast<std::uint32_t>(shapes + k);
    offer(surplus(row), leaving_[row], -kind_price_[k]);
  }
  for (const bool all : {false, true}) {
    take_falling(all);
    for (const auto& [c, slope] : falling_) offer(static_cast<std::int32_t>(c), slope, gain_of(c));
    if (best != kLoad) break;
  }
  return best;
}

// The columns, of the active ones or of all, that have a slope downwards: as good as random, and no branch.
void PatternMaster::take_falling(bool all) {
  const std::size_t looked_at = all ? flat_.size() : active_.size();
  const std::size_t shapes = shape_of_.size();
  falling_.resize(looked_at);
  std::size_t found = 0;
  for (std::uint32_t i = 0; i < looked_at; ++i) {
    const std::uint32_t c = all ? i : active_[i];
    const double slope = add_column(c, leaving_[shapes + flat_[c].kind], slope_);
    const bool enters = in_basis_[c] == 0 && (*usable_)[c] != 0;
    falling_[found] = {c, slope};
    found += static_cast<std::size_t>(enters) & static_cast<std::size_t>(slope < -kSteep);
  }
  falling_.resize(found);
}

std::size_t PatternMaster::most_below_nothing() const {
  std::size_t found = size_;
  double least = -kZero;
  for (std::size_t place = 0; place < size_; ++place) {
    if (place == load_place_ || value_[place] >= least) continue;
    least = value_[place];
    found = place;
  }
  return found;
}

// Of what is not usable any longer, that of which there is most.
std::size_t PatternMaster::most_not_usable() const {
  std::size_t found = size_;
  for (std::size_t place = 0; place < size_; ++place) {
    if (basis_[place] < 0 || (*usable_)[static_cast<std::size_t>(basis_[place])] != 0) continue;
    if (found == size_ || value_[place] > value_[found]) found = place;
  }
  return found;
}

bool PatternMaster::ask_again(std::span<const std::int64_t> demand, std::span<const std::int64_t> nodes,
                              std::uint64_t& work_left) {
  flatten();
  return take_values(demand, nodes) && mend(work_left);
}

bool PatternMaster::do_without(std::uint64_t& work_left) {
  flatten();
  return mend(work_left);
}

bool PatternMaster::mend(std::uint64_t& work_left) {
  for (std::size_t steps = 0; steps < kMostSteps * size_; ++steps) {
    std::size_t leaves = most_not_usable();
    if (leaves == size_) leaves = most_below_nothing();
    if (leaves == size_) return true;
    const std::uint64_t work = work_of_a_step();
    if (work > work_left) return false;
    work_left -= work;
    const std::int32_t variable = best_turning(leaves, value_[leaves] < 0 ? Turn::up : Turn::down);
    if (variable == kLoad) return false;
    direction_of(variable);
    if (std::abs(direction_[leaves]) < kSteep / 2) return false;
    exchange(variable, leaves, value_[leaves] / direction_[leaves]);
    take_prices();
  }
  return false;
}

}  // namespace aliquot
