#include "monitor/record/image.hpp"

#include <algorithm>

namespace aliquot {
namespace {

constexpr std::size_t kLongestName = 63;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

}  // namespace

bool is_image_name(std::string_view text) {
  const auto may_follow = [](char c) { return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-'; };
  return !text.empty() && text.size() <= kLongestName && is_letter_or_digit(text.front()) &&
         std::ranges::all_of(text, may_follow);
}

std::string image_name_of_file(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  return std::string(file.substr(0, std::max<std::size_t>(file.rfind('.'), 1)));
}

}  // namespace aliquot
