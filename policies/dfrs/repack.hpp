// Packs all jobs anew: the core of the DYNMCB8 family (DFRS, III-B).
//
// Every job that is neither held nor fixed is removed and packed by MCB8, at the highest level that the
// search finds. Where there is none, jobs of lowest priority are left out. Fixed jobs stay in their bins
// and count there; a job that would not fit beside them even alone is not packed, so that it never drives
// the others out. The bins stand on the usable nodes in the order of their ids; with `match` they go to the
// nodes where most of their tasks are already. With `exact` the same jobs are packed at the highest yield
// that is found (dfrs/exact_pack), where levels are yields.
#pragma once

#include "policies/dfrs/packing_jobs.hpp"

namespace aliquot {

struct RepackOptions {
  bool match = false;
  bool exact = false;
};

void repack(Draft& draft, const PackingObjective& objective, RepackOptions options = {});

}  // namespace aliquot
