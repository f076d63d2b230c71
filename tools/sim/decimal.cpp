#include "tools/sim/decimal.hpp"

#include <array>
#include <charconv>
#include <optional>

namespace aliquot {
namespace {

constexpr int kPlaces = 12;
constexpr Int128 kLargest = Int128{1'000'000'000'000'000} * kPico;
constexpr int kMostDigits = 400;  // of one number, zeros included

Error about(std::string_view text, std::string_view what) {
  constexpr std::size_t shown = 40;
  std::string message(1, '\'');
  message.append(text.substr(0, shown)).append(text.size() > shown ? "..." : "").append("' ").append(what);
  return {ErrorKind::invalid_argument, message};
}

struct Scanned {
  bool negative = false;
  std::string digits;  // without the point
  int places = 0;      // digits after the point, less the exponent
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// sign? digits* (. digits*)? ([eE] sign? digits+)?, with at least one digit.
bool scan(std::string_view text, Scanned& out) {
  std::size_t i = 0;
  const auto at = [&](std::size_t k) { return k < text.size() ? text[k] : '\0'; };
  if (at(i) == '-' || at(i) == '+') out.negative = text[i++] == '-';
  for (; is_digit(at(i)); ++i) out.digits += text[i];
  if (at(i) == '.') {
    for (++i; is_digit(at(i)); ++i, ++out.places) out.digits += text[i];
  }
  if (out.digits.empty()) return false;
  if (at(i) == 'e' || at(i) == 'E') {
    int exponent = 0;
    if (at(++i) == '+') ++i;
    const auto end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data() + i, end, exponent);
    if (failed != std::errc{} || exponent < -300 || exponent > 300) return false;
    i = static_cast<std::size_t>(stop - text.data());
    out.places -= exponent;
  }
  return i == text.size();
}

// A fast path for the form of nearly every number of a workload: sign? digits (. digits)?, at most 18
// digits, 12 of them after the point. Nothing for any other form, which the general parser reads.
std::optional<Decimal> scan_plain(std::string_view text) {
  static constexpr auto powers = [] {
    std::array<std::int64_t, kPlaces + 1> power{1};
    for (std::size_t i = 1; i < power.size(); ++i) power[i] = power[i - 1] * 10;
    return power;
  }();
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  constexpr std::size_t most = 18;
  if (text.empty() || text.size() > most + 1) return std::nullopt;
  std::uint64_t value = 0;  // holds the nineteen digits that are possible without a point
  std::size_t places = 0;
  bool point = false;
  for (const char c : text) {
    if (is_digit(c)) {
      value = value * 10 + static_cast<std::uint64_t>(c - '0');
      places += point ? 1 : 0;
    } else if (c == '.' && !point) {
      point = true;
    } else {
      return std::nullopt;
    }
  }
  const std::size_t digits = text.size() - (point ? 1 : 0);
  if (digits == 0 || digits > most || places > kPlaces) return std::nullopt;
  const Int128 pico = Int128{value} * powers[kPlaces - places];
  if (pico > kLargest) return std::nullopt;
  return Decimal{negative ? -pico : pico};
}

// Rounds toward zero. A division of 128 bits costs many times one of 64, and is hardly ever needed.
Int128 divided(Int128 value, Int128 by) {
  const auto narrow = static_cast<std::int64_t>(value);
  return narrow == value ? narrow / static_cast<std::int64_t>(by) : value / by;
}

// An integer number of 10^-places, without trailing zeros; written from its last digit to its first.
std::string signed_text(Int128 value, int places) {
  Int128 rest = value < 0 ? -value : value;
  std::string reversed;
  for (int i = 0; i < places; ++i, rest /= 10) {
    const auto digit = static_cast<char>('0' + rest % 10);
    if (digit != '0' || !reversed.empty()) reversed.push_back(digit);
  }
  if (!reversed.empty()) reversed.push_back('.');
  do {
    reversed.push_back(static_cast<char>('0' + rest % 10));
    rest /= 10;
  } while (rest > 0);
  if (value < 0) reversed.push_back('-');
  return {reversed.rbegin(), reversed.rend()};
}

}  // namespace

Result<Decimal> parse_decimal(std::string_view text) {
  if (const auto plain = scan_plain(text)) return *plain;
  Scanned number;
  if (text.empty()) return fail(ErrorKind::invalid_argument, "is empty, should be a number");
  if (text.size() > kMostDigits || !scan(text, number))
    return tl::unexpected(about(text, "is not a number"));
  Int128 value = 0;
  const int whole = static_cast<int>(number.digits.size()) - number.places;  // digits before the point
  const int wanted = whole + kPlaces;                                        // digits that count
  for (int i = 0; i < wanted; ++i) {
    const bool beyond = i >= static_cast<int>(number.digits.size());
    if (beyond && value == 0) break;
    value = value * 10 + (beyond ? 0 : number.digits[static_cast<std::size_t>(i)] - '0');
    if (value > kLargest) {
      return tl::unexpected(about(text, "is too large"));
    }
  }
  const bool first_dropped_is_a_digit = wanted >= 0 && wanted < static_cast<int>(number.digits.size());
  if (first_dropped_is_a_digit && number.digits[static_cast<std::size_t>(wanted)] >= '5') ++value;
  return Decimal{number.negative ? -value : value};
}

Result<std::uint64_t> parse_count(std::string_view text, std::uint64_t most) {
  const auto number = parse_decimal(text);
  if (!number) return tl::unexpected(number.error());
  if (number->pico < 0) return tl::unexpected(about(text, "is negative"));
  if (number->pico % kPico != 0) {
    return tl::unexpected(about(text, "is not a whole number"));
  }
  const Int128 whole = number->pico / kPico;
  if (whole > static_cast<Int128>(most)) {
    return tl::unexpected(about(text, "is more than " + std::to_string(most)));
  }
  return static_cast<std::uint64_t>(whole);
}

std::int64_t whole_part(Decimal value) { return static_cast<std::int64_t>(divided(value.pico, kPico)); }

bool is_whole(Decimal value) { return divided(value.pico, kPico) * kPico == value.pico; }

Decimal ratio_up(std::int64_t num, std::int64_t den) { return {(num * kPico + den - 1) / den}; }

Duration to_duration(Decimal value) {
  constexpr Int128 step = kPico / kMillion;
  const Int128 half = value.pico < 0 ? -step / 2 : step / 2;
  return {static_cast<std::int64_t>(divided(value.pico + half, step))};
}

Cpu cpu_of(Decimal fraction, Cpu node) {
  if (fraction.pico == kPico) return node;
  return {static_cast<std::int64_t>((fraction.pico * node.raw + kPico / 2) / kPico)};
}

Memory memory_of(Decimal fraction, Memory node) {
  if (fraction.pico == kPico) return node;
  return {static_cast<std::int64_t>((fraction.pico * node.raw + kPico - 1) / kPico)};
}

std::string to_text(Decimal value) { return signed_text(value.pico, kPlaces); }
std::string to_text(Duration value) { return signed_text(value.raw, 6); }
std::string to_text(VirtualTime value) { return signed_text(value.raw, kPlaces); }

std::string to_text(double value) {
  std::array<char, 400> buffer{};
  const auto [end, failed] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  return failed == std::errc{} ? std::string(buffer.data(), end) : std::to_string(value);
}

}  // namespace aliquot
