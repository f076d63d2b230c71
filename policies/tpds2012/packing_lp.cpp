#include "policies/tpds2012/packing_lp.hpp"

#include <algorithm>
#include <limits>

namespace aliquot {

namespace {

constexpr double kZero = 1e-9;
constexpr std::size_t kGainless = 20;  // steps in a row, then Bland's rule
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// basic[r] + sum over columns of cell(r, c) * column[c] = value[r]; every column stands at 0. A variable at
// its upper limit stands there as (limit - variable).
class Tableau {
 public:
  explicit Tableau(const PackingLp& program)
      : rows_(program.rows.size()), columns_(program.most.size()), cells_(rows_ * columns_) {
    for (std::size_t c = 0; c < columns_; ++c) column_.push_back({c, program.most[c], false});
    gain_.assign(columns_, 1.0);
    for (std::size_t r = 0; r < rows_; ++r) {
      // Rows are scaled to a largest coefficient of 1, so that one tolerance serves all.
      const double largest = *std::max_element(program.rows[r].begin(), program.rows[r].end());
      scale_.push_back(largest > 0 ? largest : 1.0);
      for (std::size_t c = 0; c < columns_; ++c) cell(r, c) = program.rows[r][c] / scale_[r];
      value_.push_back(program.limits[r] / scale_[r]);
      basic_.push_back({columns_ + r, kUnbounded, false});
    }
  }

  PackingLpSolution solve() {
    const std::size_t most_steps = 50 * (rows_ + columns_) + 1000;
    std::size_t gainless = 0;
    PackingLpSolution solution;
    for (std::size_t step = 0;; ++step) {
      const std::size_t c = entering(gainless > kGainless);
      if (c == columns_) break;
      if (step == most_steps) {
        solution.optimal = false;
        break;
      }
      gainless = take_step(c) > kZero ? 0 : gainless + 1;
    }
    read_off(solution);
    return solution;
  }

 private:
  struct Variable {
    std::size_t number;  // below columns_: x; from there on: the slack of a row
    double most;
    bool from_above;  // counted from its upper limit downwards
  };

  double& cell(std::size_t r, std::size_t c) { return cells_[r * columns_ + c]; }

  [[nodiscard]] std::size_t entering(bool bland) const {
    std::size_t best = columns_;
    for (std::size_t c = 0; c < columns_; ++c) {
      if (gain_[c] <= kZero) continue;
      if (best == columns_) {
        best = c;
      } else if (bland ? column_[c].number < column_[best].number : gain_[c] > gain_[best]) {
        best = c;
      }
    }
    return best;
  }

  // Raises column c as far as it goes; the answer is how far.
  double take_step(std::size_t c) {
    double far = column_[c].most;
    std::size_t leaving = rows_;
    bool at_most = false;
    for (std::size_t r = 0; r < rows_; ++r) {
      const double slope = cell(r, c);
      double room = kUnbounded;
      if (slope > kZero) room = std::max(value_[r], 0.0) / slope;
      if (slope < -kZero) room = std::max(basic_[r].most - value_[r], 0.0) / -slope;
      const bool first =
          room < far || (room == far && leaving != rows_ && basic_[r].number < basic_[leaving].number);
      if (!first) continue;
      far = room;
      leaving = r;
      at_most = slope < 0;
    }
    if (leaving == rows_) {
      turn_column(c);
    } else {
      if (at_most) turn_row(leaving);
      pivot(leaving, c);
    }
    return far;
  }

  void turn_column(std::size_t c) {
    for (std::size_t r = 0; r < rows_; ++r) {
      value_[r] -= cell(r, c) * column_[c].most;
      cell(r, c) = -cell(r, c);
    }
    gain_[c] = -gain_[c];
    column_[c].from_above = !column_[c].from_above;
  }

  void turn_row(std::size_t r) {
    value_[r] = basic_[r].most - value_[r];
    for (std::size_t c = 0; c < columns_; ++c) cell(r, c) = -cell(r, c);
    basic_[r].from_above = !basic_[r].from_above;
  }

  void pivot(std::size_t row, std::size_t column) {
    const double inverse = 1 / cell(row, column);
    for (std::size_t c = 0; c < columns_; ++c) cell(row, c) *= inverse;
    cell(row, column) = inverse;
    value_[row] *= inverse;
    for (std::size_t r = 0; r < rows_; ++r) {
      const double factor = cell(r, column);
      if (r == row || factor == 0) continue;
      for (std::size_t c = 0; c < columns_; ++c) cell(r, c) -= factor * cell(row, c);
      cell(r, column) = -factor * inverse;
      value_[r] -= factor * value_[row];
    }
    const double gain = gain_[column];
    for (std::size_t c = 0; c < columns_; ++c) gain_[c] -= gain * cell(row, c);
    gain_[column] = -gain * inverse;
    std::swap(column_[column], basic_[row]);
  }

  void read_off(PackingLpSolution& solution) const {
    solution.x.assign(columns_, 0.0);
    solution.prices.assign(rows_, 0.0);
    const auto put = [&](const Variable& variable, double value) {
      if (variable.number >= columns_) return;
      const double x = variable.from_above ? variable.most - value : value;
      solution.x[variable.number] = std::clamp(x, 0.0, variable.most);
    };
    for (std::size_t c = 0; c < columns_; ++c) {
      put(column_[c], 0.0);
      if (column_[c].number < columns_) continue;
      const std::size_t row = column_[c].number - columns_;
      solution.prices[row] = std::max(0.0, -gain_[c]) / scale_[row];
    }
    for (std::size_t r = 0; r < rows_; ++r) put(basic_[r], value_[r]);
  }

  std::size_t rows_;
  std::size_t columns_;
  std::vector<double> cells_;
  std::vector<Variable> column_;
  std::vector<double> gain_;  // of a unit of each column
  std::vector<Variable> basic_;
  std::vector<double> value_;
  std::vector<double> scale_;
};

}  // namespace

PackingLpSolution solve(const PackingLp& program) { return Tableau(program).solve(); }

}  // namespace aliquot
