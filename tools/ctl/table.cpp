#include "tools/ctl/table.hpp"

#include <algorithm>
#include <cstdio>

namespace aliquot::ctl {

namespace {

std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return without_direction_changes(text);
}

// The number of a character of two or three bytes in UTF-8 at `at`; 0: it is none.
unsigned character_at(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  if ((byte(0) & 0xe0U) == 0xc0U) return (byte(0) & 0x1fU) << 6U | (byte(1) & 0x3fU);
  if ((byte(0) & 0xf0U) == 0xe0U)
    return (byte(0) & 0x0fU) << 12U | (byte(1) & 0x3fU) << 6U | (byte(2) & 0x3fU);
  return 0;
}

// Unicode's explicit embeddings, overrides, isolates and marks (UAX 9, section 2).
bool changes_direction(unsigned character) {
  return character == 0x061c || character == 0x200e || character == 0x200f ||
         (character >= 0x202a && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
}

const char* escape(Tint tint) {
  switch (tint) {
    case Tint::good:
      return "\033[32m";
    case Tint::wait:
      return "\033[33m";
    case Tint::bad:
      return "\033[31m";
    case Tint::none:
      break;
  }
  return "";
}

void put(std::string& line, const Cell& cell, std::size_t wide, Align align, bool colour, bool last) {
  const std::string text = printable(cell.text);
  const std::string gap(wide - std::min(wide, width(text)), ' ');
  const bool tinted = colour && cell.tint != Tint::none;
  if (align == Align::right) line += gap;
  if (tinted) line += escape(cell.tint);
  line += text;
  if (tinted) line += "\033[0m";
  if (last) return;
  if (align == Align::left) line += gap;
  line += "  ";
}

}  // namespace

std::string without_direction_changes(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned character = character_at(text, i);
    if (!changes_direction(character)) {
      out += text[i];
      continue;
    }
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u%04x", character);
    out += escape;
    i += character < 0x800 ? 1 : 2;
  }
  return out;
}

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string to_text(const Table& table, const TableStyle& style) {
  std::vector<std::size_t> wide;
  for (const Column& column : table.columns) wide.push_back(style.headers ? width(column.title) : 0);
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i) wide[i] = std::max(wide[i], width(row[i].text));

  std::string out;
  const auto line = [&](const std::vector<Cell>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i)
      put(text, cells[i], wide[i], table.columns[i].align, style.colour, i + 1 == cells.size());
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  if (style.headers) {
    std::vector<Cell> titles;
    for (const Column& column : table.columns) titles.emplace_back(column.title);
    line(titles);
  }
  for (const auto& row : table.rows) line(row);
  return out;
}

}  // namespace aliquot::ctl
