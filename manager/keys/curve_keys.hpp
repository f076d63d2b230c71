// The keys by which two programs know each other over a network (CURVE, RFC 26 of ZeroMQ): each has a
// secret key in a file that only its user can read, and knows the public key of the other. Written as 64
// hexadecimal digits.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"

namespace aliquot {

using CurveKey = std::array<std::uint8_t, 32>;

struct CurveKeys {
  CurveKey public_key{};
  CurveKey secret_key{};
};

[[nodiscard]] std::string to_text(const CurveKey& key);
[[nodiscard]] Result<CurveKey> parse_key(std::string_view text);

[[nodiscard]] Result<CurveKeys> make_keys();
// Creates the file, readable by its user only. ErrorKind::conflict: there is a file already.
[[nodiscard]] Result<void> write_keys(const std::string& path, const CurveKeys& keys);
// Refused if another user could read the file.
[[nodiscard]] Result<CurveKeys> read_keys(const std::string& path);

}  // namespace aliquot
