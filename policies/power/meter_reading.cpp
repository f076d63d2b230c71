#include "policies/power/meter_reading.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace aliquot::power {
namespace {

constexpr std::size_t kMostCounters = 64;
constexpr std::int64_t kLargest = INT64_MAX / 4;  // sums of two are no overflow

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n"));
  text.remove_prefix(word.size());
  return word;
}

// Digits only.
std::optional<std::int64_t> number_in(std::string_view word) {
  std::int64_t number = 0;
  const char* const end = word.data() + word.size();
  const auto [at, failure] = std::from_chars(word.data(), end, number);
  if (word.empty() || word.front() == '-' || failure != std::errc{} || at != end || number > kLargest)
    return std::nullopt;
  return number;
}

// "231", "231.5"; digits behind the third are left out.
std::optional<Watts> watts_in(std::string_view word) {
  const std::size_t point = std::min(word.find('.'), word.size());
  const auto whole = number_in(word.substr(0, point));
  std::string fraction(word.substr(std::min(point + 1, word.size())));
  const bool is_number = fraction.find_first_not_of("0123456789") == std::string::npos;
  fraction.resize(3, '0');
  if (!whole || !is_number || (point < word.size() && point + 1 == word.size())) return std::nullopt;
  if (*whole > kMostMeasured.raw / 1'000) return std::nullopt;
  const Watts draw{*whole * 1'000 + number_in(fraction).value_or(0)};
  return draw <= kMostMeasured ? std::optional(draw) : std::nullopt;
}

tl::unexpected<Error> not_a_reading(std::string_view line) {
  constexpr std::size_t kShown = 100;
  return fail(ErrorKind::invalid_argument,
              "the meter said \"" + std::string(line.substr(0, kShown)) +
                  "\"; its last line is to be `watts N`, or `microjoules` with a counter and its range for "
                  "each zone");
}

// None: it has gone backwards further than its range.
std::optional<std::int64_t> rise(const EnergyCounter& before, const EnergyCounter& now) {
  const std::int64_t rise = now.microjoules - before.microjoules;
  if (rise >= 0) return rise;
  return rise + now.range >= 0 ? std::optional(rise + now.range) : std::nullopt;
}

}  // namespace

Result<MeterReading> parse_meter(std::string_view line) {
  MeterReading reading;
  std::string_view rest = line;
  const std::string_view what = take_word(rest);
  if (what == "watts") {
    reading.draw = watts_in(take_word(rest));
    return reading.draw && take_word(rest).empty() ? Result<MeterReading>(reading) : not_a_reading(line);
  }
  if (what != "microjoules") return not_a_reading(line);
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
    const auto counter = number_in(word), range = number_in(take_word(rest));
    if (!counter || !range || *counter > *range || reading.counters.size() == kMostCounters)
      return not_a_reading(line);
    reading.counters.push_back({*counter, *range});
  }
  return reading.counters.empty() ? not_a_reading(line) : Result<MeterReading>(reading);
}

std::optional<Watts> draw_between(const MeterReading& before, const MeterReading& now, Duration span) {
  const bool same =
      std::ranges::equal(before.counters, now.counters, {}, &EnergyCounter::range, &EnergyCounter::range);
  if (!same || now.counters.empty() || span.raw <= 0) return std::nullopt;
  Int128 risen = 0;
  for (std::size_t k = 0; k < now.counters.size(); ++k) {
    const auto more = rise(before.counters[k], now.counters[k]);
    if (!more) return std::nullopt;
    risen += *more;
  }
  const Int128 draw = risen * 1'000 / span.raw;  // microjoules in microseconds are watts
  if (draw > kMostMeasured.raw) return std::nullopt;
  return Watts{static_cast<std::int64_t>(draw)};
}

}  // namespace aliquot::power
