// The configuration program over the patterns known so far, solved by the revised simplex method.
//
//   least L such that   sum of units of s over all nodes    >= demand of s    for each shape s
//                       nodes filled by patterns of kind k  <= L x nodes of k for each kind k
//
// All of what is asked for fits the nodes, in fractions of nodes, exactly if L <= 1; where all nodes are of
// one kind, L is the number of nodes it takes to the number there is. Its prices say what a unit of each
// shape and a node of each kind are worth; a pattern worth more than its node makes L smaller. In
// floating-point numbers: an advice to whoever rounds it, and certified in whole numbers where a verdict
// depends on it (packing/exact/config_program).
#pragma once

#include <array>
#include <span>
#include <utility>

#include "policies/packing/exact/pattern.hpp"

namespace aliquot {

class PatternMaster {
 public:
  struct Column {
    std::uint32_t kind = 0;
    Pattern pattern;
  };
  struct Amount {
    std::uint32_t column = 0;
    double nodes = 0;
  };

  // From patterns of one shape each: `alone` names one column for each shape that is asked for, in order,
  // of a kind that there are nodes of. Something must be asked for.
  // `columns` and whether they are `usable` (not 0) are referred to, and both may grow and change; those
  // not usable are passed over.
  void start(const std::vector<Column>& columns, const std::vector<char>& usable,
             std::span<const std::int64_t> demand, std::span<const std::int64_t> nodes,
             std::span<const std::uint32_t> alone);
  // Others are usable than before.
  void look_anew() { looked_ = false; }
  // Are all columns of the solution usable?
  [[nodiscard]] bool can_stand() const;

  // The same basis for another demand and other numbers of nodes, by the dual simplex method: what has
  // become less than nothing leaves, at the least price. L counts the nodes gone as filled, and so what is
  // left fits, as ever, if L <= 1. False: this cannot be, or is too much work; start anew.
  [[nodiscard]] bool ask_again(std::span<const std::int64_t> demand, std::span<const std::int64_t> nodes,
                               std::uint64_t& work_left);

  // The same basis without columns that are not usable any longer, by the dual simplex method as well.
  // False: as above.
  [[nodiscard]] bool do_without(std::uint64_t& work_left);

  // As long as one of the columns makes L smaller, the best of them; answers false if it takes more work
  // than is left, counted in steps of about the length of a knapsack's. Columns that were far from use when
  // all were looked at last may be left out: for a while few of them come into use.
  enum class Among : std::uint8_t { all, near };
  bool improve(std::uint64_t& work_left, Among among = Among::all);

  // To another solution beside this one whose load is no more than `most_load`; false: none was found.
  bool step_aside(double most_load, std::uint64_t& work_left);

  [[nodiscard]] double load() const { return value_[load_place_]; }
  // Of a node, at these prices: what a column is worth less than its own. A lot if it has not been looked
  // at or is not usable.
  [[nodiscard]] double loses(std::uint32_t column) const;
  // Those of all nodes together are their number. 0 for a shape that is not asked for.
  [[nodiscard]] double price_of_shape(std::uint32_t shape) const { return price_[shape]; }
  [[nodiscard]] double price_of_kind(std::uint32_t kind) const { return kind_price_[kind]; }
  [[nodiscard]] std::vector<Amount> amounts() const;

 private:
  static constexpr double kZero = 1e-9;
  static constexpr double kSurely = 1 + 1e-12;  // more than what a product and a quotient lose by rounding
  // What is in the basis beside columns.
  static constexpr std::int32_t kLoad = -1;
  [[nodiscard]] std::int32_t surplus(std::uint32_t row) const {
    return -2 - static_cast<std::int32_t>(row);
  }

