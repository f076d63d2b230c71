#include "tools/sim/campaign/report_files.hpp"

#include <algorithm>

#include "tools/sim/campaign/papers/published.hpp"
#include "tools/sim/decimal.hpp"

namespace aliquot {
namespace {

std::string cells_csv(const std::vector<Cell>& cells, Columns columns) {
  std::string text = cell_header(columns) + "\n";
  for (const Cell& cell : cells) text += cell_line(cell, columns) + "\n";
  return text;
}

std::string degradation_of_cells_csv(const Judgement& judgement) {
  std::string text = "workload,seed,load,nodes,policy,penalty,max_bounded_stretch,degradation\n";
  for (const Judged& judged : judgement.cells) {
    text += factors_line(judged.cell.key) + ',' + to_text(judged.cell[Figure::max_bounded_stretch]) + ',' +
            to_text(judged.degradation) + '\n';
  }
  return text;
}

}  // namespace

std::vector<NamedText> report_files(const CampaignRecord& record, const Results& results) {
  std::vector<NamedText> files;
  files.push_back({"cells.csv", cells_csv(results.cells, Columns::repeatable)});
  files.push_back({"measured/times.csv", cells_csv(results.cells, Columns::measured)});
  std::vector<NamedText> own;
  if (record.plan.kind == "sweep") {
    own = sweep_files(record, results.cells);
  } else if (record.plan.kind == "beyond") {
    own = beyond_files(record, results.cells);
  } else {
    const Judgement judgement = judge(results.cells, compared_policies());
    files.push_back({"degradation.csv", degradation_of_cells_csv(judgement)});
    own = paper_files(record, judgement);
  }
  std::ranges::move(own, std::back_inserter(files));
  return files;
}

std::vector<Table> closing_tables(const CampaignRecord& record, const Results& results) {
  if (record.plan.kind == "sweep") return sweep_closing_tables(record, results.cells);
  if (record.plan.kind == "beyond") return beyond_closing_tables(record, results.cells);
  return paper_closing_tables(record, judge(results.cells, compared_policies()));
}

std::vector<std::pair<std::string, std::string>> provenance(const CampaignRecord& record,
                                                            std::size_t cells) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"program", "aliquot-sim " + record.version + " (" + record.commit + ")"},
      {"campaign", record.plan.kind}};
  if (record.shard.of > 1)
    facts.emplace_back("shard",
                       std::to_string(record.shard.number) + " of " + std::to_string(record.shard.of));
  facts.emplace_back("simulations", std::to_string(cells));
  facts.insert(facts.end(), record.plan.options.begin(), record.plan.options.end());
  return facts;
}

}  // namespace aliquot
