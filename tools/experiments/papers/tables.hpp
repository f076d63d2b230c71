// The figures of figures.hpp as tables, with the paper's beside them: rounded for readers, and as tidy CSV.
#pragma once

#include "tools/experiments/campaign/statistics.hpp"
#include "tools/experiments/papers/figures.hpp"
#include "tools/sim/table.hpp"

namespace aliquot {

// The trials, policies and penalties of a report.
struct Scope {
  const std::vector<RatedTrial>& trials;
  std::vector<std::string> policies;
  std::vector<std::string> penalties;
  // The subsets of which there are trials: scaled, unscaled, weeks; each by penalty.
  [[nodiscard]] std::vector<Subset> subsets() const;
};

// Rounded.
[[nodiscard]] Table degradation_table(const Scope& scope, const Subset& subset);  // Table I
[[nodiscard]] Table cost_table(const Scope& scope, const Subset& subset);         // Table II; may be empty
[[nodiscard]] Table curve_table(const Scope& scope, const std::string& penalty);  // Figure 1; may be empty
[[nodiscard]] Table time_table(const Scope& scope);                               // measured
// Every policy against the best on average of the subset.
[[nodiscard]] Table paired_table(const Scope& scope, const Subset& subset);

// Tidy: one observation a row, every subset.
[[nodiscard]] std::string degradation_csv(const Scope& scope);
[[nodiscard]] std::string cost_csv(const Scope& scope);
[[nodiscard]] std::string curve_csv(const Scope& scope);
[[nodiscard]] std::string time_csv(const Scope& scope);
[[nodiscard]] std::string paired_csv(const Scope& scope);

// nullptr: the paper gives no figures for it (it has one penalty, 300 s).
[[nodiscard]] const struct PublishedDegradation* published_for(const std::string& policy,
                                                               const Subset& subset);

}  // namespace aliquot
