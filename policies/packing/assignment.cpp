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
  // A column that nobody has, if one is as good as any.
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

  // What a row is worth less at this column than its gain, for others pay that much to keep it.
  [[nodiscard]] std::int32_t worth(std::uint32_t row, std::uint32_t column) const {
    return gains_.of(row)[column] - price_[column];
  }

  // The columns stand in three parts: those whose owners have been asked where else they would go, those
  // that are reached at the least loss and are to be asked, and the others.
  void augment(std::uint32_t start) {
    asked_ = reached_ = 0;
    for (std::uint32_t column = 0; column < order_.size(); ++column) {
      loss_[column] = -worth(start, column);
      from_[column] = start;
    }
    std::uint32_t free = kNone;
    std::int32_t least = 0;
    std::size_t passed = 0;  // those that were reached at less
    while (free == kNone) {
      if (asked_ == reached_) {
        passed = asked_;
        least = reach_nearest();
        free = free_among(asked_, reached_);
      }
      while (free == kNone && asked_ < reached_) free = ask(order_[asked_++], least);
    }
    for (std::size_t k = 0; k < passed; ++k) price_[order_[k]] += least - loss_[order_[k]];
    for (std::uint32_t row = kNone; row != start;) {  // each on the path takes the next one's column
      row = from_[free];
      const std::uint32_t before = column_of_[row];
      give(row, free);
      free = before;
    }
  }

  // All that can be reached at the least loss; answers that.
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

  // Where its owner would lose less than is known. A free column that is reached at the least loss, if any.
  std::uint32_t ask(std::uint32_t column, std::int32_t least) {
    const std::uint32_t row = row_of_[column];
    const std::int32_t base = worth(row, column) + least;
    for (std::size_t k = reached_; k < order_.size(); ++k) {
      const std::uint32_t other = order_[k];
      const std::int32_t loss = base - worth(row, other);
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
  std::size_t asked_ = 0;
  std::size_t reached_ = 0;
};

}  // namespace

std::vector<std::uint32_t> best_assignment(const Gains& gains) { return Assignment(gains).run(); }

}  // namespace aliquot
