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

// The instances i with i mod `of` == `number` - 1: together, the shards are the campaign.
struct Shard {
  std::uint32_t number = 1;
  std::uint32_t of = 1;
  friend bool operator==(const Shard&, const Shard&) = default;
};

struct Results {
  std::vector<Cell> cells;  // in the campaign's order
  std::vector<Failure> failures;
  std::size_t missing = 0;  // of the whole campaign: other shards' and failed ones
  std::size_t reused = 0;   // done by an earlier run
};

// The cells of the journal that belong to the campaign, sorted. Errors: a cell that does not belong to it,
// two cells of one key that differ in what is not measured.
[[nodiscard]] Result<Results> collect(const Campaign& campaign, const std::vector<Cell>& cells);

// Errors: as above, and a journal that cannot be written.
[[nodiscard]] Result<Results> run_campaign(const Campaign& campaign, Shard shard, unsigned workers,
                                           CellJournal& journal);

}  // namespace aliquot
