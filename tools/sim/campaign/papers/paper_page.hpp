// report.html of `evaluate dfrs2010` and `evaluate hpc2n`.
#pragma once

#include "tools/sim/campaign/campaign_folder.hpp"
#include "tools/sim/campaign/papers/tables.hpp"

namespace aliquot {

// `left_out`: cells of instances that are not whole, which the page tells of.
[[nodiscard]] std::string paper_page(const CampaignRecord& record, const Scope& scope,
                                     std::size_t left_out);

}  // namespace aliquot