  void first_basis(std::span<const std::uint32_t> alone);
  void flatten();
  void choose_active();
  void take_prices();
  enum class Look : std::uint8_t { promising, active, all };
  // The variable to enter, or kLoad: none makes L smaller.
  [[nodiscard]] std::int32_t best_entering(Among among);
  [[nodiscard]] double gain_of(std::uint32_t column) const {
    return add_column(column, -kind_price_[flat_[column].kind], price_);
  }
  void look_at_active();
  void look_at(std::uint32_t column);
  [[nodiscard]] std::pair<std::size_t, double> first_to_leave();
  bool enter(std::int32_t variable);
  void exchange(std::int32_t variable, std::size_t leaves, double step);
  [[nodiscard]] bool take_values(std::span<const std::int64_t> demand, std::span<const std::int64_t> nodes);
  [[nodiscard]] std::size_t most_below_nothing() const;
  [[nodiscard]] std::size_t most_not_usable() const;
  // Until nothing is in the basis that may not be there, nor less than nothing of it.
  [[nodiscard]] bool mend(std::uint64_t& work_left);
  enum class Turn : std::uint8_t { up, down };
  [[nodiscard]] std::int32_t best_turning(std::size_t leaves, Turn turn);
  void take_falling(bool all);
  [[nodiscard]] std::uint64_t work_of_a_step() const {
    return 1 + size_ * size_ / 64 + columns_->size() / 4;
  }
  void direction_of(std::int32_t variable);
  [[nodiscard]] double& at(std::size_t place, std::size_t row) { return inverse_[row * stride_ + place]; }
  [[nodiscard]] const double* column_of(std::size_t row) const { return &inverse_[row * stride_]; }
  // What stands at a place of the inverse, by row.
  void take_row(std::size_t place, std::vector<double>& row);

  const std::vector<Column>* columns_ = nullptr;
  const std::vector<char>* usable_ = nullptr;
  std::vector<std::int64_t> demand_;     // by row of a shape
  std::vector<std::int64_t> nodes_;      // by kind
  std::vector<std::int32_t> row_of_;     // by shape; -1: not asked for
  std::vector<std::uint32_t> shape_of_;  // by row
  std::size_t size_ = 0;                 // rows: those of shapes, then those of kinds
  std::size_t stride_ = 0;               // from one row to the next in `inverse_`
  std::vector<double> inverse_;          // of the basis, by row and place; 0 behind the last place
  std::vector<double> value_;            // by place, and so is what has the same length
  std::vector<std::int32_t> basis_;      // by place: what it holds
  std::vector<char> in_basis_;           // by column
  std::vector<double> asked_;            // by row
  std::vector<double> direction_;        // by place
  std::vector<std::uint32_t> meets_;     // the places that become less
  std::vector<double> leaving_;          // by row: of what leaves the basis
  std::vector<double> slope_;            // by shape: what a unit of it does to what leaves
  std::vector<std::pair<std::uint32_t, double>> falling_;  // columns, and what they do to it
  std::vector<double> price_;                              // by shape
  std::vector<double> kind_price_;
  // So many parts of a pattern at once, none of them a branch: mostly that is all of it, and a line of
  // cache.
  static constexpr std::size_t kParts = 4;
  struct Parts {
    std::array<double, kParts> units;
    std::array<std::uint32_t, kParts> shape;  // the place behind all shapes where there is none
    std::uint32_t kind = 0;
    std::uint32_t next = 0;  // in `further_`; 0: these are all
    [[nodiscard]] double add_to(double sum, const std::vector<double>& by_shape) const {
      for (std::size_t i = 0; i < kParts; ++i) sum += by_shape[shape[i]] * units[i];
      return sum;
    }
  };
  [[nodiscard]] double add_column(std::uint32_t column, double sum,
                                  const std::vector<double>& by_shape) const {
    const Parts* parts = &flat_[column];
    sum = parts->add_to(sum, by_shape);
    while (parts->next != 0) {
      parts = &further_[parts->next];
      sum = parts->add_to(sum, by_shape);
    }
    return sum;
  }
  std::vector<Parts> flat_;               // by column: the first parts of it
  std::vector<Parts> further_;            // those of longer patterns; the first stands for none
  std::vector<std::uint32_t> active_;     // columns near to being of use
  std::vector<std::uint32_t> promising_;  // of these, those that were of use when last looked at
  bool looked_ = false;                   // at the columns there were, at these prices: none made L smaller
  std::size_t aside_ = 0;                 // in `active_`: where the last step aside was found
  std::size_t load_place_ = 0;
  double all_nodes_ = 0;
};

}  // namespace aliquot
