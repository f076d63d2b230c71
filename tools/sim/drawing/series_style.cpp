#include "tools/sim/drawing/series_style.hpp"

#include <algorithm>
#include <array>

namespace aliquot {
namespace {

constexpr std::string_view kCircle = "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z";
constexpr std::string_view kSquare = "M-3.6 -3.6h7.2v7.2h-7.2z";
constexpr std::string_view kUp = "M0 -4.6L4.4 3.4H-4.4z";
constexpr std::string_view kDiamond = "M0 -5L5 0L0 5L-5 0z";
constexpr std::string_view kDown = "M0 4.6L4.4 -3.4H-4.4z";
constexpr std::string_view kPentagon = "M0 -4.8L4.6 -1.5L2.8 3.9H-2.8L-4.6 -1.5z";
constexpr std::array<std::string_view, 6> kMarks = {kCircle, kSquare, kUp, kDiamond, kDown, kPentagon};

// Each stands out from its background by 3:1 or more. After Okabe and Ito's palette.
struct Colour {
  const char* light;
  const char* dark;
};
constexpr std::array<Colour, 16> kColours = {{
    {"#6b7280", "#9ca3af"},  // 0 grey
    {"#1f2937", "#f3f4f6"},  // 1 ink
    {"#8b7355", "#c9b18e"},  // 2 sand
    {"#9a3412", "#fb8a5c"},  // 3 brick
    {"#b97a00", "#f0b429"},  // 4 amber
    {"#d9480f", "#ff9457"},  // 5 orange
    {"#b0478a", "#ec8bc8"},  // 6 purple
    {"#1d5fbf", "#7ab0ff"},  // 7 blue
    {"#0a7f5a", "#3ed6a3"},  // 8 green
    {"#1787b8", "#56c4f0"},  // 9 sky
    {"#6d3fc4", "#b79bff"},  // 10 violet
    {"#5c7a00", "#b5d34a"},  // 11 olive
    {"#c2255c", "#ff85ac"},  // 12 rose
    {"#0b7285", "#4fd3e0"},  // 13 teal
    {"#7a4b2a", "#d9a47c"},  // 14 brown
    {"#3b4cca", "#9aa5ff"},  // 15 indigo
}};

struct Known {
  std::string_view policy;
  std::size_t colour;
  std::string_view mark;
  bool dashed;
};
constexpr std::array<Known, 10> kKnown = {{
    {"FCFS", 0, kCircle, false},
    {"EASY", 1, kSquare, false},
    {"EASY-LEGACY", 2, kUp, true},
    {"GREEDY", 3, kCircle, false},
    {"GREEDY-PMTN", 4, kSquare, false},
    {"GREEDY-PMTN-MIGR", 5, kUp, true},
    {"DYNMCB8", 6, kCircle, false},
    {"DYNMCB8-PER-600", 7, kSquare, false},
    {"DYNMCB8-ASAP-PER-600", 8, kUp, false},
    {"DYNMCB8-STRETCH-PER-600", 9, kDiamond, true},
}};
constexpr std::size_t kFree = 10;  // colours from here on are for other policies

}  // namespace

SeriesStyle style_of(const std::string& policy, std::size_t position) {
  const auto known = std::ranges::find(kKnown, policy, &Known::policy);
  if (known != kKnown.end()) return {"k" + std::to_string(known->colour), known->mark, known->dashed};
  const std::size_t colour = kFree + position % (kColours.size() - kFree);
  return {"k" + std::to_string(colour), kMarks[position % kMarks.size()], position % 2 == 1};
}

std::vector<SeriesStyle> styles_of(const std::vector<std::string>& policies) {
  std::vector<SeriesStyle> styles;
  std::size_t others = 0;
  for (const std::string& policy : policies) {
    const bool known = std::ranges::find(kKnown, policy, &Known::policy) != kKnown.end();
    styles.push_back(style_of(policy, known ? 0 : others++));
  }
  return styles;
}

std::string legend_sample(const SeriesStyle& style) {
  return "<svg class=\"sample " + style.css +
         "\" viewBox=\"0 0 26 12\" aria-hidden=\"true\"><line class=\"curve" +
         (style.dashed ? " dashed" : "") +
         "\" x1=\"0\" y1=\"6\" x2=\"26\" y2=\"6\"/><path class=\"mark\" transform=\"translate(13 6)\" "
         "d=\"" +
         std::string(style.mark) + "\"/></svg>";
}

std::string series_css() {
  std::string light;
  std::string dark;
  for (std::size_t i = 0; i < kColours.size(); ++i) {
    light += ".k" + std::to_string(i) + "{--c:" + kColours[i].light + "}";
    dark += ".k" + std::to_string(i) + "{--c:" + kColours[i].dark + "}";
  }
  return light + "\n@media (prefers-color-scheme:dark){" + dark + "}\n";
}

}  // namespace aliquot
