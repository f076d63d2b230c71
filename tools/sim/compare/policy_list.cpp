#include "tools/sim/compare/policy_list.hpp"

#include <algorithm>

#include "policies/grammar.hpp"

namespace aliquot {
namespace {

constexpr std::string_view kCommand = "exec:";

// "pin=0.4": a further option, no name. Names of policies do not begin with a small letter and have a '='.
bool is_option(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  return std::ranges::all_of(text.substr(0, equals),
                             [](char c) { return c == '_' || (c >= 'a' && c <= 'z'); });
}

std::size_t end_of_name(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == ',' && depth <= 0) return i;
  }
  return text.size();
}

}  // namespace

std::vector<std::string> split_policies(std::string_view text) {
  std::vector<std::string> names;
  for (;;) {
    text = trimmed(text);
    if (text.starts_with(kCommand)) {
      names.emplace_back(text);
      return names;
    }
    const std::size_t end = end_of_name(text);
    const std::string_view name = trimmed(text.substr(0, end));
    if (!names.empty() && is_option(name) && names.back().find(':') != std::string::npos)
      names.back().append(",").append(name);
    else
      names.emplace_back(name);
    if (end == text.size()) return names;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> dfrs2010_policies() {
  return {"FCFS",
          "EASY",
          "GREEDY",
          "GREEDY-PMTN",
          "GREEDY-PMTN-MIGR",
          "DYNMCB8",
          "DYNMCB8-PER-600",
          "DYNMCB8-ASAP-PER-600",
          "DYNMCB8-STRETCH-PER-600"};
}

}  // namespace aliquot
