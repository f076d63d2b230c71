// The linear assignment problem: rows to columns, each row to a column of its own, of the greatest total
// gain.
//
// Shortest augmenting paths (R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and
// sparse linear assignment problems, Computing 38, 1987), after each row has taken its best column where
// that is free. Where many gains are equal, that serves most rows, and most paths are short. O(rows^2 x
// columns) in the worst case.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace aliquot {

// Row by row; at least as many columns as rows.
struct Gains {
  std::size_t columns = 0;
  std::vector<std::int32_t> all;

  [[nodiscard]] std::size_t rows() const { return columns == 0 ? 0 : all.size() / columns; }
  [[nodiscard]] std::span<const std::int32_t> of(std::size_t row) const {
    return {all.data() + row * columns, columns};
  }
};

// The column of each row. The same gains, the same answer.
[[nodiscard]] std::vector<std::uint32_t> best_assignment(const Gains& gains);

}  // namespace aliquot
