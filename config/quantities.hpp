// Quantities as people write them: "10m", "2GiB", "1.5", "40%". Pure text in, exact integers out, and back.
//
// Strict: one decimal number without sign, blank or exponent, then one unit; nothing is rounded, so a value
// that the unit cannot hold exactly (0.1GiB is no whole number of bytes) is an error, and so is a bare
// number where the unit matters. Every error quotes the text and names what to write instead. Printing
// gives the shortest text that parses back to the same value. Used by the configuration and the command
// line.
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

// B, KiB, MiB, GiB, TiB: powers of 1024. "GB" and "G" are refused, for nobody knows which one is meant.
[[nodiscard]] Result<Memory> parse_memory(std::string_view text);
[[nodiscard]] std::string print_memory(Memory memory);

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

// The text in quotes, as errors show it: control characters escaped, cut after so many bytes.
[[nodiscard]] std::string quote(std::string_view text, std::size_t shown = 60);

}  // namespace aliquot
