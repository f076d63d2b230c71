#include "monitor/sha256.hpp"

#include <algorithm>
#include <bit>

#include "monitor/sha256_compress.hpp"

namespace aliquot {

void compress_portably(Sha256State& state, const unsigned char* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = std::uint32_t{block[4 * i]} << 24 | std::uint32_t{block[4 * i + 1]} << 16 |
           std::uint32_t{block[4 * i + 2]} << 8 | std::uint32_t{block[4 * i + 3]};
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const auto s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const auto s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const auto big1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const auto t1 = h + big1 + ((e & f) ^ (~e & g)) + kSha256Rounds[i] + w[i];
    const auto big0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const auto t2 = big0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1;
    d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> mixed{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += mixed[i];
}

Sha256::Sha256() : in_hardware_(sha256_in_hardware()) {}

void Sha256::compress(const unsigned char* block) {
  if (in_hardware_)
    compress_in_hardware(state_, block);
  else
    compress_portably(state_, block);
}

void Sha256::update(const unsigned char* bytes, std::size_t count) {
  total_ += count;
  while (count > 0) {
    if (held_ == 0 && count >= pending_.size()) {
      compress(bytes);
      bytes += pending_.size(), count -= pending_.size();
      continue;
    }
    const std::size_t part = std::min(count, pending_.size() - held_);
    std::copy_n(bytes, part, pending_.begin() + static_cast<std::ptrdiff_t>(held_));
    held_ += part, bytes += part, count -= part;
    if (held_ == pending_.size()) compress(pending_.data()), held_ = 0;
  }
}

std::string Sha256::finish() {
  const std::uint64_t bits = total_ * 8;
  const unsigned char mark = 0x80;
  const unsigned char zero = 0;
  update(&mark, 1);
  while (held_ != 56) update(&zero, 1);
  for (int shift = 56; shift >= 0; shift -= 8) {
    const auto byte = static_cast<unsigned char>(bits >> shift);
    update(&byte, 1);
  }
  std::string hex;
  for (const std::uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[word >> shift & 15U];
  }
  return hex;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 sum;
  sum.update(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return sum.finish();
}

}  // namespace aliquot
