// The comparison of several policies on one workload, in the forms that `compare` prints. The figures are
// those of trials (GLOSSARY.md, "Columns of a trial").
//
// "Best" is the least max bounded stretch in the comparison; the bound is the offline lower bound
// (tools/sim/bound).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/sim/table.hpp"
#include "tools/sim/trial.hpp"

namespace aliquot {

struct Comparison {
  std::vector<Trial> trials;  // key.policy tells them apart
  std::optional<double> bound;

  [[nodiscard]] double best() const;  // 1 without trials
};

// Rounded, for readers.
[[nodiscard]] Table as_table(const Comparison& comparison);
// Tidy: full precision, a row for each policy.
[[nodiscard]] Table as_tidy(const Comparison& comparison);
// A list of objects, one for each policy.
[[nodiscard]] nlohmann::ordered_json as_json(const Comparison& comparison);

}  // namespace aliquot
