// The restricted master of the configuration linear program (Gilmore and Gomory 1961): which of the known
// patterns should fill how many nodes, in fractions of nodes.
//
//   minimise L  subject to  sum of units of s over all filled nodes  >=  demand of s      for each shape s
//                           nodes of kind k that are filled          <=  L x nodes of k   for each kind k
//
// A column fills nodes of one kind by one pattern. The demand fits the nodes, in fractions, exactly if L
// <= 1. The dual values tell what a unit of each shape, and a node of each kind, is worth; a pattern whose
// units are worth more than its node makes L smaller when it is added.
//
// The method is the revised simplex method with an explicit inverse of the basis, for some hundred rows:
// primal steps by Dantzig's rule, dual steps after the right-hand side has changed. It is deterministic,
// ties go to the lower index. It works in floating point: what has to be certain is certified in whole
// numbers by the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace aliquot {

class RestrictedMaster {
 public:
  // Units may be fractions: a task that gets a part of its need counts for that part.
  struct Part {
    std::uint32_t shape = 0;
    double units = 0;
  };
  // How many nodes a column fills.
  struct Amount {
    std::uint32_t column = 0;
    double nodes = 0;
  };

  RestrictedMaster(std::size_t shapes, std::size_t kinds);

  // Columns are numbered as they come; each may be used until it is told otherwise.
  std::uint32_t add(std::uint32_t kind, std::span<const Part> parts);
  [[nodiscard]] std::uint32_t columns() const { return static_cast<std::uint32_t>(kind_.size()); }
  void set_usable(std::uint32_t column, bool usable) { usable_[column] = usable ? 1 : 0; }

  // A first basis: each shape on nodes of its own. `single` names, for each shape with a positive demand, a
  // usable column that holds this shape alone, of a kind that there are nodes of. Some demand must be
  // positive.
  void start(std::span<const double> demand, std::span<const double> nodes,
             std::span<const std::uint32_t> single);

  // The last basis for another demand and other numbers of nodes, by the dual simplex method. Nodes that
  // are gone count as filled, so that the rest still fits exactly if L <= 1. False: start anew, because the
  // basis holds a column that is not usable, the method fails, or `effort` is spent.
  [[nodiscard]] bool restart(std::span<const double> demand, std::span<const double> nodes,
                             std::uint64_t& effort);

  // Primal steps until no column makes L smaller; each is taken off `effort`, in units of about a step of
  // the knapsack. False: the effort is spent.
  [[nodiscard]] bool minimise(std::uint64_t& effort);

  // Of the current basis.
  [[nodiscard]] double load() const { return value(load_place_); }  // L
  [[nodiscard]] std::vector<Amount> amounts() const;
  // Dual values, scaled so that all nodes together are worth their number.
  [[nodiscard]] double value_of_shape(std::uint32_t shape) const { return dual_[shape]; }
  [[nodiscard]] double value_of_node(std::uint32_t kind) const { return -dual_[shapes_ + kind]; }

 private:
  // Variables are numbered: L, the surplus or slack of each row, the columns.
  using Variable = std::size_t;
  static constexpr Variable kLoad = 0;
  [[nodiscard]] Variable logical(std::size_t row) const { return 1 + row; }
  [[nodiscard]] Variable variable_of(std::size_t column) const { return 1 + rows_ + column; }
  [[nodiscard]] std::size_t column_of(Variable variable) const { return variable - 1 - rows_; }
  [[nodiscard]] bool is_column(Variable variable) const { return variable > rows_; }

  // The inverse of the basis stands by place, a basic variable each; behind each row of it stands the value
  // of that variable, so that a pivot changes both.
  [[nodiscard]] double* row_at(std::size_t place) { return &inverse_[place * (rows_ + 1)]; }
  [[nodiscard]] const double* row_at(std::size_t place) const { return &inverse_[place * (rows_ + 1)]; }
  [[nodiscard]] double& value(std::size_t place) { return row_at(place)[rows_]; }
  [[nodiscard]] double value(std::size_t place) const { return row_at(place)[rows_]; }

  // The product of a vector by row and a column of the constraint matrix: of a variable, or of a pattern.
  [[nodiscard]] double product(const double* by_row, Variable variable) const;
  [[nodiscard]] double pattern_product(const double* by_row, std::size_t column) const {
    double sum = by_row[shapes_ + kind_[column]];
    for (std::size_t i = first_part_[column]; i < first_part_[column + 1]; ++i) {
      sum += parts_[i].units * by_row[parts_[i].shape];
    }
    return sum;
  }
  // Calls each(variable, product) for every variable that may enter the basis.
  template <class Each>
  void for_each_entering(const double* by_row, Each&& each) const {
    for (Variable variable = 1; variable <= rows_; ++variable) {
      if (basic_[variable] == 0) each(variable, product(by_row, variable));
    }
    for (std::size_t column = 0; column < kind_.size(); ++column) {
      const Variable variable = variable_of(column);
      if (basic_[variable] == 0 && usable_[column] != 0) each(variable, pattern_product(by_row, column));
    }
  }
  [[nodiscard]] std::uint64_t effort_of_a_step() const { return 1 + rows_ * rows_ / 64 + kind_.size() / 4; }
  void set_basic(std::size_t place, Variable variable);
  void compute_duals();
  void compute_direction(Variable entering);
  [[nodiscard]] std::optional<Variable> steepest() const;
  [[nodiscard]] std::optional<std::size_t> first_to_leave() const;
  [[nodiscard]] std::optional<std::size_t> most_negative() const;
  [[nodiscard]] std::optional<Variable> least_dual_ratio(std::size_t leaving) const;
  void pivot(Variable entering, std::size_t leaving);

  std::size_t shapes_;
  std::size_t rows_;           // of shapes, then of kinds
  std::vector<double> nodes_;  // by kind, as they were at the start
  // Columns: their parts one behind the other, and where those of each begin.
  std::vector<Part> parts_;
  std::vector<std::size_t> first_part_ = {0};
  std::vector<std::uint32_t> kind_;
  std::vector<char> usable_;
  std::vector<double> inverse_;
  std::vector<Variable> basis_;    // by place
  std::vector<char> basic_;        // by variable
  std::size_t load_place_ = 0;     // L never leaves the basis
  std::vector<double> dual_;       // by row, scaled
  std::vector<double> direction_;  // by place: how much of it goes for a unit of what enters
};

}  // namespace aliquot
