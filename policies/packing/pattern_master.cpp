#include "policies/packing/pattern_master.hpp"

#include <algorithm>
#include <numeric>

namespace aliquot {

namespace {

constexpr double kFarFromUse = 0.1;  // of a node: what a column is worth less

}  // namespace

void PatternMaster::start(const std::vector<Column>& columns, const std::vector<char>& usable,
                          std::span<const std::int64_t> demand, std::span<const std::int64_t> nodes,
                          std::span<const std::uint32_t> alone) {
  columns_ = &columns;
  usable_ = &usable;
  flat_.clear();
  flat_kind_.clear();
  promising_.clear();
  flat_end_.assign(1, 0);
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
  price_.assign(demand.size(), 0);
  kind_price_.assign(nodes_.size(), 0);
  all_nodes_ = static_cast<double>(std::accumulate(nodes_.begin(), nodes_.end(), std::int64_t{0}));
  first_basis(alone);
  take_prices();
}

// Each shape on nodes of its own; the kind that is asked for most says what L is, the others have a rest.
void PatternMaster::first_basis(std::span<const std::uint32_t> alone) {
  const std::size_t shapes = demand_.size();
  inverse_.assign(size_ * size_, 0);
  value_.assign(size_, 0);
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

// The columns that have come since the last time, one behind the other: each step looks at all of them.
void PatternMaster::flatten() {
  for (std::size_t c = flat_kind_.size(); c < columns_->size(); ++c) {
    const Column& column = (*columns_)[c];
    flat_kind_.push_back(column.kind);
    for (const ShapeUnits& part : column.pattern) {
      flat_.push_back({part.shape, static_cast<double>(part.units)});
    }
    flat_end_.push_back(static_cast<std::uint32_t>(flat_.size()));
  }
  in_basis_.resize(columns_->size(), 0);
  choose_active();
}

void PatternMaster::take_prices() {
  const double* const load = &at(load_place_, 0);
  for (std::size_t row = 0; row < shape_of_.size(); ++row) price_[shape_of_[row]] = all_nodes_ * load[row];
  for (std::size_t k = 0; k < nodes_.size(); ++k) kind_price_[k] = -all_nodes_ * load[shape_of_.size() + k];
}

double PatternMaster::gain_of(std::uint32_t column) const {
  double gain = -kind_price_[flat_kind_[column]];
  for (std::uint32_t part = flat_end_[column]; part < flat_end_[column + 1]; ++part) {
    gain += price_[flat_[part].shape] * flat_[part].units;
  }
  return gain;
}

// The active columns that would make L smaller now; few of them do after a step or two.
void PatternMaster::look_at_active() {
  promising_.clear();
  for (const std::uint32_t c : active_) {
    if (in_basis_[c] == 0 && gain_of(c) > kZero) promising_.push_back(c);
  }
}

// Of all columns, those that are looked at at every turn: the others would have to become worth a tenth of
// a node more first.
void PatternMaster::choose_active() {
  active_.clear();
  promising_.clear();
  for (std::uint32_t c = 0; c < flat_kind_.size(); ++c) {
    if ((*usable_)[c] == 0) continue;
    const double gain = in_basis_[c] != 0 ? 0 : gain_of(c);
    if (gain > -kFarFromUse) active_.push_back(c);
    if (gain > kZero) promising_.push_back(c);
  }
}

std::int32_t PatternMaster::best_entering() {
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

void PatternMaster::direction_of(std::int32_t variable) {
  direction_.assign(size_, 0);
  const auto add = [&](std::size_t row, double times) {
    for (std::size_t place = 0; place < size_; ++place) direction_[place] += times * at(place, row);
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

bool PatternMaster::enter(std::int32_t variable) {
  direction_of(variable);
  std::size_t leaves = size_;
  double step = 0;
  for (std::size_t place = 0; place < size_; ++place) {
    if (direction_[place] <= kZero || place == load_place_) continue;
    if (leaves != size_ && value_[place] > kSurely * step * direction_[place]) continue;  // spares dividing
    const double limit = std::max(value_[place], 0.0) / direction_[place];
    const bool better =
        leaves == size_ || limit < step || (limit == step && direction_[place] > direction_[leaves]);
    if (!better) continue;
    leaves = place;
    step = limit;
  }
  if (leaves == size_) return false;
  exchange(variable, leaves, step);
  return true;
}

// `direction_` is that of the variable.
void PatternMaster::exchange(std::int32_t variable, std::size_t leaves, double step) {
  const double pivot = direction_[leaves];
  double* const leaving = &at(leaves, 0);
  nonzero_.clear();
  for (std::uint32_t row = 0; row < size_; ++row) {
    if (leaving[row] == 0) continue;
    leaving[row] /= pivot;
    nonzero_.push_back(row);
  }
  const bool sparse = 3 * nonzero_.size() < size_;
  for (std::size_t place = 0; place < size_; ++place) {
    if (place == leaves || direction_[place] == 0) continue;
    double* const here = &at(place, 0);
    const double times = direction_[place];
    if (sparse) {
      for (const std::uint32_t row : nonzero_) here[row] -= times * leaving[row];
    } else {
      for (std::size_t row = 0; row < size_; ++row) here[row] -= times * leaving[row];
    }
    value_[place] -= times * step;
  }
  value_[leaves] = step;
  if (basis_[leaves] >= 0) in_basis_[static_cast<std::size_t>(basis_[leaves])] = 0;
  if (variable >= 0) in_basis_[static_cast<std::size_t>(variable)] = 1;
  basis_[leaves] = variable;
}

bool PatternMaster::can_stand() const {
  return std::all_of(basis_.begin(), basis_.end(), [this](std::int32_t held) {
    return held < 0 || (*usable_)[static_cast<std::size_t>(held)] != 0;
  });
}

bool PatternMaster::improve(std::uint64_t& work_left) {
  flatten();
  for (;;) {
    const std::uint64_t work = work_of_a_step();
    if (work > work_left) return false;
    work_left -= work;
    const std::int32_t variable = best_entering();
    if (variable == kLoad) return true;
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
