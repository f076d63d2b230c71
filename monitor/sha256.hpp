// SHA-256 (FIPS 180-4): identifies archives, repeated requests, and the input of a simulation. Not for
// secrets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace aliquot {

using Sha256State = std::array<std::uint32_t, 8>;

class Sha256 {
 public:
  Sha256();
  void update(const unsigned char* bytes, std::size_t count);
  // The digest in hexadecimal; ends the computation.
  [[nodiscard]] std::string finish();

 private:
  void compress(const unsigned char* block);

  // FIPS 180-4, 5.3.3.
  Sha256State state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::size_t held_ = 0;
  std::uint64_t total_ = 0;
  bool in_hardware_;
};

// Of bytes in memory, in hexadecimal.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace aliquot
