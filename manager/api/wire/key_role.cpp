#include "manager/api/wire/key_role.hpp"

#include <algorithm>

namespace aliquot {

const std::vector<std::string>& key_roles() {
  static const std::vector<std::string> words{"viewer", "user", "operator", "admin"};
  return words;
}

std::string_view word_of(KeyRole role) {
  if (role == KeyRole::local) return "local";
  return key_roles()[static_cast<std::size_t>(role) - static_cast<std::size_t>(KeyRole::viewer)];
}

std::optional<KeyRole> key_role(std::string_view word) {
  const auto at = std::ranges::find(key_roles(), word);
  if (at == key_roles().end()) return std::nullopt;
  return static_cast<KeyRole>(at - key_roles().begin() + static_cast<std::ptrdiff_t>(KeyRole::viewer));
}

}  // namespace aliquot
