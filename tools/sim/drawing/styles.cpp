#include "tools/sim/drawing/styles.hpp"

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

// Light, and dark where the reader has it dark.
constexpr const char* kPalette = R"(
:root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--ink:#1b2430;--soft:#5a6675;--rule:#dfe4ea;
--faint:#eef1f4;
--accent:#0a7f5a;--stripe:#f7f9fb}
@media (prefers-color-scheme:dark){:root{--bg:#0e1318;--card:#161d25;--ink:#e6ebf1;--soft:#a3afbd;
--rule:#2c3743;
--faint:#212a34;--accent:#3ed6a3;--stripe:#1a222b}}
)";

constexpr const char* kPage = R"(
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",
Roboto,
"Helvetica Neue","DejaVu Sans",sans-serif;-webkit-text-size-adjust:100%}
main{max-width:1120px;margin:0 auto;padding:40px 20px 64px}
h1{font-size:clamp(1.5rem,4.5vw,2.1rem);line-height:1.2;margin:0 0 .5rem;letter-spacing:-.015em;
text-wrap:balance}
h2{font-size:1.2rem;margin:0 0 .35rem;letter-spacing:-.01em}
p{margin:.2rem 0 .9rem;max-width:74ch}
.lead{font-size:1.06rem;color:var(--soft);margin-bottom:1.6rem}
section{background:var(--card);border:1px solid var(--rule);border-radius:14px;padding:22px 24px;
margin:18px 0}
section>p{color:var(--soft)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:18px 28px;
margin:10px 0}
figure{margin:0;min-width:0}
.figures>figure{max-width:680px}
figcaption{font-weight:600;font-size:.93rem;margin:0 0 .4rem}
figure svg{display:block;width:100%;height:auto;overflow:visible}
.scroll{overflow-x:auto;margin:.6rem 0 1.1rem;-webkit-overflow-scrolling:touch}
.wide svg{min-width:680px}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums;width:100%}
caption{text-align:left;font-weight:600;font-size:.93rem;padding:0 0 .45rem;caption-side:top}
th,td{padding:.36rem .65rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--rule)}
th:first-child,td:first-child{text-align:left;padding-left:.3rem}
thead th{color:var(--soft);font-weight:600;border-bottom:1.5px solid var(--rule)}
tbody th{font-weight:600}
tbody tr:nth-child(even){background:var(--stripe)}
td.paper,th.paper,tr.paper th,tr.paper td{color:var(--soft);font-style:italic;font-weight:400}
.note{font-size:.86rem;color:var(--soft);margin-top:-.5rem}
details{margin:.6rem 0}
summary{cursor:pointer;color:var(--accent);font-weight:600;font-size:.93rem;padding:.2rem 0}
summary:focus-visible{outline:2px solid var(--accent);outline-offset:3px;border-radius:4px}
dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.25rem 1.2rem;margin:.4rem 0;
font-size:.92rem}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1.15rem;margin:.5rem 0 .2rem;padding:0;
font-size:.86rem}
.legend li{display:flex;align-items:center;gap:.45rem;overflow-wrap:anywhere}
.sample{width:26px;height:12px;flex:none;overflow:visible}
footer{color:var(--soft);font-size:.86rem;margin-top:26px}
@media (max-width:560px){main{padding:22px 10px 40px}section{padding:16px 13px;border-radius:11px}
dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}}
@media print{body{background:#fff}section{break-inside:avoid}}
)";

constexpr const char* kPlots = R"(
svg text{fill:var(--ink);font-family:inherit}
svg .tick,svg .label{font-size:12.5px}
svg .tick{fill:var(--soft)}
svg .label{font-size:11.5px}
svg .name{font-size:12.5px;font-weight:600}
.grid{stroke:var(--rule);stroke-width:1}
.faint{stroke:var(--faint)}
.axis{stroke:var(--soft);stroke-width:1}
.curve{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.dashed{stroke-dasharray:6 4}
.mark{fill:var(--c);stroke:var(--card);stroke-width:1}
.ring{fill:var(--card);stroke:var(--c);stroke-width:1.8}
.bridge{stroke:var(--c);stroke-width:1.2;opacity:.45;stroke-dasharray:2 3}
.error{stroke:var(--c);stroke-width:1.3;opacity:.75}
.thick{stroke-width:4;opacity:.32;stroke-linecap:round}
.series:hover .curve{stroke-width:3.2}
)";

// Pictures of a run: states of jobs, yields, shades of nodes.
constexpr const char* kPictures = R"(
:root{--running:#1d7fbf;--stalled:#d97706;--paused:#9b6fc4;--waiting:#b6bfca;--lowest:#c2410c;
--shade:#1d6fb8}
@media (prefers-color-scheme:dark){:root{--running:#4aa8e8;--stalled:#f0a030;--paused:#b58fe0;
--waiting:#566372;
--lowest:#ff9457;--shade:#5db5f5}}
.s-running{fill:var(--running)}.s-stalled{fill:var(--stalled)}.s-paused{fill:var(--paused)}
.s-waiting{fill:var(--waiting)}
.y1,.y2,.y3,.y4,.y5{fill:var(--running)}
.y1{opacity:.3}.y2{opacity:.45}.y3{opacity:.62}.y4{opacity:.8}
.mean{stroke:var(--running)}.b-mean{fill:var(--running)}
.lowest{stroke:var(--lowest);stroke-width:1.4}.b-lowest{fill:var(--lowest)}
.floor{fill:var(--faint)}
.h1,.h2,.h3,.h4,.h5,.h6,.h7,.h8{fill:var(--shade)}
.h1{opacity:.16}.h2{opacity:.27}.h3{opacity:.38}.h4{opacity:.5}.h5{opacity:.62}.h6{opacity:.74}
.h7{opacity:.87}
.touch{fill:transparent}
.touch:hover{fill:var(--ink);fill-opacity:.09}
)";

// The colours of the series.
std::string series_css() {
  std::string light;
  std::string dark;
  for (std::size_t i = 0; i < kColours.size(); ++i) {
    light += ".k" + std::to_string(i) + "{--c:" + kColours[i].light + "}";
    dark += ".k" + std::to_string(i) + "{--c:" + kColours[i].dark + "}";
  }
  return light + "\n@media (prefers-color-scheme:dark){" + dark + "}\n";
}

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

std::string legend_html(const std::vector<LegendEntry>& entries) {
  std::string text = "<ul class=\"legend\">";
  for (const LegendEntry& entry : entries)
    text += "<li>" + legend_sample(entry.style) + "<span>" + escaped(entry.name) + "</span></li>";
  return text + "</ul>\n";
}

std::string picture_css() {
  return std::string(kPalette) +
         "svg{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu "
         "Sans\",sans-serif}\n.card{fill:var(--card)}" +
         kPlots + kPictures + series_css();
}

std::string page_css() { return std::string(kPalette) + kPage + kPlots + kPictures + series_css(); }

}  // namespace aliquot
