// Runs a campaign from its options to its report: what every command that runs a campaign does in the end.
#pragma once

#include <string>
#include <vector>

#include "tools/experiments/campaign/campaign_array.hpp"
#include "tools/experiments/campaign/campaign_options.hpp"

namespace aliquot {

// Runs the trials that are still missing and writes the report. Returns the exit code: 1 if a trial failed.
[[nodiscard]] int run_campaign_command(const Campaign& campaign, const TypedCampaign& typed);

// Prints how the campaign's shards are submitted as an array of jobs or, with --submit, does it. `command`
// has no number of shards and workers yet. Errors: more shards than instances.
[[nodiscard]] int submit_as_array(const Campaign& campaign, ShardedCommand command,
                                  const TypedCampaign& typed);

// Prints how far the shards in this folder are. Returns the exit code: 1 if trials are missing.
[[nodiscard]] int shards_command(const std::string& out);

// Joins the trials of several folders (the same campaign, by the same program) in `out`, or in the first of
// them if `out` is empty, and writes the report. A folder that holds shards' folders stands for them.
// Returns the exit code: 1 if trials are missing.
[[nodiscard]] int merge_command(const std::vector<std::string>& folders, const std::string& out);

}  // namespace aliquot
