// The report of `evaluate needs`: stretches by policy, load and source of the needs, and how much of the
// gap between declared and true needs is closed.
#pragma once

#include "tools/experiments/needs/study.hpp"
#include "tools/sim/output_file.hpp"
#include "tools/sim/table.hpp"

namespace aliquot::needs {

[[nodiscard]] std::vector<Table> need_tables(const NeedStudy& study);
[[nodiscard]] std::vector<OutputFile> need_files(const NeedStudy& study);

}  // namespace aliquot::needs
