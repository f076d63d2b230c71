// A self-contained HTML page: no script, font or picture from elsewhere. It follows the reader's light or
// dark setting, fits a phone, and prints.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/table.hpp"

namespace aliquot {

class Page {
 public:
  // `lead`: its message in a sentence or two, plain text.
  Page(const std::string& title, const std::string& lead);

  void section(const std::string& heading);
  void paragraph(const std::string& text);
  // Figures side by side on a wide screen, each an SVG with a caption, and one legend (HTML) below all.
  struct Figure {
    std::string caption;
    std::string svg;
  };
  void figures(const std::vector<Figure>& figures, const std::string& legend = {});
  // As wide as the page.
  void wide_figure(const Figure& figure, const std::string& legend = {});
  // Columns named "paper" are in italics; a wide table scrolls on a small screen.
  void table(const Table& table);
  // Tables that the reader unfolds.
  void folded(const std::string& summary, const std::vector<Table>& tables);
  // The last section, names and values: which program made the page, of what.
  void provenance(const std::vector<std::pair<std::string, std::string>>& facts);

  [[nodiscard]] std::string finish() &&;

 private:
  std::string title_;
  std::string body_;
  bool open_ = false;  // a section
};

}  // namespace aliquot
