// A table of texts, and its forms: CSV, Markdown, aligned text.
#pragma once

#include <string>
#include <vector>

namespace aliquot {

struct Table {
  std::string title;
  std::vector<std::string> columns;  // the first names the row
  std::vector<std::vector<std::string>> rows;
  std::string note;  // below the table; may be empty
};

[[nodiscard]] std::string as_csv(const Table& table);  // without title and note
[[nodiscard]] std::string as_markdown(const Table& table);
// Aligned for a terminal, the first column to the left and the others to the right.
[[nodiscard]] std::string as_text(const Table& table);

// A number for readers: three or four significant digits, with separated thousands. "1,470", "9.45",
// "0.05".
[[nodiscard]] std::string shown(double value);
// With so many decimals.
[[nodiscard]] std::string fixed(double value, int places);

}  // namespace aliquot
