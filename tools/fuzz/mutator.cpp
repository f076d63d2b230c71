#include "tools/fuzz/mutator.hpp"

#include <algorithm>
#include <array>

namespace aliquot::fuzz {
namespace {

using namespace std::string_literals;

const std::array kNumbers{"0"s,
                          "-1"s,
                          "1"s,
                          "-0"s,
                          "0.0000000000001"s,
                          "1e-300"s,
                          "1e300"s,
                          "1e999"s,
                          "nan"s,
                          "inf"s,
                          "0x10"s,
                          "4294967296"s,
                          "2147483647"s,
                          "9223372036854775807"s,
                          "-9223372036854775808"s,
                          "18446744073709551616"s,
                          "99999999999999999999999999999999999999"s,
                          "1000000000000000"s,
                          "10000000000"s,
                          "1000000000"s,
                          "100000"s,
                          "1."s,
                          ".5"s,
                          "1e"s,
                          "+5"s,
                          "0.333333333333333333333333333"s};
const std::array kWords{"\n"s, "\r\n"s, ","s,    "\""s,    "\"\""s,       "{"s,          "}"s,
                        "["s,  "]"s,    ":"s,    ";"s,     "\0"s,         "\xff\xfe"s,   "\xEF\xBB\xBF"s,
                        "\t"s, " "s,    "null"s, "true"s,  "\\u0000"s,    "\\ud800"s,    "[[[[[[[["s,
                        "&a"s, "*a"s,   "- "s,   "!!int"s, "{\"a\":"s,    "\"repeat\""s, "\"seq\""s,
                        "\\"s, "#"s,    "%"s,    "'"s,     "\"profile\""s};

bool in_number(char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e'; }

}  // namespace

// splitmix64.
std::uint64_t Mutator::below(std::uint64_t bound) {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (z ^ (z >> 31)) % bound;
}

std::string Mutator::mutate(std::string text, const std::string& other) {
  for (std::uint64_t changes = 1 + below(5); changes > 0; --changes) {
    change(text, other);
    if (text.size() > kLongest) text.resize(kLongest);
  }
  return text;
}

void Mutator::change(std::string& text, const std::string& other) {
  const std::size_t at = below(text.size() + 1);
  const std::size_t length = below(std::min<std::size_t>(text.size() - at, 200) + 1);
  switch (below(9)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(below(256));
      break;
    case 1:
      text.insert(at, 1, static_cast<char>(below(256)));
      break;
    case 2:
      text.erase(at, length);
      break;
    case 3:
      text.insert(below(text.size() + 1), text.substr(at, length));
      break;
    case 4: {
      const std::size_t from = below(other.size() + 1);
      text.replace(at, length, other.substr(from, below(400)));
      break;
    }
    case 5:
      text.insert(at, kWords[below(kWords.size())]);
      break;
    case 6:
      if (below(4) == 0) text.resize(at);
      break;
    case 7:
      below(8) == 0 ? repeat(text) : move_line(text);
      break;
    default:
      change_number(text);
  }
}

void Mutator::change_number(std::string& text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto from = text.begin() + static_cast<std::ptrdiff_t>(below(text.size() + 1));
  const auto begin = std::find_if(from, text.end(), digit);
  if (begin == text.end()) return;
  const auto end = std::find_if_not(begin, text.end(), in_number);
  text.replace(begin, end, kNumbers[below(kNumbers.size())]);
}

void Mutator::repeat(std::string& text) {
  const std::size_t at = below(text.size() + 1);
  const std::string piece = text.substr(at, 1 + below(40));
  std::string many;
  for (std::uint64_t times = below(3000); times > 0; --times) many += piece;
  text.insert(at, many);
}

void Mutator::move_line(std::string& text) {
  const std::size_t begin = text.find('\n', below(text.size() + 1));
  if (begin == std::string::npos) return;
  const std::size_t end = text.find('\n', begin + 1);
  const std::string line = text.substr(begin, end == std::string::npos ? end : end - begin);
  if (below(2) == 0) text.erase(begin, line.size());
  text.insert(below(text.size() + 1), line);
}

}  // namespace aliquot::fuzz
