// Numbers of a workload file, read exactly: a fixed-point decimal of twelve places, no binary float.
//
// Digits beyond the twelfth place are rounded to nearest; programs that print doubles write such digits
// (0.30000000000000004 is 0.3).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"
#include "policies/model/time.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

struct Decimal {
  Int128 pico = 0;  // 10^-12
  friend constexpr auto operator<=>(Decimal, Decimal) = default;
};

inline constexpr Int128 kPico = 1'000'000'000'000;

// A Decimal up to nine million in half the memory, for structures of which there are very many.
struct SmallDecimal {
  std::int64_t pico = 0;

  constexpr SmallDecimal() = default;
  constexpr explicit SmallDecimal(Decimal value) : pico(static_cast<std::int64_t>(value.pico)) {}
  constexpr operator Decimal() const { return {pico}; }  // NOLINT(google-explicit-constructor): the same
  friend constexpr auto operator<=>(SmallDecimal, SmallDecimal) = default;
};

// "12", "0.25", "-3", "1e-05"; at most 10^15 in size. Errors: not a number, too large.
[[nodiscard]] Result<Decimal> parse_decimal(std::string_view text);
// A whole number in [0, most]; "3.0" is one, "3.5" is not.
[[nodiscard]] Result<std::uint64_t> parse_count(std::string_view text, std::uint64_t most);

// Toward zero. The value must be below 2^63.
[[nodiscard]] std::int64_t whole_part(Decimal value);
[[nodiscard]] bool is_whole(Decimal value);

// num / den, rounded up to the twelfth place.
[[nodiscard]] Decimal ratio_up(std::int64_t num, std::int64_t den);

// Seconds to microseconds, to nearest.
[[nodiscard]] Duration to_duration(Decimal seconds);
// A fraction of a node's CPU, to the nearest micro-core.
[[nodiscard]] Cpu cpu_of(Decimal fraction, Cpu node);
// A fraction of a node's memory, up to the next byte: what fits by the fractions alone may not fit here
// when fractions are no whole number of bytes, never the other way round.
[[nodiscard]] Memory memory_of(Decimal fraction, Memory node);

// The shortest exact form: no trailing zeros, no exponent.
[[nodiscard]] std::string to_text(Decimal value);
[[nodiscard]] std::string to_text(Duration value);     // seconds
[[nodiscard]] std::string to_text(VirtualTime value);  // seconds at full speed
[[nodiscard]] std::string to_text(double value);       // the shortest that reads back as the same double

}  // namespace aliquot
