// The field's quantities as types: fixed-point integers, so that a replay is equal to the last bit.
//
// Cpu     micro-cores of a reference core: 1'000'000 is one reference core at full speed. A node of 4
//         cores that run at 1.5 times the reference has a capacity of 6'000'000.
// Memory  bytes.
// Bandwidth  bits per second.
// Yield   parts per million of the need: 1'000'000 is "all it needs". (DFRS, II-B: CPU fraction given /
//         CPU need.)
// Weight  parts per million: how much the waiting of a job counts beside that of others.
//
// Only meaningful operators exist. Rounding happens in the named functions below and nowhere else: a cap
// is rounded down, so that the caps of a node never add up to more than the node.
#pragma once

#include <compare>
#include <cstdint>

namespace aliquot {

__extension__ using Int128 = __int128;

template <class Tag>
struct Quantity {
  std::int64_t raw = 0;

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.raw + b.raw}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.raw - b.raw}; }
  friend constexpr Quantity operator*(Quantity a, std::int64_t n) { return {a.raw * n}; }
  constexpr Quantity& operator+=(Quantity b) { return raw += b.raw, *this; }
  constexpr Quantity& operator-=(Quantity b) { return raw -= b.raw, *this; }
};

using Cpu = Quantity<struct CpuTag>;
using Memory = Quantity<struct MemoryTag>;
using Bandwidth = Quantity<struct BandwidthTag>;
using Yield = Quantity<struct YieldTag>;

inline constexpr std::int64_t kMillion = 1'000'000;
inline constexpr Yield kFullYield{kMillion};

// Without fair share every job has the weight 1 (policies/fairness).
struct Weight {
  std::int64_t raw = kMillion;
  friend constexpr auto operator<=>(Weight, Weight) = default;
};
inline constexpr Weight kLeastWeight{kMillion / 1000}, kMostWeight{kMillion * 1000};
// Exactly 1 for the weight 1.
constexpr double factor_of(Weight weight) {
  return static_cast<double>(weight.raw) / static_cast<double>(kMillion);
}

constexpr Cpu cores(std::int64_t n) { return {n * kMillion}; }
constexpr Memory mebibytes(std::int64_t n) { return {n << 20}; }

// a * b / c, exact and rounded toward zero; the product may pass 64 bits, the result may not. A 128-bit
// division costs thirty times a 64-bit one and is hardly ever needed.
constexpr std::int64_t multiply_divide(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product / c;
  return static_cast<std::int64_t>(static_cast<Int128>(a) * b / c);
}

// So many of these come to more than there is; their product may pass 64 bits.
template <class Tag>
constexpr bool exceeds(Quantity<Tag> each, std::int64_t count, Quantity<Tag> all) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(each.raw, count, &product) || product > all.raw;
}

// The CPU a task of this need is given at this yield. Rounds down.
constexpr Cpu operator*(Cpu need, Yield yield) { return {multiply_divide(need.raw, yield.raw, kMillion)}; }

// The same amount of CPU as a share of another need. Rounds down; it may be above 1.
constexpr Yield at_other_need(Yield share, Cpu before, Cpu now) {
  return {multiply_divide(share.raw, before.raw, now.raw)};
}

// The highest common yield at which `load` fits into `capacity`, at most 1: 1 / max(1, Lambda) with
// Lambda = load / capacity (DFRS, III-A). Rounds down.
constexpr Yield yield_for(Cpu capacity, Cpu load) {
  if (load <= capacity) return kFullYield;
  return {multiply_divide(capacity.raw, kMillion, load.raw)};
}

// The one gate through which a solver's real number becomes a yield: clamped to [0, 1], rounded down.
constexpr Yield yield_from_solver(double value) {
  if (!(value > 0)) return {0};
  if (value >= 1) return kFullYield;
  return {static_cast<std::int64_t>(value * static_cast<double>(kMillion))};
}

}  // namespace aliquot
