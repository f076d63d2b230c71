#include "config/fault.hpp"

namespace aliquot {

std::string print_fault(const Fault& fault) {
  std::string line = fault.file;
  if (fault.place.line > 0) {
    line.append(":").append(std::to_string(fault.place.line));
    line.append(":").append(std::to_string(fault.place.column));
  }
  line += ": ";
  if (!fault.key.empty()) line.append(fault.key).append(": ");
  return line + fault.text;
}

Error as_error(const Faults& faults) {
  constexpr std::size_t shown = 50;
  std::string lines;
  for (std::size_t i = 0; i < faults.size() && i < shown; ++i) {
    if (i > 0) lines += '\n';
    lines += print_fault(faults[i]);
  }
  if (faults.size() > shown) {
    lines.append("\nand ").append(std::to_string(faults.size() - shown)).append(" more faults");
  }
  return Error{ErrorKind::invalid_argument, lines};
}

}  // namespace aliquot
