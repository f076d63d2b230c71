// Parts of a text that comes from outside, such as the lines and fields of a CSV.
#pragma once

#include <charconv>
#include <string_view>
#include <vector>

namespace aliquot {

// Between the separators; of an empty text one empty part.
[[nodiscard]] inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// False: the text is no such number, or there is more in it.
template <class Number>
[[nodiscard]] bool read_whole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace aliquot
