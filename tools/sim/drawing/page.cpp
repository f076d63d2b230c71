#include "tools/sim/drawing/page.hpp"

#include "tools/sim/drawing/styles.hpp"
#include "tools/sim/drawing/svg.hpp"

namespace aliquot {
namespace {

std::string cell(std::string_view tag, const std::string& text, bool paper) {
  return "<" + std::string(tag) + (paper ? " class=\"paper\">" : ">") + escaped(text) + "</" +
         std::string(tag) + ">";
}

std::string table_html(const Table& table) {
  std::string text = "<div class=\"scroll\" tabindex=\"0\"><table>";
  if (!table.title.empty()) text += "<caption>" + escaped(table.title) + "</caption>";
  text += "<thead><tr>";
  for (const std::string& column : table.columns) text += cell("th", column, column == "paper");
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    text += row.front() == "paper" ? "<tr class=\"paper\">" : "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      text += cell(i == 0 ? "th" : "td", row[i], i < table.columns.size() && table.columns[i] == "paper");
    text += "</tr>\n";
  }
  text += "</tbody></table></div>\n";
  if (!table.note.empty()) text += "<p class=\"note\">" + escaped(table.note) + "</p>\n";
  return text;
}

std::string figure_html(const Page::Figure& figure, std::string_view css) {
  std::string text = css.empty() ? "<figure>" : "<figure class=\"" + std::string(css) + "\">";
  if (!figure.caption.empty()) text += "<figcaption>" + escaped(figure.caption) + "</figcaption>";
  if (css.empty()) return text + figure.svg + "</figure>\n";
  return text + "<div class=\"scroll\" tabindex=\"0\">" + figure.svg + "</div></figure>\n";
}

}  // namespace

Page::Page(const std::string& title, const std::string& lead) : title_(title) {
  body_ = "<h1>" + escaped(title) + "</h1>\n<p class=\"lead\">" + escaped(lead) + "</p>\n";
}

void Page::section(const std::string& heading) {
  body_ += std::string(open_ ? "</section>\n" : "") + "<section>\n<h2>" + escaped(heading) + "</h2>\n";
  open_ = true;
}

void Page::paragraph(const std::string& text) { body_ += "<p>" + escaped(text) + "</p>\n"; }

void Page::figures(const std::vector<Figure>& figures, const std::string& legend) {
  body_ += "<div class=\"figures\">\n";
  for (const Figure& figure : figures) body_ += figure_html(figure, "");
  body_ += "</div>\n" + legend;
}

void Page::wide_figure(const Figure& figure, const std::string& legend) {
  body_ += figure_html(figure, "wide") + legend;
}

void Page::table(const Table& table) { body_ += table_html(table); }

void Page::folded(const std::string& summary, const std::vector<Table>& tables) {
  body_ += "<details><summary>" + escaped(summary) + "</summary>\n";
  for (const Table& table : tables) body_ += table_html(table);
  body_ += "</details>\n";
}

void Page::provenance(const std::vector<std::pair<std::string, std::string>>& facts) {
  section("Where this comes from");
  body_ += "<dl>\n";
  for (const auto& [name, value] : facts)
    body_ += "<dt>" + escaped(name) + "</dt><dd>" + escaped(value) + "</dd>\n";
  body_ += "</dl>\n";
}

std::string Page::finish() && {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" "
         "href=\"data:,\">\n<title>" +
         escaped(title_) + "</title>\n<style>" + page_css() + "</style>\n</head>\n<body>\n<main>\n" +
         std::move(body_) + (open_ ? "</section>\n" : "") + "</main>\n</body>\n</html>\n";
}

}  // namespace aliquot
