// What must hold between values that are lawful each by itself.
#pragma once

#include "config/load.hpp"
#include "config/section_reader.hpp"

namespace aliquot {

// Adds a fault for whatever does not fit together; values that were refused before are not blamed again.
void check_consistency(const Settings& settings, const SpecCheck& check, Reading& reading);

}  // namespace aliquot
