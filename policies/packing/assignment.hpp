// The assignment of rows to columns of the greatest gain in all, each row to a column of its own.
//
// Shortest augmenting paths (R. Jonker, A. Volgenant, A shortest augmenting path algorithm for dense and
// sparse linear assignment problems, Computing 38, 1987), from what each row likes best. Where many gains
// are equal most rows get that at once, and most paths are short. O(rows^2 x columns) at worst.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace aliquot {

// Row by row; no less columns than rows.
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
