#include "tools/sim/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tools/sim/workload/csv_line.hpp"

namespace aliquot {
namespace {

std::string markdown_row(const std::vector<std::string>& fields) {
  std::string text = "|";
  for (const std::string& field : fields) text += " " + field + " |";
  return text + "\n";
}

// In characters: continuation bytes of UTF-8 take no room.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string as_csv(const Table& table) {
  std::string text;
  const auto put = [&text](const std::vector<std::string>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i)
      text.append(i == 0 ? "" : ",").append(csv_field(fields[i]));
    text += '\n';
  };
  put(table.columns);
  for (const auto& row : table.rows) put(row);
  return text;
}

std::string as_markdown(const Table& table) {
  std::string text = table.title.empty() ? "" : "**" + table.title + "**\n\n";
  text += markdown_row(table.columns) + "|---|";
  for (std::size_t i = 1; i < table.columns.size(); ++i) text += "---:|";
  text += "\n";
  for (const auto& row : table.rows) text += markdown_row(row);
  if (!table.note.empty()) text += "\n" + table.note + "\n";
  return text;
}

std::string as_text(const Table& table) {
  std::vector<std::size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(width_of(column));
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  std::string text = table.title.empty() ? "" : table.title + "\n";
  const auto put = [&](const std::vector<std::string>& fields) {
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::string margin(widths[i] - width_of(fields[i]), ' ');
      line += i == 0 ? fields[i] + margin : "  " + margin + fields[i];
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  put(table.columns);
  for (const auto& row : table.rows) put(row);
  if (!table.note.empty()) text += table.note + "\n";
  return text;
}

std::string shown(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::fabs(value);
  const int places = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", places, value);
  std::string text = buffer;
  if (text.size() > 1 && text.find_first_not_of("-0.") == std::string::npos && text[0] == '-')
    text.erase(0, 1);
  std::size_t point = text.find('.');
  if (point == std::string::npos) point = text.size();
  const std::size_t first = text[0] == '-' ? 1 : 0;
  for (std::size_t at = point; at > first + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string fixed(double value, int places) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", places, value);
  return text;
}

}  // namespace aliquot
