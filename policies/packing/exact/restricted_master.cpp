#include "policies/packing/exact/restricted_master.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace aliquot {

namespace {

constexpr double kZero = 1e-9;
constexpr double kSmallestPivot = 1e-7;    // of a dual step
constexpr std::size_t kMostDualSteps = 4;  // for each row

}  // namespace

RestrictedMaster::RestrictedMaster(std::size_t shapes, std::size_t kinds)
    : shapes_(shapes), rows_(shapes + kinds), basic_(1 + rows_, 0) {}

std::uint32_t RestrictedMaster::add(std::uint32_t kind, std::span<const Part> parts) {
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  first_part_.push_back(parts_.size());
  kind_.push_back(kind);
  usable_.push_back(1);
  basic_.push_back(0);
  return columns() - 1;
}

double RestrictedMaster::product(const double* by_row, Variable variable) const {
  if (variable == kLoad) {
    double sum = 0;
    for (std::size_t k = 0; k < nodes_.size(); ++k) sum -= nodes_[k] * by_row[shapes_ + k];
    return sum;
  }
  if (!is_column(variable)) {
    const std::size_t row = variable - 1;
    return row < shapes_ ? -by_row[row] : by_row[row];
  }
  return pattern_product(by_row, column_of(variable));
}

void RestrictedMaster::set_basic(std::size_t place, Variable variable) {
  basis_[place] = variable;
  basic_[variable] = 1;
}

// The kind that is asked for most determines L, the other kinds have slack. A shape without demand has a
// surplus of none.
void RestrictedMaster::start(std::span<const double> demand, std::span<const double> nodes,
                             std::span<const std::uint32_t> single) {
  nodes_.assign(nodes.begin(), nodes.end());
  basis_.assign(rows_, kLoad);
  std::fill(basic_.begin(), basic_.end(), 0);
  inverse_.assign(rows_ * (rows_ + 1), 0);
  std::vector<double> asked(nodes.size(), 0);
  for (std::size_t s = 0; s < shapes_; ++s) {
    if (demand[s] <= 0) {
      row_at(s)[s] = -1;
      set_basic(s, logical(s));
      continue;
    }
    const double units = parts_[first_part_[single[s]]].units;
    row_at(s)[s] = 1 / units;
    value(s) = demand[s] / units;
    set_basic(s, variable_of(single[s]));
    asked[kind_[single[s]]] += value(s);
  }
  const auto load_of = [&](std::size_t k) { return nodes[k] > 0 ? asked[k] / nodes[k] : 0; };
  std::size_t most = 0;
  for (std::size_t k = 1; k < nodes.size(); ++k) {
    if (load_of(k) > load_of(most)) most = k;
  }
  load_place_ = shapes_ + most;
  // In a row of a kind: what is filled of it, taken from the rows of the shapes.
  const auto subtract_filled = [&](std::size_t k) {
    double* const row = row_at(shapes_ + k);
    for (std::size_t s = 0; s < shapes_; ++s) {
      if (demand[s] > 0 && kind_[single[s]] == k) row[s] -= row_at(s)[s];
    }
    row[shapes_ + k] += 1;
    value(shapes_ + k) -= asked[k];
  };
  subtract_filled(most);
  double* const load = row_at(load_place_);
  for (std::size_t i = 0; i <= rows_; ++i) load[i] /= -nodes[most];
  set_basic(load_place_, kLoad);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (k == most) continue;
    double* const row = row_at(shapes_ + k);
    for (std::size_t i = 0; i <= rows_; ++i) row[i] = nodes[k] * load[i];
    subtract_filled(k);
    set_basic(shapes_ + k, logical(shapes_ + k));
  }
  compute_duals();
}

void RestrictedMaster::compute_duals() {
  const double all_nodes = std::accumulate(nodes_.begin(), nodes_.end(), 0.0);
  const double* const row = row_at(load_place_);
  dual_.assign(row, row + rows_);
  for (double& dual : dual_) dual *= all_nodes;
}

void RestrictedMaster::compute_direction(Variable entering) {
  direction_.resize(rows_);
  for (std::size_t place = 0; place < rows_; ++place) direction_[place] = product(row_at(place), entering);
}

