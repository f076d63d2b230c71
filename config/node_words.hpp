// The settings of one node as words by key, as commands and the store have them; the keys are those of the
// configuration.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/settings.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

using NodeWords = std::vector<std::pair<std::string, std::vector<std::string>>>;

// The settings that differ from the defaults.
[[nodiscard]] NodeWords words_of(const NodeSettings& node);
// Errors: an unknown key, a value that the key does not take, more than one word for a key that is no list,
// a missing name or URI, and what makes no sense together.
[[nodiscard]] Result<NodeSettings> node_of(const NodeWords& words);

}  // namespace aliquot
