// Parses and prints quantities with units: "10m", "2GiB", "1.5", "40%". Text to exact integers and back.
//
// Strict: one decimal number without sign, blank or exponent, then one unit. Nothing is rounded: a value
// that is not exact (0.1GiB is not a whole number of bytes) is an error, and so is a number without a unit
// where one is required. Every error quotes the text and says what to write instead. Printing gives the
// shortest text that parses to the same value. Used by the configuration and the command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"
#include "policies/model/time.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

// us, ms, s, m, h, d.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);
[[nodiscard]] std::string print_duration(Duration duration);

// B, KiB, MiB, GiB, TiB: powers of 1024. "GB" and "G" are refused as ambiguous.
[[nodiscard]] Result<Memory> parse_memory(std::string_view text);
[[nodiscard]] std::string print_memory(Memory memory);

// bit, kbit, Mbit, Gbit, per second: powers of 1000.
[[nodiscard]] Result<Bandwidth> parse_bandwidth(std::string_view text);
[[nodiscard]] std::string print_bandwidth(Bandwidth bandwidth);

// Parts per million of "1.5" or "150%"; at most six decimals (four in percent).
[[nodiscard]] Result<std::int64_t> parse_ratio(std::string_view text);
[[nodiscard]] std::string print_ratio(std::int64_t ppm);

// Reference cores: "1.5"; at most six decimals.
[[nodiscard]] Result<Cpu> parse_cores(std::string_view text);
[[nodiscard]] std::string print_cores(Cpu cpu);
// The same in a sentence: "1 core", "1.5 cores".
[[nodiscard]] std::string say_cores(Cpu cpu);

// A whole number without sign or unit.
[[nodiscard]] Result<std::int64_t> parse_count(std::string_view text);

// The text in quotes, for error messages: control characters escaped, cut after `shown` bytes.
[[nodiscard]] std::string quote(std::string_view text, std::size_t shown = 60);

}  // namespace aliquot
