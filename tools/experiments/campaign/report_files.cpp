#include "tools/experiments/campaign/report_files.hpp"

#include <algorithm>

#include "tools/sim/compare/policy_list.hpp"
#include "tools/sim/decimal.hpp"

namespace aliquot {
namespace {

std::string trials_csv(const std::vector<Trial>& trials, Columns columns) {
  std::string text = trial_header(columns) + "\n";
  for (const Trial& trial : trials) text += trial_line(trial, columns) + "\n";
  return text;
}

std::string degradation_csv(const RatedTrials& all) {
  std::string text = "workload,seed,load,nodes,policy,penalty,max_bounded_stretch,degradation\n";
  for (const RatedTrial& rated : all.trials) {
    text += factors_line(rated.trial.key) + ',' + to_text(rated.trial[Figure::max_bounded_stretch]) + ',' +
            to_text(rated.degradation) + '\n';
  }
  return text;
}

}  // namespace

std::vector<OutputFile> report_files(const CampaignRecord& record, const Results& results) {
  std::vector<OutputFile> files;
  files.push_back({"trials.csv", trials_csv(results.trials, Columns::repeatable)});
  files.push_back({"measured/times.csv", trials_csv(results.trials, Columns::measured)});
  std::vector<OutputFile> own;
  if (record.plan.kind == "sweep") {
    own = sweep_files(record, results.trials);
  } else if (record.plan.kind == "beyond") {
    own = beyond_files(record, results.trials);
  } else {
    const RatedTrials rated = rate(results.trials, dfrs2010_policies());
    files.push_back({"degradation.csv", degradation_csv(rated)});
    own = paper_files(record, rated);
  }
  std::ranges::move(own, std::back_inserter(files));
  return files;
}

std::vector<Table> closing_tables(const CampaignRecord& record, const Results& results) {
  if (record.plan.kind == "sweep") return sweep_closing_tables(record, results.trials);
  if (record.plan.kind == "beyond") return beyond_closing_tables(record, results.trials);
  return paper_closing_tables(record, rate(results.trials, dfrs2010_policies()));
}

std::vector<std::pair<std::string, std::string>> provenance(const CampaignRecord& record,
                                                            std::size_t trials) {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"program", "aliquot-sim " + record.version + " (" + record.commit + ")"},
      {"campaign", record.plan.kind}};
  if (record.shard.of > 1)
    facts.emplace_back("shard",
                       std::to_string(record.shard.number) + " of " + std::to_string(record.shard.of));
  facts.emplace_back("simulations", std::to_string(trials));
  facts.insert(facts.end(), record.plan.options.begin(), record.plan.options.end());
  return facts;
}

}  // namespace aliquot
