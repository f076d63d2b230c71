// The keys by which a manager and the agents of its nodes know each other (CURVE, RFC 26 of ZeroMQ): each
// has a secret key in a file that only its user can read, and knows the public keys of the others. Written
// as 64 hexadecimal digits.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"

namespace aliquot::agent {

using Key = std::array<std::uint8_t, 32>;

struct KeyPair {
  Key public_key{};
  Key secret_key{};
};

[[nodiscard]] std::string to_text(const Key& key);
[[nodiscard]] Result<Key> parse_key(std::string_view text);

[[nodiscard]] Result<KeyPair> make_keys();
// Creates the file, readable by its user only. ErrorKind::conflict: there is a file already.
[[nodiscard]] Result<void> write_keys(const std::string& path, const KeyPair& keys);
// Refused if another user could read the file.
[[nodiscard]] Result<KeyPair> read_keys(const std::string& path);

}  // namespace aliquot::agent
