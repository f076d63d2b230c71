// What a campaign's folder gets at the end of a run: the cells in order, and what is made of them.
//
// All of it follows from the record and the cells, so it can be made again without simulating anything. The
// same cells give the same bytes, except what is measured: measured/ and the report's times of decisions.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/campaign/campaign_folder.hpp"
#include "tools/sim/campaign/degradation.hpp"
#include "tools/sim/campaign/table.hpp"

namespace aliquot {

// A file of the folder.
struct NamedText {
  std::string name;
  std::string text;
};

// By the kind of the campaign.
[[nodiscard]] std::vector<NamedText> report_files(const CampaignRecord& record, const Results& results);

// What the command says at the end: the most important tables.
[[nodiscard]] std::vector<Table> closing_tables(const CampaignRecord& record, const Results& results);

// Of one kind each.
[[nodiscard]] std::vector<NamedText> paper_files(const CampaignRecord& record, const Judgement& judgement);
[[nodiscard]] std::vector<Table> paper_closing_tables(const CampaignRecord& record,
                                                      const Judgement& judgement);
[[nodiscard]] std::vector<NamedText> sweep_files(const CampaignRecord& record,
                                                 const std::vector<Cell>& cells);
[[nodiscard]] std::vector<Table> sweep_closing_tables(const CampaignRecord& record,
                                                      const std::vector<Cell>& cells);
[[nodiscard]] std::vector<NamedText> beyond_files(const CampaignRecord& record,
                                                  const std::vector<Cell>& cells);
[[nodiscard]] std::vector<Table> beyond_closing_tables(const CampaignRecord& record,
                                                       const std::vector<Cell>& cells);

// For the foot of a report.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> provenance(const CampaignRecord& record,
                                                                          std::size_t cells);

}  // namespace aliquot
