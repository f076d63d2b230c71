#include "config/quantities.hpp"

#include <array>
#include <span>

namespace aliquot {
namespace {

constexpr std::size_t kDigits = 18;  // what fits into 64 bits, whatever the digits are

// digits / 10^decimals, as it was written.
struct Decimal {
  std::int64_t digits = 0;
  std::int64_t scale = 1;
};

struct Unit {
  std::string_view name;
  std::int64_t size;
};

constexpr std::array<Unit, 6> kTimes{{{"d", 86'400 * kMillion},
                                      {"h", 3'600 * kMillion},
                                      {"m", 60 * kMillion},
                                      {"s", kMillion},
                                      {"ms", 1'000},
                                      {"us", 1}}};
constexpr std::array<Unit, 5> kSizes{{{"TiB", std::int64_t{1} << 40},
                                      {"GiB", std::int64_t{1} << 30},
                                      {"MiB", std::int64_t{1} << 20},
                                      {"KiB", std::int64_t{1} << 10},
                                      {"B", 1}}};

constexpr std::array<Unit, 4> kRates{
    {{"Gbit", 1'000'000'000}, {"Mbit", 1'000'000}, {"kbit", 1'000}, {"bit", 1}}};

// Describes the kind of quantity in error messages.
struct Kind {
  std::string_view noun;    // "a duration"
  std::string_view whole;   // "microseconds"
  std::string_view remedy;  // "write for example 90s or 10m"
};
constexpr Kind kTime{"a duration", "microseconds",
                     "write a number and a unit (us, ms, s, m, h, d), for example 90s or 10m"};
constexpr Kind kSize{"a size", "bytes",
                     "write a number and a unit (B, KiB, MiB, GiB, TiB), for example 512MiB or 2GiB"};
constexpr Kind kRate{"a bandwidth", "bits per second",
                     "write a number and a unit (bit, kbit, Mbit, Gbit), for example 200Mbit or 1Gbit"};
constexpr Kind kRatio{"a ratio", "millionths",
                      "write a decimal number or a percentage, for example 1.5 or 40%"};
constexpr Kind kCores{"a number of cores", "millionths of a core",
                      "write a decimal number, for example 2 or 1.5"};
constexpr Kind kCount{"a whole number", "units", "write digits only, for example 12"};

tl::unexpected<Error> refuse(std::string_view text, const Kind& kind, std::string_view why) {
  std::string message = quote(text) + " is not " + std::string(kind.noun);
  if (!why.empty()) message += " (" + std::string(why) + ")";
  return fail(ErrorKind::invalid_argument, message + "; " + std::string(kind.remedy));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes the number off the front of `rest`; `whole` is the text that errors quote.
Result<Decimal> take_decimal(std::string_view& rest, std::string_view whole, const Kind& kind) {
  if (rest.empty()) return refuse(whole, kind, "it is empty");
  if (rest[0] == '-') return refuse(whole, kind, "it is negative");
  if (!is_digit(rest[0])) return refuse(whole, kind, "it does not begin with a digit");
  Decimal number;
  std::size_t taken = 0;
  bool point = false;
  while (taken < rest.size() && (is_digit(rest[taken]) || (rest[taken] == '.' && !point))) {
    if (rest[taken] == '.') {
      point = true;
    } else {
      if (taken >= kDigits) return refuse(whole, kind, "it has too many digits");
      number.digits = number.digits * 10 + (rest[taken] - '0');
      if (point) number.scale *= 10;
    }
    ++taken;
  }
  if (rest[taken - 1] == '.') return refuse(whole, kind, "digits must follow the point");
  rest.remove_prefix(taken);
  if (rest.starts_with(',')) return refuse(whole, kind, "the decimal mark is a point");
  return number;
}

Result<std::int64_t> scaled(Decimal number, std::int64_t size, std::string_view text, const Kind& kind) {
  const Int128 product = static_cast<Int128>(number.digits) * size;
  if (product % number.scale != 0) {
    return refuse(text, kind, "it is not a whole number of " + std::string(kind.whole));
  }
  if (product / number.scale > INT64_MAX) return refuse(text, kind, "it is too large");
  return static_cast<std::int64_t>(product / number.scale);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Is this, but for its case or for an "i" left out, the unit's name?
bool resembles(std::string_view written, std::string_view name) {
  std::string a, b;
  for (const char c : written) a += lower(c);
  for (const char c : name) b += lower(c);
  return !a.empty() && (a == b || (b.size() == 3 && (a == b.substr(0, 1) || a == b.substr(0, 1) + "b")));
}

Result<std::int64_t> parse_with_unit(std::string_view text, std::span<const Unit> units, const Kind& kind) {
  std::string_view rest = text;
  const auto number = take_decimal(rest, text, kind);
  if (!number) return tl::unexpected(number.error());
  for (const Unit& unit : units) {
    if (rest == unit.name) return scaled(*number, unit.size, text, kind);
  }
  if (rest.empty()) return refuse(text, kind, "the unit is missing");
  if (rest[0] == ' ') return refuse(text, kind, "there is a blank before the unit");
  for (const Unit& unit : units) {
    if (!resembles(rest, unit.name)) continue;
    return refuse(text, kind, "did you mean the unit " + std::string(unit.name) + "?");
  }
  return refuse(text, kind, "there is no unit " + quote(rest));
}

std::string print_with_unit(std::int64_t raw, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (raw % unit.size == 0) return std::to_string(raw / unit.size) + std::string(unit.name);
  }
  return std::to_string(raw) + std::string(units.back().name);
}

Result<std::int64_t> parse_plain(std::string_view text, std::int64_t size, const Kind& kind) {
  std::string_view rest = text;
  const auto number = take_decimal(rest, text, kind);
  if (!number) return tl::unexpected(number.error());
  if (!rest.empty()) return refuse(text, kind, quote(rest) + " stands behind the number");
  return scaled(*number, size, text, kind);
}

std::string print_millionths(std::int64_t raw) {
  std::string text = std::to_string(raw / kMillion);
  if (raw % kMillion == 0) return text;
  std::string decimals = std::to_string(kMillion + raw % kMillion).substr(1);
  while (decimals.back() == '0') decimals.pop_back();
  return text + "." + decimals;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  return parse_with_unit(text, kTimes, kTime).map([](std::int64_t raw) { return Duration{raw}; });
}
std::string print_duration(Duration duration) {
  return duration.raw == 0 ? "0s" : print_with_unit(duration.raw, kTimes);
}

Result<Memory> parse_memory(std::string_view text) {
  return parse_with_unit(text, kSizes, kSize).map([](std::int64_t raw) { return Memory{raw}; });
}
std::string print_memory(Memory memory) {
  return memory.raw == 0 ? "0B" : print_with_unit(memory.raw, kSizes);
}

Result<Bandwidth> parse_bandwidth(std::string_view text) {
  return parse_with_unit(text, kRates, kRate).map([](std::int64_t raw) { return Bandwidth{raw}; });
}
std::string print_bandwidth(Bandwidth bandwidth) {
  return bandwidth.raw == 0 ? "0bit" : print_with_unit(bandwidth.raw, kRates);
}

Result<std::int64_t> parse_ratio(std::string_view text) {
  if (!text.ends_with('%')) return parse_plain(text, kMillion, kRatio);
  std::string_view rest = text.substr(0, text.size() - 1);
  const auto number = take_decimal(rest, text, kRatio);
  if (!number) return tl::unexpected(number.error());
  if (!rest.empty()) return refuse(text, kRatio, quote(rest) + " stands behind the number");
  return scaled(*number, kMillion / 100, text, kRatio);
}
std::string print_ratio(std::int64_t ppm) { return print_millionths(ppm); }

Result<Cpu> parse_cores(std::string_view text) {
  return parse_plain(text, kMillion, kCores).map([](std::int64_t raw) { return Cpu{raw}; });
}
std::string print_cores(Cpu cpu) { return print_millionths(cpu.raw); }

std::string say_cores(Cpu cpu) { return print_cores(cpu) + (cpu.raw == kMillion ? " core" : " cores"); }

Result<std::int64_t> parse_count(std::string_view text) { return parse_plain(text, 1, kCount); }

std::string quote(std::string_view text, std::size_t shown) {
  std::string out = "\"";
  for (const char c : text.substr(0, shown)) {
    constexpr char hex[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += std::string("\\x") + hex[byte / 16] + hex[byte % 16];
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + (text.size() > shown ? "...\"" : "\"");
}

}  // namespace aliquot
