// A workload as the project's own CSV (csv_reader.hpp): what is written reads back the same.
#pragma once

#include <string>

#include "tools/sim/workload.hpp"

namespace aliquot {

// The columns `estimate` and `account`, and those of words, only if some job has more to say there than the
// default. `as_written`: an estimate that equals the run time is more than none.
[[nodiscard]] std::string workload_csv(const Workload& workload, bool as_written = false);

}  // namespace aliquot
