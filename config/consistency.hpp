// Checks between settings that are each valid by themselves: unique names, different paths, enough
// capacity.
#pragma once

#include "config/load.hpp"
#include "config/section_reader.hpp"

namespace aliquot {

// Adds a fault for each contradiction; values that were refused already get no second fault.
void check_consistency(const Settings& settings, const SpecCheck& check, Reading& reading);

}  // namespace aliquot
