#include "tools/experiments/show_study.hpp"

#include <iostream>

#include "tools/sim/commands.hpp"

namespace aliquot {

int show_study(const std::vector<Table>& tables, const std::string& out,
               const std::function<std::vector<OutputFile>()>& files) {
  for (const Table& table : tables) std::cout << as_text(table) << "\n";
  if (out.empty()) return 0;
  if (auto written = write_files(out, files()); !written) return report_error(written.error());
  std::cout << "open " << out << "/report.html\n";
  return 0;
}

}  // namespace aliquot
