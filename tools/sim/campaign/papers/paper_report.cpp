// The files of `evaluate dfrs2010` and `evaluate hpc2n`: tidy CSV, tables for a document, the page.
#include <algorithm>

#include "tools/sim/campaign/papers/paper_page.hpp"
#include "tools/sim/campaign/papers/paper_plots.hpp"
#include "tools/sim/campaign/report_files.hpp"

namespace aliquot {
namespace {

constexpr const char* kFromTo = "Averages ± half the width of the 95 % interval of the mean, over traces.";

std::string markdown(const Scope& scope) {
  std::string text;
  const auto put = [&text](const Table& table) {
    if (!table.rows.empty()) text += as_markdown(table) + "\n";
  };
  const std::vector<Subset> subsets = scope.subsets();
  text += std::string(kFromTo) + "\n\n";
  for (const Subset& subset : subsets) put(degradation_table(scope, subset));
  for (const std::string& penalty : scope.penalties) put(curve_table(scope, penalty));
  for (const Subset& subset : subsets)
    if (subset.traces != Traces::unscaled) put(cost_table(scope, subset));
  for (const Subset& subset : subsets) put(paired_table(scope, subset));
  text.pop_back();
  return text;
}

}  // namespace

std::vector<NamedText> paper_files(const CampaignRecord& record, const Judgement& judgement) {
  const Scope scope{judgement.cells, record.plan.policies, record.plan.penalties};
  std::vector<NamedText> files = {{"table1.csv", degradation_csv(scope)},
                                  {"table2.csv", cost_csv(scope)},
                                  {"figure1.csv", curve_csv(scope)},
                                  {"paired.csv", paired_csv(scope)},
                                  {"tables.md", markdown(scope)},
                                  {"measured/decision_times.csv", time_csv(scope)},
                                  {"measured/decision_times.md", as_markdown(time_table(scope))},
                                  {"report.html", paper_page(record, scope, judgement.left_out)}};
  for (NamedText picture :
       {NamedText{"figure1.svg", curves_picture(scope)}, NamedText{"table1.svg", dots_picture(scope)}})
    if (!picture.text.empty()) files.push_back(std::move(picture));
  return files;
}

std::vector<Table> paper_closing_tables(const CampaignRecord& record, const Judgement& judgement) {
  const Scope scope{judgement.cells, record.plan.policies, record.plan.penalties};
  std::vector<Table> tables;
  for (const Subset& subset : scope.subsets()) tables.push_back(degradation_table(scope, subset));
  if (!tables.empty()) tables.back().note = kFromTo;
  return tables;
}

}  // namespace aliquot
