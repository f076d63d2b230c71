#include "tools/sim/drawing/page_style.hpp"

#include "tools/sim/drawing/series_style.hpp"

namespace aliquot {
namespace {

// Light, and dark where the reader has it dark.
constexpr const char* kColours = R"(
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

}  // namespace

std::string picture_css() {
  return std::string(kColours) +
         "svg{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu "
         "Sans\",sans-serif}\n.card{fill:var(--card)}" +
         kPlots + kPictures + series_css();
}

std::string page_css() { return std::string(kColours) + kPage + kPlots + kPictures + series_css(); }

}  // namespace aliquot
