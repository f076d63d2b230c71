#include "policies/packing/exact/pattern_master.hpp"

#include <algorithm>
#include <numeric>

#include "policies/model/wide.hpp"

namespace aliquot {

namespace {

constexpr double kLongEnough = 0.05;  // a step aside, in nodes
constexpr std::size_t kWide = 4;      // numbers that are worked on at once

// From each row of the matrix, the same row times a number of its own: most of what a step of the simplex
// method takes.
ALIQUOT_WIDE void take_off(double* __restrict matrix, const double* __restrict row,
                           std::span<const double> times, std::size_t blocks) {
  const std::size_t stride = blocks * kWide;
  for (const double factor : times) {
    if (factor != 0) {
      for (std::size_t i = 0; i < stride; ++i) matrix[i] -= factor * row[i];
    }
    matrix += stride;
  }
}

ALIQUOT_WIDE void add_times(double* __restrict sums, const double* __restrict row, double factor,
                            std::size_t blocks) {
  for (std::size_t i = 0; i < blocks * kWide; ++i) sums[i] += factor * row[i];
}

}  // namespace

void PatternMaster::start(const std::vector<Column>& columns, const std::vector<char>& usable,
                          std::span<const std::int64_t> demand, std::span<const std::int64_t> nodes,
                          std::span<const std::uint32_t> alone) {
  columns_ = &columns;
  usable_ = &usable;
  flat_.clear();
  promising_.clear();
  further_.resize(1);
  nodes_.assign(nodes.begin(), nodes.end());
  row_of_.assign(demand.size(), -1);
  demand_.clear();
  shape_of_.clear();
  for (std::uint32_t s = 0; s < demand.size(); ++s) {
    if (demand[s] <= 0) continue;
    row_of_[s] = static_cast<std::int32_t>(demand_.size());
    demand_.push_back(demand[s]);
    shape_of_.push_back(s);
  }
  size_ = demand_.size() + nodes_.size();
  looked_ = false;
  price_.assign(demand.size() + 1, 0);
  kind_price_.assign(nodes_.size(), 0);
  all_nodes_ = static_cast<double>(std::accumulate(nodes_.begin(), nodes_.end(), std::int64_t{0}));
  first_basis(alone);
  take_prices();
}

// Each shape on nodes of its own; the kind that is asked for most says what L is, the others have a rest.
void PatternMaster::first_basis(std::span<const std::uint32_t> alone) {
  const std::size_t shapes = demand_.size();
  stride_ = (size_ + kWide - 1) / kWide * kWide;
  inverse_.assign(size_ * stride_, 0);
  value_.assign(stride_, 0);
  meets_.resize(size_);
  basis_.assign(size_, kLoad);
  in_basis_.assign(columns_->size(), 0);
  std::vector<double> asked(nodes_.size(), 0);
  for (std::size_t row = 0; row < shapes; ++row) {
    const Column& column = (*columns_)[alone[row]];
    const double units = column.pattern.front().units;
    basis_[row] = static_cast<std::int32_t>(alone[row]);
    in_basis_[alone[row]] = 1;
    at(row, row) = 1 / units;
    value_[row] = static_cast<double>(demand_[row]) / units;
    asked[column.kind] += value_[row];
  }
  std::size_t most = 0;
  const auto load_of = [&](std::size_t k) {
    return nodes_[k] > 0 ? asked[k] / static_cast<double>(nodes_[k]) : 0;
  };
  for (std::size_t k = 1; k < nodes_.size(); ++k) {
    if (load_of(k) > load_of(most)) most = k;
  }
  load_place_ = shapes + most;
  const auto nodes = static_cast<double>(nodes_[most]);
  value_[load_place_] = load_of(most);
  at(load_place_, load_place_) = -1 / nodes;
  for (std::size_t row = 0; row < shapes; ++row) {
    if ((*columns_)[alone[row]].kind == most) at(load_place_, row) = at(row, row) / nodes;
  }
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (k == most) continue;
    const std::size_t place = shapes + k;
    const auto count = static_cast<double>(nodes_[k]);
    basis_[place] = surplus(static_cast<std::uint32_t>(place));
    value_[place] = count * value_[load_place_] - asked[k];
    for (std::size_t row = 0; row < size_; ++row) at(place, row) = count * at(load_place_, row);
    for (std::size_t row = 0; row < shapes; ++row) {
      if ((*columns_)[alone[row]].kind == k) at(place, row) -= at(row, row);
    }
    at(place, place) += 1;
  }
}

void PatternMaster::take_row(std::size_t place, std::vector<double>& row) {
  row.resize(size_);
  for (std::size_t r = 0; r < size_; ++r) row[r] = at(place, r);
}

void PatternMaster::take_prices() {
  for (std::size_t row = 0; row < shape_of_.size(); ++row) {
    price_[shape_of_[row]] = all_nodes_ * at(load_place_, row);
  }
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    kind_price_[k] = -all_nodes_ * at(load_place_, shape_of_.size() + k);
  }
}

