#include "manager/api/suggest.hpp"

#include "config/nearest.hpp"

namespace aliquot::wire {

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const auto best = nearest(word, known);
  return best ? "; did you mean `" + *best + "`?" : std::string();
}

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