void RestrictedMaster::pivot(Variable entering, std::size_t leaving) {
  double* const row = row_at(leaving);
  for (std::size_t i = 0; i <= rows_; ++i) row[i] /= direction_[leaving];
  for (std::size_t place = 0; place < rows_; ++place) {
    const double factor = direction_[place];
    if (place == leaving || factor == 0) continue;
    double* const other = row_at(place);
    for (std::size_t i = 0; i <= rows_; ++i) other[i] -= factor * row[i];
  }
  basic_[basis_[leaving]] = 0;
  set_basic(leaving, entering);
  compute_duals();
}

// The variable that makes L smaller the fastest.
std::optional<RestrictedMaster::Variable> RestrictedMaster::steepest() const {
  std::optional<Variable> best;
  double most = kZero;
  for_each_entering(dual_.data(), [&](Variable variable, double gain) {
    if (gain <= most) return;
    most = gain;
    best = variable;
  });
  return best;
}

std::optional<std::size_t> RestrictedMaster::first_to_leave() const {
  std::optional<std::size_t> leaves;
  double least = 0;
  for (std::size_t place = 0; place < rows_; ++place) {
    if (place == load_place_ || direction_[place] <= kZero) continue;
    const double limit = std::max(value(place), 0.0) / direction_[place];
    if (leaves && (limit > least || (limit == least && direction_[place] <= direction_[*leaves]))) continue;
    leaves = place;
    least = limit;
  }
  return leaves;
}

bool RestrictedMaster::minimise(std::uint64_t& effort) {
  for (;;) {
    if (effort_of_a_step() > effort) return false;
    effort -= effort_of_a_step();
    const std::optional<Variable> entering = steepest();
    if (!entering) return true;
    compute_direction(*entering);
    const std::optional<std::size_t> leaving = first_to_leave();
    if (!leaving) return false;
    pivot(*entering, *leaving);
  }
}

std::optional<std::size_t> RestrictedMaster::most_negative() const {
  std::optional<std::size_t> found;
  double least = -kZero;
  for (std::size_t place = 0; place < rows_; ++place) {
    if (place == load_place_ || value(place) >= least) continue;
    least = value(place);
    found = place;
  }
  return found;
}

// What enters for a negative variable so that all dual values keep their sign.
std::optional<RestrictedMaster::Variable> RestrictedMaster::least_dual_ratio(std::size_t leaving) const {
  std::optional<Variable> best;
  double least = 0;
  double steepest_slope = 0;
  for_each_entering(row_at(leaving), [&](Variable variable, double slope) {
    if (slope >= -kSmallestPivot) return;
    const double ratio = std::max(-product(dual_.data(), variable), 0.0) / -slope;
    if (best && (ratio > least || (ratio == least && slope >= steepest_slope))) return;
    best = variable;
    least = ratio;
    steepest_slope = slope;
  });
  return best;
}

bool RestrictedMaster::restart(std::span<const double> demand, std::span<const double> nodes,
                               std::uint64_t& effort) {
  const bool stands = std::all_of(basis_.begin(), basis_.end(), [this](Variable held) {
    return !is_column(held) || usable_[column_of(held)] != 0;
  });
  if (basis_.empty() || !stands) return false;
  std::vector<double> right_hand_side(demand.begin(), demand.end());
  for (std::size_t k = 0; k < nodes_.size(); ++k) right_hand_side.push_back(nodes[k] - nodes_[k]);
  for (std::size_t place = 0; place < rows_; ++place) {
    const double* const row = row_at(place);
    value(place) = std::inner_product(row, row + rows_, right_hand_side.begin(), 0.0);
  }
  for (std::size_t steps = 0; steps < kMostDualSteps * rows_; ++steps) {
    const std::optional<std::size_t> leaving = most_negative();
    if (!leaving) return true;
    if (effort_of_a_step() > effort) return false;
    effort -= effort_of_a_step();
    const std::optional<Variable> entering = least_dual_ratio(*leaving);
    if (!entering) return false;
    compute_direction(*entering);
    pivot(*entering, *leaving);
  }
  return false;
}

std::vector<RestrictedMaster::Amount> RestrictedMaster::amounts() const {
  std::vector<Amount> amounts;
  for (std::size_t place = 0; place < rows_; ++place) {
    if (is_column(basis_[place]) && value(place) > kZero) {
      amounts.push_back({static_cast<std::uint32_t>(column_of(basis_[place])), value(place)});
    }
  }
  return amounts;
}

}  // namespace aliquot
