// The one table of everything that can be set, in the order of the example.
#pragma once

#include <vector>

#include "config/field.hpp"
#include "config/settings.hpp"

namespace aliquot {

[[nodiscard]] const std::vector<Field<Settings>>& settings_fields();  // all but the nodes
[[nodiscard]] const std::vector<Field<NodeSettings>>& node_fields();  // of one element of `nodes`

// What the example says above each section ("policy", "nodes", ...), and the order of the sections.
struct Section {
  std::string key;
  std::string help;
};
[[nodiscard]] const std::vector<Section>& sections();

}  // namespace aliquot
