#include "manager/hypervisor/xml_text.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace aliquot {
namespace {

constexpr std::array<std::pair<char, std::string_view>, 8> kReferences{{{'&', "&amp;"},
                                                                        {'<', "&lt;"},
                                                                        {'>', "&gt;"},
                                                                        {'"', "&quot;"},
                                                                        {'\'', "&apos;"},
                                                                        {'\t', "&#9;"},
                                                                        {'\n', "&#10;"},
                                                                        {'\r', "&#13;"}}};

// Length of the UTF-8 sequence at the front, 0 if there is none (RFC 3629: no overlong forms, no
// surrogates, nothing above U+10FFFF), nor a character that XML 1.0 leaves out (U+FFFE, U+FFFF).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return 0;
  std::uint32_t point = byte(0) & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    point = (point << 6) | (byte(i) & 0x3FU);
  }
  if (length == 3 && (point < 0x800 || (point >= 0xD800 && point < 0xE000) || point >= 0xFFFE)) return 0;
  if (length == 4 && (point < 0x10000 || point > 0x10FFFF)) return 0;
  return length;
}

}  // namespace

bool xml_can_hold(std::string_view text) {
  while (!text.empty()) {
    const auto first = static_cast<std::uint8_t>(text.front());
    if (first < 0x20 && first != '\t' && first != '\n' && first != '\r') return false;
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    std::string_view as{&c, 1};
    for (const auto& [plain, reference] : kReferences) {
      if (plain == c) as = reference;
    }
    out.append(as);
  }
  return out;
}

std::string xml_unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.front() == '&' ? text.find(';') : std::string_view::npos;
    char plain = '\0';
    if (end != std::string_view::npos) {
      for (const auto& [c, reference] : kReferences) {
        if (text.substr(0, end + 1) == reference) plain = c;
      }
      unsigned number = 0;
      const bool hex = end > 2 && text[2] == 'x';
      if (plain == '\0' && end > 2 && text[1] == '#') {
        const char* from = text.data() + (hex ? 3 : 2);
        const auto [stop, fault] = std::from_chars(from, text.data() + end, number, hex ? 16 : 10);
        if (fault == std::errc{} && stop == text.data() + end && number < 128) {
          plain = static_cast<char>(number);
        }
      }
    }
    out.push_back(plain != '\0' ? plain : text.front());
    text.remove_prefix(plain != '\0' ? end + 1 : 1);
  }
  return out;
}

}  // namespace aliquot
