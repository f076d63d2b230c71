#include "tools/sim/solver/cbc/cbc.hpp"

#include <coin/Cbc_C_Interface.h>

#include <algorithm>
#include <coin/CoinFinite.hpp>
#include <memory>
#include <string>

namespace aliquot::ip {

namespace {

struct Delete {
  void operator()(void* model) const { Cbc_deleteModel(static_cast<Cbc_Model*>(model)); }
};

// Column by column, as CBC reads it.
struct Matrix {
  std::vector<CoinBigIndex> start;
  std::vector<int> index;
  std::vector<double> value;
};

Matrix by_columns(const MipProgram& program) {
  Matrix matrix;
  matrix.start.assign(program.columns.size() + 1, 0);
  for (const MipRow& row : program.rows) {
    for (const auto& [column, coefficient] : row.terms) ++matrix.start[column + 1];
  }
  for (std::size_t c = 1; c < matrix.start.size(); ++c) matrix.start[c] += matrix.start[c - 1];
  std::vector<CoinBigIndex> next(matrix.start.begin(), matrix.start.end() - 1);
  matrix.index.resize(static_cast<std::size_t>(matrix.start.back()));
  matrix.value.resize(matrix.index.size());
  for (std::size_t r = 0; r < program.rows.size(); ++r) {
    for (const auto& [column, coefficient] : program.rows[r].terms) {
      const auto at = static_cast<std::size_t>(next[column]++);
      matrix.index[at] = static_cast<int>(r);
      matrix.value[at] = coefficient;
    }
  }
  return matrix;
}

// CBC's infinity is the largest number; it fails with IEEE's.
double bounded(double value) { return std::clamp(value, -COIN_DBL_MAX, COIN_DBL_MAX); }

}  // namespace

Result<MipSolution> solve(const MipProgram& program, int most_nodes) {
  // Where the objective cannot rise CBC solves without a tree and writes on standard output in spite of
  // "log".
  const auto can_gain = [](const MipColumn& c) { return c.objective > 0 && c.upper > 0; };
  if (std::none_of(program.columns.begin(), program.columns.end(), can_gain))
    return MipSolution{std::vector<double>(program.columns.size(), 0.0), 0, 0, true, 0};
  const auto columns = static_cast<int>(program.columns.size());
  const auto rows = static_cast<int>(program.rows.size());
  const Matrix matrix = by_columns(program);
  std::vector<double> lower, upper, objective, row_lower, row_upper;
  for (const MipColumn& column : program.columns) {
    lower.push_back(column.lower);
    upper.push_back(column.upper);
    objective.push_back(column.objective);
  }
  for (const MipRow& row : program.rows) {
    row_lower.push_back(bounded(row.lower));
    row_upper.push_back(bounded(row.upper));
  }
  const std::unique_ptr<void, Delete> owner(Cbc_newModel());
  auto* model = static_cast<Cbc_Model*>(owner.get());
  Cbc_setParameter(model, "log", "0");
  Cbc_loadProblem(model, columns, rows, matrix.start.data(), matrix.index.data(), matrix.value.data(),
                  lower.data(), upper.data(), objective.data(), row_lower.data(), row_upper.data());
  for (int c = 0; c < columns; ++c) {
    if (program.columns[static_cast<std::size_t>(c)].integer) Cbc_setInteger(model, c);
  }
  Cbc_setObjSense(model, -1);
  Cbc_setParameter(model, "maxNodes", std::to_string(most_nodes).c_str());
  Cbc_setParameter(model, "preprocess", "off");  // its assertions fail on some of these programs (2.10.8)
  Cbc_setParameter(model, "ratioGap", "0");
  Cbc_setParameter(model, "allowableGap", "0.5");  // values are whole numbers
  Cbc_solve(model);
  if (Cbc_isProvenInfeasible(model)) {
    return fail(ErrorKind::internal,
                "the integer program has no solution, although choosing nothing is one");
  }
  MipSolution solution;
  solution.optimal = Cbc_isProvenOptimal(model) != 0;
  solution.nodes = static_cast<std::uint64_t>(Cbc_getNodeCount(model));
  solution.bound = Cbc_getBestPossibleObjValue(model);
  if (Cbc_numberSavedSolutions(model) > 0 || solution.optimal) {
    const double* x = Cbc_getColSolution(model);
    solution.x.assign(x, x + columns);
    solution.value = Cbc_getObjValue(model);
  }
  return solution;
}

}  // namespace aliquot::ip
