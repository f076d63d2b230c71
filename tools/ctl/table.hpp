// Aligned text: columns as wide as their widest cell, two blanks between, nothing after the last. Knows no
// job and no terminal, but the colours of a cell if it is told to use them.
#pragma once

#include <string>
#include <vector>

namespace aliquot::ctl {

enum class Align { left, right };
enum class Tint { none, good, wait, bad };

struct Column {
  std::string title;
  Align align = Align::left;
};

struct Cell {
  std::string text;
  Tint tint = Tint::none;
  Cell(std::string t, Tint c = Tint::none) : text(std::move(t)), tint(c) {}  // NOLINT: reads as text
  Cell(const char* t) : text(t) {}                                           // NOLINT
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each with as many cells as there are columns
};

struct TableStyle {
  bool headers = true;
  bool colour = false;
};

// Control characters in cells are shown as `?`: names come from users.
[[nodiscard]] std::string to_text(const Table& table, const TableStyle& style);

// Characters that change the direction of text on a terminal, and so its meaning, as their escapes
// (`\u202e`); JSON in which they stand means the same afterwards.
[[nodiscard]] std::string without_direction_changes(const std::string& text);

// Columns a text takes: its UTF-8 characters, each counted as one.
[[nodiscard]] std::size_t width(const std::string& text);

}  // namespace aliquot::ctl
