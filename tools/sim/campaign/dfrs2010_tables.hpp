// The figures of dfrs2010_figures.hpp as tables, the paper's beside them: for eyes, and as tidy CSV.
#pragma once

#include "tools/sim/campaign/dfrs2010_figures.hpp"
#include "tools/sim/campaign/table.hpp"

namespace aliquot {

// A file of the campaign's folder.
struct NamedText {
  std::string name;
  std::string text;
};

struct Dfrs2010Report {
  std::vector<Table> degradations;  // Table I: a table for each subset
  std::vector<Table> costs;         // Table II: for each penalty
  std::vector<Table> figure;        // Figure 1 as numbers: for each penalty
  std::vector<Table> times;         // measured
  std::vector<NamedText> csv;
};

[[nodiscard]] Dfrs2010Report dfrs2010_report(const std::vector<Judged>& cells,
                                             const std::vector<std::string>& policies,
                                             const std::vector<std::string>& penalties);

}  // namespace aliquot
