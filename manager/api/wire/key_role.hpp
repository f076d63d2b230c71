// The roles of keys, as users and the protocol write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/api/wire/request.hpp"

namespace aliquot {

// viewer, user, operator, admin: from the least to the most.
[[nodiscard]] const std::vector<std::string>& key_roles();
[[nodiscard]] std::string_view word_of(KeyRole role);
[[nodiscard]] std::optional<KeyRole> key_role(std::string_view word);

}  // namespace aliquot
