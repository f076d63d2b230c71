#include "tools/sim/workload/csv_line.hpp"

namespace aliquot {
namespace {

std::string without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

// The field that begins at `at` with a quote; leaves `at` behind its closing quote.
Result<std::string> quoted(std::string_view line, std::size_t& at) {
  std::string field;
  for (++at; at < line.size(); ++at) {
    if (line[at] != '"') {
      field += line[at];
    } else if (at + 1 < line.size() && line[at + 1] == '"') {
      field += line[at++];
    } else {
      return ++at, field;
    }
  }
  return fail(ErrorKind::invalid_argument, "a quote is not closed");
}

}  // namespace

Result<std::vector<std::string>> split_csv(std::string_view line) {
  std::vector<std::string> fields;
  std::size_t at = 0;
  for (;;) {
    if (at < line.size() && line[at] == '"') {
      auto field = quoted(line, at);
      if (!field) return tl::unexpected(field.error());
      if (at < line.size() && line[at] != ',') {
        return fail(ErrorKind::invalid_argument, "text follows a closing quote");
      }
      fields.push_back(std::move(*field));
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      fields.push_back(without_blanks(line.substr(at, end - at)));
      at = end;
    }
    if (at >= line.size()) return fields;
    ++at;
  }
}

std::string csv_field(const std::string& text) {
  const bool plain = text.find_first_of(",\" \t") == std::string::npos;
  if (plain) return text;
  std::string quoted(1, '"');
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

}  // namespace aliquot
