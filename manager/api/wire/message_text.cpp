#include "manager/api/wire/message_text.hpp"

namespace aliquot::wire {

std::string comma_list(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

std::string in_quotes(std::string_view text) {
  std::string out = "`";
  for (const char c : text.substr(0, 60)) out += c >= 0x20 && c < 0x7f ? c : '?';
  return out + (text.size() > 60 ? "...`" : "`");
}

}  // namespace aliquot::wire
