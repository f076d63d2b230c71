// Packs all jobs anew: the heart of the DYNMCB8 family (DFRS, III-B).
//
// Every job that is neither held nor fixed is taken off and offered to MCB8 at the highest level that can
// be packed. As long as there is none, the job of lowest priority is left out. Fixed jobs stay in their
// bins and count there; a job that would not fit beside them even alone is not offered, so that it never
// drives the others out. The new bins stand on the usable nodes in the order of their ids; with `match`
// they go to the nodes where most of their tasks are already; with `exact` the same jobs are packed at the
// highest yield that is found (dfrs/exact_pack), where levels are yields.
#pragma once

#include "policies/dfrs/packing_jobs.hpp"

namespace aliquot {

struct RepackOptions {
  bool match = false;
  bool exact = false;
};

void repack(Draft& draft, const PackingObjective& rule, RepackOptions options = {});

// Of a draft that holds only what is fixed and has told `offers` what else there is.
void repack(Draft& draft, PackingJobs offers, RepackOptions options);

}  // namespace aliquot
