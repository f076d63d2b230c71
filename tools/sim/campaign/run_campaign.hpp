// Runs what is left of a campaign on all cores, and hands back everything that is done.
//
// Cells do not influence each other, so workers change nothing but the time. A cell that fails is told at
// once and costs the others nothing; it is tried again by the next run. The workload of an instance is
// made once for its cells.
#pragma once

#include <vector>

#include "tools/sim/campaign/campaign.hpp"
#include "tools/sim/campaign/cell_journal.hpp"

namespace aliquot {

struct Results {
  std::vector<Cell> cells;  // in the campaign's order
  std::vector<Failure> failures;
  std::size_t missing = 0;  // of the whole campaign: other shards' and failed ones
};

// The cells of the journal that belong to the campaign, sorted. Errors: a cell that does not belong to it,
// two cells of one key that differ in what is not measured.
[[nodiscard]] Result<Results> collect(const CampaignPlan& plan, const std::vector<Cell>& cells);

// Errors: as above, and a journal that cannot be written.
[[nodiscard]] Result<Results> run_campaign(const Campaign& campaign, Shard shard, unsigned workers,
                                           CellJournal& journal);

}  // namespace aliquot
