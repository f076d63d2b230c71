#include "policies/packing/assignment.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace aliquot {

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

class Assignment {
 public:
  explicit Assignment(const Gains& gains)
      : gains_(gains),
        column_of_(gains.rows(), kNone),
        row_of_(gains.columns, kNone),
        price_(gains.columns, 0),
        loss_(gains.columns),
        from_(gains.columns),
        order_(gains.columns) {
    std::iota(order_.begin(), order_.end(), 0U);
  }

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> open;
    for (std::uint32_t row = 0; row < gains_.rows(); ++row)
      if (!take_best(row)) open.push_back(row);
    for (const std::uint32_t row : open) augment(row);
    return std::move(column_of_);
  }

 private:
  // A free column, if one is as good as the best.
  bool take_best(std::uint32_t row) {
    const auto gains = gains_.of(row);
    const std::int32_t best = *std::max_element(gains.begin(), gains.end());
    for (std::uint32_t column = 0; column < gains.size(); ++column) {
      if (gains[column] != best || row_of_[column] != kNone) continue;
      give(row, column);
      return true;
    }
    return false;
  }
  void give(std::uint32_t row, std::uint32_t column) {
    row_of_[column] = row;
    column_of_[row] = column;
  }

  // The gain of a row at this column less the column's dual price.
  [[nodiscard]] std::int32_t reduced_gain(std::uint32_t row, std::uint32_t column) const {
    return gains_.of(row)[column] - price_[column];
  }

  // Dijkstra's algorithm over the columns. They stand in three parts: scanned columns, whose rows have been
  // looked at; columns that are reached at the least loss; and the others.
  void augment(std::uint32_t start) {
    scanned_ = reached_ = 0;
    for (std::uint32_t column = 0; column < order_.size(); ++column) {
      loss_[column] = -reduced_gain(start, column);
      from_[column] = start;
    }
    std::uint32_t free = kNone;
    std::int32_t least = 0;
    std::size_t passed = 0;  // columns that were reached at a smaller loss
    while (free == kNone) {
      if (scanned_ == reached_) {
        passed = scanned_;
        least = reach_nearest();
        free = free_among(scanned_, reached_);
      }
      while (free == kNone && scanned_ < reached_) free = relax(order_[scanned_++], least);
    }
    for (std::size_t k = 0; k < passed; ++k) price_[order_[k]] += least - loss_[order_[k]];
    for (std::uint32_t row = kNone; row != start;) {  // each row on the path takes the column of the next
      row = from_[free];
      const std::uint32_t before = column_of_[row];
      give(row, free);
      free = before;
    }
  }

  // Moves all columns of the least loss to those that are reached; returns that loss.
  std::int32_t reach_nearest() {
    std::int32_t least = loss_[order_[reached_]];
    for (std::size_t k = reached_; k < order_.size(); ++k) least = std::min(least, loss_[order_[k]]);
    for (std::size_t k = reached_; k < order_.size(); ++k)
      if (loss_[order_[k]] == least) std::swap(order_[k], order_[reached_++]);
    return least;
  }
  [[nodiscard]] std::uint32_t free_among(std::size_t first, std::size_t last) const {
    for (std::size_t k = first; k < last; ++k)
      if (row_of_[order_[k]] == kNone) return order_[k];
    return kNone;
  }

  // Lowers the losses of other columns by way of this column's row. Returns a free column of the least
  // loss, if any.
  std::uint32_t relax(std::uint32_t column, std::int32_t least) {
    const std::uint32_t row = row_of_[column];
    const std::int32_t base = reduced_gain(row, column) + least;
    for (std::size_t k = reached_; k < order_.size(); ++k) {
      const std::uint32_t other = order_[k];
      const std::int32_t loss = base - reduced_gain(row, other);
      if (loss >= loss_[other]) continue;
      loss_[other] = loss;
      from_[other] = row;
      if (loss > least) continue;
      if (row_of_[other] == kNone) return other;
      std::swap(order_[k], order_[reached_++]);
    }
    return kNone;
  }

  const Gains& gains_;
  std::vector<std::uint32_t> column_of_;
  std::vector<std::uint32_t> row_of_;
  std::vector<std::int32_t> price_;  // by column
  std::vector<std::int32_t> loss_;   // by column: of the shortest path there
  std::vector<std::uint32_t> from_;  // by column: the row before it on that path
  std::vector<std::uint32_t> order_;
  std::size_t scanned_ = 0;
  std::size_t reached_ = 0;
};

}  // namespace

std::vector<std::uint32_t> best_assignment(const Gains& gains) { return Assignment(gains).run(); }

}  // namespace aliquot
