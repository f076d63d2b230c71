// The style sheet of a report.
#pragma once

#include <string>

namespace aliquot {

[[nodiscard]] std::string page_css();

}  // namespace aliquot
