// Reads a workload of the project's own CSV: a header that names the columns, one job a line.
//
// Times in seconds, needs and memory in fractions of a node, per task. A malformed line is an error, and
// so is a job that no empty cluster of this shape could hold: nothing is dropped in silence.
#pragma once

#include "tools/sim/workload.hpp"
#include "tools/sim/workload/text_source.hpp"

namespace aliquot {

// `header` is the first line that is not blank, already taken from the source.
[[nodiscard]] Result<Workload> read_csv(TextSource& source, const std::string& path,
                                        const std::string& header, const ReadOptions& options);

}  // namespace aliquot