void PatternMaster::direction_of(std::int32_t variable) {
  direction_.assign(stride_, 0);
  const auto add = [&](std::size_t row, double times) {
    add_times(direction_.data(), column_of(row), times, stride_ / kWide);
  };
  if (variable < 0) {
    const auto row = static_cast<std::size_t>(-2 - variable);
    add(row, row < shape_of_.size() ? -1 : 1);
    return;
  }
  const Column& column = (*columns_)[static_cast<std::size_t>(variable)];
  for (const ShapeUnits& part : column.pattern) {
    if (row_of_[part.shape] >= 0) add(static_cast<std::size_t>(row_of_[part.shape]), part.units);
  }
  add(shape_of_.size() + column.kind, 1);
}

// `direction_` is that of what enters: what it meets first, and after how much of it. Which places become
// less is as good as random, and so it is no branch.
std::pair<std::size_t, double> PatternMaster::first_to_leave() {
  const double of_load = std::exchange(direction_[load_place_], 0);
  std::size_t met = 0;
  for (std::uint32_t place = 0; place < size_; ++place) {
    meets_[met] = place;
    met += static_cast<std::size_t>(direction_[place] > kZero);
  }
  direction_[load_place_] = of_load;
  std::size_t leaves = size_;
  double step = 0;
  for (std::size_t m = 0; m < met; ++m) {
    const std::size_t place = meets_[m];
    if (leaves != size_ && value_[place] > kSurely * step * direction_[place]) continue;  // spares dividing
    const double limit = std::max(value_[place], 0.0) / direction_[place];
    const bool better =
        leaves == size_ || limit < step || (limit == step && direction_[place] > direction_[leaves]);
    if (!better) continue;
    leaves = place;
    step = limit;
  }
  return {leaves, step};
}

bool PatternMaster::enter(std::int32_t variable) {
  direction_of(variable);
  const auto [leaves, step] = first_to_leave();
  if (leaves == size_) return false;
  exchange(variable, leaves, step);
  return true;
}

// `direction_` is that of the variable.
void PatternMaster::exchange(std::int32_t variable, std::size_t leaves, double step) {
  looked_ = false;
  const double pivot = direction_[leaves];
  take_row(leaves, leaving_);
  for (double& number : leaving_) number /= pivot;
  direction_[leaves] = 0;
  take_off(inverse_.data(), direction_.data(), leaving_, stride_ / kWide);
  for (std::size_t row = 0; row < size_; ++row) at(leaves, row) = leaving_[row];
  for (std::size_t place = 0; place < size_; ++place) value_[place] -= direction_[place] * step;
  value_[leaves] = step;
  if (basis_[leaves] >= 0) in_basis_[static_cast<std::size_t>(basis_[leaves])] = 0;
  if (variable >= 0) in_basis_[static_cast<std::size_t>(variable)] = 1;
  basis_[leaves] = variable;
}

bool PatternMaster::step_aside(double most_load, std::uint64_t& work_left) {
  for (std::size_t looks = 0; looks < active_.size(); ++looks) {
    aside_ = aside_ + 1 < active_.size() ? aside_ + 1 : 0;
    const std::uint32_t column = active_[aside_];
    if (in_basis_[column] != 0 || (*usable_)[column] == 0) continue;
    if (load() - gain_of(column) * kLongEnough / all_nodes_ > most_load) continue;
    const std::uint64_t work = work_of_a_step();
    if (work > work_left) return false;
    work_left -= work;
    direction_of(static_cast<std::int32_t>(column));
    const auto [leaves, step] = first_to_leave();
    if (leaves == size_ || step < kLongEnough) continue;
    if (load() - direction_[load_place_] * step > most_load) continue;
    exchange(static_cast<std::int32_t>(column), leaves, step);
    take_prices();
    return true;
  }
  return false;
}

bool PatternMaster::can_stand() const {
  return std::all_of(basis_.begin(), basis_.end(), [this](std::int32_t held) {
    return held < 0 || (*usable_)[static_cast<std::size_t>(held)] != 0;
  });
}

bool PatternMaster::improve(std::uint64_t& work_left, Among among) {
  flatten();
  for (;;) {
    const std::uint64_t work = work_of_a_step();
    if (work > work_left) return false;
    work_left -= work;
    const std::int32_t variable = best_entering(among);
    if (variable == kLoad) {
      looked_ = true;
      return true;
    }
    if (!enter(variable)) return false;
    take_prices();
  }
}

std::vector<PatternMaster::Amount> PatternMaster::amounts() const {
  std::vector<Amount> amounts;
  for (std::size_t place = 0; place < size_; ++place) {
    if (basis_[place] >= 0 && value_[place] > kZero) {
      amounts.push_back({static_cast<std::uint32_t>(basis_[place]), value_[place]});
    }
  }
  return amounts;
}

}  // namespace aliquot
