#!/usr/bin/env python3
"""Opens the pages that aliquot-sim writes in headless Chromium, light and dark, and looks at them.

A script is put into a copy of each page: it asks the browser what is really seen of every plot (shapes with
an extent and a colour), whether the page is wider than its window, and which colours it took; whatever goes
wrong in the browser is an error. With a third argument, screenshots are left in that folder."""

import html
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import browser as chromium  # noqa: E402

GRID = (
    "policies: [EASY, GREEDY-PMTN]\nloads: [0.3, 0.7]\nseeds: [1..2]\njobs: 40\npenalties: [300]\n"
)
COMMANDS = {
    "run": "run --workload {small} --nodes 16 --policy GREEDY-PMTN-MIGR --penalty 300 --report run.html",
    "dfrs2010": "evaluate dfrs2010 --traces 2 --jobs 40 --loads 0.3,0.7,unscaled --out dfrs2010",
    "sweep": "sweep grid.yaml --out sweep",
    "evolving": "evaluate evolving --tests 20 --orders 10 --insertions 30 --out evolving",
    "online": "evaluate evolving-online --traces 2 --jobs 30 --out online",
    "moldable": "evaluate moldable --loads 0.3,0.9 --jobs 60 --out moldable",
    "power": "evaluate power --loads 0.2,0.4 --seeds 1 --weeks 1 --out power",
    "collocation": "evaluate collocation --loads 0.5,0.9 --seeds 1 --nodes 16 --out collocation",
}
PAGES = {
    "run": "run.html",
    "dfrs2010": "dfrs2010/report.html",
    "sweep": "sweep/report.html",
    "evolving": "evolving/report.html",
    "online": "online/report.html",
    "moldable": "moldable/report.html",
    "power": "power/report.html",
    "collocation": "collocation/report.html",
}
FEWEST_PLOTS = {
    "run": 5,
    "dfrs2010": 6,
    "sweep": 1,
    "evolving": 5,
    "online": 2,
    "moldable": 2,
    "power": 2,
    "collocation": 3,
}
LOOK = """<script>
const wrong = [];
window.onerror = (what) => { wrong.push(String(what)); };
window.addEventListener('load', () => {
  const seen = (shape) => {
    const box = shape.getBBox(), style = getComputedStyle(shape);
    const painted = (paint) => paint !== 'none' && paint !== 'transparent' && !/, 0\\)$/.test(paint);
    return (box.width > 0 || box.height > 0) && (painted(style.fill) || painted(style.stroke));
  };
  const plots = [...document.querySelectorAll('figure svg')].map((svg) => ({
    name: svg.getAttribute('aria-label'),
    width: svg.getBoundingClientRect().width,
    shapes: [...svg.querySelectorAll('.mark,.curve,.ring,.error,[class^="s-"],[class^="y"],[class^="h"]')]
      .filter(seen).length,
    texts: [...svg.querySelectorAll('text')].filter((text) => text.getBBox().width > 0).length,
  }));
  const verdict = document.createElement('pre');
  verdict.id = 'verdict';
  verdict.textContent = JSON.stringify({
    wrong, plots, dark: matchMedia('(prefers-color-scheme: dark)').matches,
    paper: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.body).color,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  });
  document.body.append(verdict);
});
</script></body>"""


def browse(browser, page, folder, dark, *options):
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        + ["--hide-scrollbars", "--no-first-run", f"--user-data-dir={folder}/profile"]
        + ["--enable-logging=stderr", f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
        + [*options, page.as_uri()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=120,
    )
    return done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def brightness(colour):
    return sum(int(part) for part in re.findall(r"\d+", colour)[:3]) / 3


def faults_of(name, text, verdict, log, dark, narrow):
    yield from (f"the browser says: {line}" for line in log.splitlines() if "CONSOLE" in line)
    yield from (f"script error: {what}" for what in verdict["wrong"])
    if re.search(r'="[^"]*\b(nan|inf)\b', text):
        yield "a coordinate is no number"
    if re.search(r'(src|href)="(?!data:)', text) or "@import" in text or "url(" in text:
        yield "it asks for something from elsewhere"
    if verdict["dark"] != dark or (brightness(verdict["paper"]) < 128) != dark:
        yield f"is {verdict['paper']} where {'dark' if dark else 'light'} was asked for"
    if abs(brightness(verdict["paper"]) - brightness(verdict["ink"])) < 120:
        yield f"text {verdict['ink']} on {verdict['paper']}"
    if narrow and verdict["overflow"] > 0:
        yield f"is {verdict['overflow']} pixels wider than a telephone"
    if len(verdict["plots"]) < FEWEST_PLOTS[name]:
        yield f"has {len(verdict['plots'])} plots only"
    for plot in verdict["plots"]:
        if plot["shapes"] < 2 or plot["texts"] < 2 or plot["width"] < 200:
            yield f"empty plot: {plot}"


def look_at(browser, name, text, folder, dark, narrow):
    page = folder / "page.html"
    page.write_text(text.replace("</body>", LOOK))
    size = "--window-size=500,900" if narrow else "--window-size=1200,900"
    dom, log = browse(browser, page, folder, dark, size, "--dump-dom")
    found = re.search(r'<pre id="verdict">(.*?)</pre>', dom, re.S)
    if not found:
        return [f"no verdict: the script did not run\n{log}"]
    return list(faults_of(name, text, json.loads(html.unescape(found[1])), log, dark, narrow))


def main(simulator, source, shots=None):
    browser = chromium.program()
    if not browser:
        print("no Chromium here (Debian package chromium): pages are not opened")
        sys.exit(77)
    failed = 0
    with chromium.folder_of_browser() as name:
        folder = pathlib.Path(name)
        (folder / "grid.yaml").write_text(GRID)
        for kind, command in COMMANDS.items():
            words = command.format(small=f"{source}/tools/sim/examples/small.csv").split()
            subprocess.run(
                [simulator, *words], cwd=folder, check=True, capture_output=True, timeout=120
            )
            text = (folder / PAGES[kind]).read_text()
            for dark in (False, True):
                faults = look_at(browser, kind, text, folder, dark, False)
                if not dark:
                    faults += look_at(browser, kind, text, folder, dark, True)
                print(f"{kind}, {'dark' if dark else 'light'}: {'; '.join(faults) or 'well'}")
                failed += bool(faults)
                if shots:
                    shot = (
                        pathlib.Path(shots).absolute() / f"{kind}-{'dark' if dark else 'light'}.png"
                    )
                    (folder / "shot.html").write_text(text)
                    browse(
                        browser,
                        folder / "shot.html",
                        folder,
                        dark,
                        "--window-size=1200,2600",
                        f"--screenshot={shot}",
                    )
    sys.exit(bool(failed))


main(*sys.argv[1:])
