// A text as a gzip file has it.
#pragma once

#include <string>

namespace aliquot::fuzz {

[[nodiscard]] std::string packed(const std::string& text);

}  // namespace aliquot::fuzz
