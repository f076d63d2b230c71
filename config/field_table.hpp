// The table of all settings, in the order of the example.
#pragma once

#include <vector>

#include "config/field.hpp"
#include "config/settings.hpp"

namespace aliquot {

[[nodiscard]] const std::vector<Field<Settings>>& settings_fields();  // all but the nodes
[[nodiscard]] const std::vector<Field<NodeSettings>>& node_fields();  // of one element of `nodes`

// The sections of the example ("policy", "nodes", ...) in order, each with its comment.
struct Section {
  std::string key;
  std::string help;
};
[[nodiscard]] const std::vector<Section>& sections();

}  // namespace aliquot
