#include "test/support/reference_simplex.hpp"

#include <cstddef>

namespace aliquot {
namespace {

constexpr double kTiny = 1e-9;
constexpr int kMostPivots = 20'000;

// The tableau of the simplex method; the last row holds the reduced costs, the last column the limits.
class Tableau {
 public:
  explicit Tableau(const SmallLp& lp)
      : variables_(lp.gain.size()), rows_(lp.rows.size()), width_(variables_ + rows_ + 1) {
    cells_.assign((rows_ + 1) * width_, 0);
    for (std::size_t r = 0; r < rows_; ++r) {
      for (std::size_t v = 0; v < variables_; ++v) at(r, v) = lp.rows[r][v];
      at(r, variables_ + r) = 1;
      at(r, width_ - 1) = lp.limits[r];
      basic_.push_back(variables_ + r);
    }
    for (std::size_t v = 0; v < variables_; ++v) at(rows_, v) = -lp.gain[v];
  }

  std::vector<double> solve() {
    for (int pivots = 0; pivots < kMostPivots; ++pivots) {
      const std::size_t column = entering(pivots);
      if (column == width_) break;
      const std::size_t row = leaving(column);
      if (row == rows_) break;  // unbounded: no such program is asked for
      pivot(row, column);
    }
    std::vector<double> x(variables_);
    for (std::size_t r = 0; r < rows_; ++r)
      if (basic_[r] < variables_) x[basic_[r]] = at(r, width_ - 1);
    return x;
  }

 private:
  double& at(std::size_t row, std::size_t column) { return cells_[row * width_ + column]; }

  // The steepest column; from time to time, and in the end always, the first (Bland: no cycles).
  std::size_t entering(int pivots) {
    const bool first = pivots > kMostPivots / 4;
    std::size_t best = width_;
    double least = -kTiny;
    for (std::size_t v = 0; v + 1 < width_; ++v) {
      if (at(rows_, v) >= least) continue;
      best = v;
      if (first) break;
      least = at(rows_, v);
    }
    return best;
  }

  std::size_t leaving(std::size_t column) {
    std::size_t best = rows_;
    double least = 0;
    for (std::size_t r = 0; r < rows_; ++r) {
      if (at(r, column) <= kTiny) continue;
      const double ratio = at(r, width_ - 1) / at(r, column);
      if (best == rows_ || ratio < least || (ratio == least && basic_[r] < basic_[best])) {
        best = r;
        least = ratio;
      }
    }
    return best;
  }

  void pivot(std::size_t row, std::size_t column) {
    const double by = at(row, column);
    for (std::size_t v = 0; v < width_; ++v) at(row, v) /= by;
    for (std::size_t r = 0; r <= rows_; ++r) {
      const double factor = at(r, column);
      if (r == row || factor == 0) continue;
      for (std::size_t v = 0; v < width_; ++v) at(r, v) -= factor * at(row, v);
    }
    basic_[row] = column;
  }

  std::size_t variables_;
  std::size_t rows_;
  std::size_t width_;
  std::vector<double> cells_;
  std::vector<std::size_t> basic_;  // the variable of each row
};

}  // namespace

std::vector<double> maximize(const SmallLp& lp) { return Tableau(lp).solve(); }

}  // namespace aliquot
