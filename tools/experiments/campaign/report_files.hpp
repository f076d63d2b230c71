// The report of a campaign: the files written into its folder at the end of a run, and the tables printed.
//
// A report follows from the record and the trials alone, so that `evaluate merge` writes it again without a
// simulation. The same trials give the same bytes, except for measured times: measured/ and those on the
// page.
#pragma once

#include <string>
#include <vector>

#include "tools/experiments/campaign/campaign_folder.hpp"
#include "tools/experiments/campaign/statistics.hpp"
#include "tools/sim/output_file.hpp"
#include "tools/sim/table.hpp"

namespace aliquot {

// By the kind of the campaign.
[[nodiscard]] std::vector<OutputFile> report_files(const CampaignRecord& record, const Results& results);

// The tables that the command prints at its end.
[[nodiscard]] std::vector<Table> closing_tables(const CampaignRecord& record, const Results& results);

// Of one kind of campaign each.
[[nodiscard]] std::vector<OutputFile> paper_files(const CampaignRecord& record, const RatedTrials& rated);
[[nodiscard]] std::vector<Table> paper_closing_tables(const CampaignRecord& record,
                                                      const RatedTrials& rated);
[[nodiscard]] std::vector<OutputFile> sweep_files(const CampaignRecord& record,
                                                  const std::vector<Trial>& trials);
[[nodiscard]] std::vector<Table> sweep_closing_tables(const CampaignRecord& record,
                                                      const std::vector<Trial>& trials);
[[nodiscard]] std::vector<OutputFile> beyond_files(const CampaignRecord& record,
                                                   const std::vector<Trial>& trials);
[[nodiscard]] std::vector<Table> beyond_closing_tables(const CampaignRecord& record,
                                                       const std::vector<Trial>& trials);

// The last section of a page.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> provenance(const CampaignRecord& record,
                                                                          std::size_t trials);

}  // namespace aliquot
