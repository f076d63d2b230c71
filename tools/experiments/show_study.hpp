// How the command of a study ends.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/sim/output_file.hpp"
#include "tools/sim/table.hpp"

namespace aliquot {

// Prints the tables; where `out` names a folder, writes the files there, report.html among them, and says
// so. They are made only then. Returns the exit code.
int show_study(const std::vector<Table>& tables, const std::string& out,
               const std::function<std::vector<OutputFile>()>& files);

}  // namespace aliquot
