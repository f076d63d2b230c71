#include "manager/hypervisor/sha1.hpp"

#include <bit>
#include <cstddef>
#include <string>

namespace aliquot {
namespace {

using State = std::array<std::uint32_t, 5>;

// The function and the constant of one round (FIPS 180-4, 4.1.1 and 4.2.1).
std::uint32_t mixed(std::size_t round, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if (round < 20) return ((b & c) | (~b & d)) + 0x5A827999U;
  if (round < 40) return (b ^ c ^ d) + 0x6ED9EBA1U;
  if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDCU;
  return (b ^ c ^ d) + 0xCA62C1D6U;
}

void take_block(State& state, std::string_view block) {
  std::array<std::uint32_t, 80> word{};
  for (std::size_t i = 0; i < 64; ++i) {
    word[i / 4] = (word[i / 4] << 8) | static_cast<std::uint8_t>(block[i]);
  }
  for (std::size_t i = 16; i < 80; ++i) {
    word[i] = std::rotl(word[i - 3] ^ word[i - 8] ^ word[i - 14] ^ word[i - 16], 1);
  }
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < 80; ++i) {
    const std::uint32_t next = std::rotl(a, 5) + mixed(i, b, c, d) + e + word[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

}  // namespace

std::array<std::uint8_t, 20> sha1(std::string_view text) {
  std::string padded(text);
  padded.push_back('\x80');
  padded.append((120 - padded.size() % 64) % 64, '\0');
  const std::uint64_t bits = static_cast<std::uint64_t>(text.size()) * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padded.push_back(static_cast<char>((bits >> shift) & 0xFF));

  State state{0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};
  for (std::size_t at = 0; at < padded.size(); at += 64) {
    take_block(state, std::string_view(padded).substr(at, 64));
  }
  std::array<std::uint8_t, 20> out{};
  for (std::size_t i = 0; i < 20; ++i) {
    out[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return out;
}

}  // namespace aliquot
