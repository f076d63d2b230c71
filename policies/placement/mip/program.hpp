// A mixed integer linear program as plain values, to be maximised: columns first, then rows over them.
//
// Says nothing of how it is solved (cbc.hpp). Coefficients are whole numbers in all programs here; beyond
// 2^53 a double would round them.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace aliquot::ip {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct MipColumn {
  double objective = 0;
  double lower = 0;
  double upper = 1;
  bool integer = true;
};

struct MipRow {
  std::vector<std::pair<std::uint32_t, double>> terms;  // (column, coefficient), each column at most once
  double lower = -kInfinite;
  double upper = kInfinite;
};

struct MipProgram {
  std::vector<MipColumn> columns;
  std::vector<MipRow> rows;

  std::uint32_t add(const MipColumn& column) {
    columns.push_back(column);
    return static_cast<std::uint32_t>(columns.size() - 1);
  }
};

}  // namespace aliquot::ip
