// The style sheet of a report.
#pragma once

#include <string>

namespace aliquot {

[[nodiscard]] std::string page_css();
// What a picture needs that stands alone, without a page.
[[nodiscard]] std::string picture_css();

}  // namespace aliquot
