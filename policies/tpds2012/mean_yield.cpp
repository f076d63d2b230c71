#include "policies/tpds2012/mean_yield.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "policies/dfrs/fair_yields.hpp"
#include "policies/tpds2012/packing_lp.hpp"

namespace aliquot {

namespace {

std::vector<Cpu> spare_of(const Draft& draft, const Yields& yields) {
  std::vector<Cpu> spare(draft.nodes());
  for (std::size_t n = 0; n < draft.nodes(); ++n) spare[n] = draft.node(n).capacity;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const Cpu each = draft.job(i).demand.need * yields[i];
    for (const Share& share : draft.placement(i)) spare[share.node.raw] -= each * share.units;
  }
  return spare;
}

bool fits_the_nodes(const Draft& draft, const Yields& yields) {
  const std::vector<Cpu> spare = spare_of(draft, yields);
  return std::none_of(spare.begin(), spare.end(), [](Cpu left) { return left.raw < 0; });
}

// The jobs that compete for a node: (column, the CPU that yield 1 costs here).
using Row = std::vector<std::pair<std::size_t, std::int64_t>>;

// Raises the jobs on uncontended nodes to yield 1; the others become columns.
struct Contest {
  std::map<Row, Cpu> rows;           // the least spare CPU of the nodes alike
  std::vector<std::size_t> columns;  // entries
};

Contest find_contest(const Draft& draft, Yields& yields) {
  std::vector<Row> wanted(draft.nodes());  // by entry, for now
  std::vector<Cpu> missing(draft.nodes());
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const Cpu need = draft.job(i).demand.need;
    for (const Share& share : draft.placement(i)) {
      wanted[share.node.raw].push_back({i, (need * share.units).raw});
      missing[share.node.raw] += (need - need * yields[i]) * share.units;
    }
  }
  const std::vector<Cpu> spare = spare_of(draft, yields);
  std::vector<bool> contested(draft.size(), false);
  for (std::size_t n = 0; n < draft.nodes(); ++n) {
    if (missing[n] <= spare[n]) continue;
    for (const auto& [i, cost] : wanted[n]) contested[i] = contested[i] || yields[i] < kFullYield;
  }
  Contest contest;
  std::vector<std::size_t> column_of(draft.size());
  for (std::size_t i = 0; i < draft.size(); ++i) {
    column_of[i] = contest.columns.size();
    if (contested[i]) {
      contest.columns.push_back(i);
    } else if (draft.placed(i)) {
      yields[i] = kFullYield;
    }
  }
  for (std::size_t n = 0; n < draft.nodes(); ++n) {
    if (missing[n] <= spare[n]) continue;
    Row row;
    for (const auto& [i, cost] : wanted[n]) {
      if (contested[i]) row.push_back({column_of[i], cost});
    }
    const auto [at, fresh] = contest.rows.try_emplace(std::move(row), spare[n]);
    if (!fresh) at->second = std::min(at->second, spare[n]);
  }
  return contest;
}

PackingLp lp_of(const Contest& contest, const Yields& yields) {
  PackingLp program;
  for (std::size_t i : contest.columns) {
    program.most.push_back(static_cast<double>((kFullYield - yields[i]).raw) / kMillion);
  }
  for (const auto& [row, spare] : contest.rows) {
    std::vector<double>& coefficients = program.rows.emplace_back(contest.columns.size(), 0.0);
    for (const auto& [column, cost] : row) coefficients[column] = static_cast<double>(cost);
    program.limits.push_back(static_cast<double>(std::max(spare, Cpu{}).raw));
  }
  return program;
}

}  // namespace

Yields maximize_mean_yield(const Draft& draft, Yields least) {
  if (!fits_the_nodes(draft, least)) return least;  // excluded by the contract
  Yields raised = least;                            // to 1 where no node is contested
  const Contest contest = find_contest(draft, raised);
  if (contest.columns.empty()) return raised;
  if (contest.rows.size() * contest.columns.size() <= kLargestLp) {
    const PackingLpSolution solution = solve(lp_of(contest, raised));
    // A little up first, so that a whole number is not rounded away; if that is too much, a little down.
    for (const double nudge : {1e-10, -1e-8}) {
      Yields yields = raised;
      for (std::size_t c = 0; c < contest.columns.size(); ++c) {
        Yield& yield = yields[contest.columns[c]];
        const double base = static_cast<double>(yield.raw) / kMillion;
        yield = std::max(yield, yield_from_solver(base + solution.x[c] + nudge));
      }
      if (!fits_the_nodes(draft, yields)) continue;
      raise_average_yield(draft, yields);  // what the roundings left
      return yields;
    }
  }
  raise_average_yield(draft, least);
  return least;
}

}  // namespace aliquot
