#!/usr/bin/env python3
"""Says what is wrong with dashboards: lint_dashboards.py [FILE...], by default those in dashboards/.

The rules are those of Grafana's own dashboard linter as far as they apply (templated data source, job and
instance; a title, a description and a unit on every panel; matchers of job and instance; $__rate_interval)
and what makes a file load everywhere: known keys, fixed uid, no overlap, only kinds of panel that can be
drawn here, only metrics that the manager has. Syntax of the expressions: promtool, where it is installed.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
METRICS_PAGE = HERE.parents[1] / "docs/metrics.md"
KINDS = {"timeseries", "stat", "bargauge", "table"}
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
DASHBOARD_KEYS = set(
    "id uid title description tags schemaVersion version editable graphTooltip timezone refresh time links "
    "templating annotations panels".split()
)
PANEL_KEYS = set(
    "id type title description gridPos datasource fieldConfig options targets transformations".split()
)
TARGET_KEYS = {"refId", "datasource", "expr", "legendFormat", "instant", "range", "format"}
SHORTEST_WINDOW = 300  # seconds, of one that is not $__rate_interval
SECONDS = {"s": 1, "m": 60, "h": 3600}


def known_metrics():
    """Name -> labels, from the page that is made of the metric table."""
    known = {}
    for line in METRICS_PAGE.read_text().splitlines():
        row = re.match(r"\| `(aliquot_\w+)` \| (\w+) \| \w* \| ([^|]*) \|", line)
        if not row:
            continue
        labels = set(re.findall(r"`(\w+)`", row.group(3))) | {"job", "instance"}
        if row.group(2) == "histogram":
            known[row.group(1) + "_bucket"] = labels | {"le"}
            known.update({row.group(1) + end: labels for end in ("_sum", "_count")})
        else:
            known[row.group(1)] = labels
    for name in re.findall(r"`(process_\w+)`", METRICS_PAGE.read_text()):
        known[name] = {"job", "instance"}
    return known


def selectors(expression):
    """(metric, matchers) of every selector of an expression."""
    return re.findall(r"\b((?:aliquot|process)_\w+)(?:\{([^}]*)\})?", expression)


def expression_faults(expression, known, templated=True):
    for metric, matchers in selectors(expression):
        if metric not in known:
            yield f"the manager has no metric {metric}"
            continue
        for label in re.findall(r"(\w+)\s*[=!]~?\s*\"", matchers):
            if label not in known[metric]:
                yield f"{metric} has no label {label}"
        for label in ("job", "instance") if templated else ():
            if f'{label}=~"${label}"' not in matchers:
                yield f'{metric} is not matched by {label}=~"${label}"'
    if not selectors(expression):
        yield "asks for no metric"
    for window in re.findall(r"\[([^\]]+)\]", expression):
        fixed = re.fullmatch(r"(\d+)([smh])", window)
        if window != "$__rate_interval" and not (
            fixed and int(fixed[1]) * SECONDS[fixed[2]] >= SHORTEST_WINDOW
        ):
            yield f"the window [{window}] is neither $__rate_interval nor 5m or more"


def target_faults(target, known):
    for key in set(target) - TARGET_KEYS:
        yield f"unknown key {key}"
    if target.get("datasource") != SOURCE:
        yield "does not use the templated data source"
    yield from expression_faults(target.get("expr", ""), known)


def panel_faults(panel, known):
    for key in set(panel) - PANEL_KEYS:
        yield f"unknown key {key}"
    for key in ("title", "description"):
        if not panel.get(key):
            yield f"no {key}"
    if panel.get("type") not in KINDS:
        yield f"type {panel.get('type')} cannot be drawn here"
    if panel.get("datasource") != SOURCE:
        yield "does not use the templated data source"
    if not panel.get("fieldConfig", {}).get("defaults", {}).get("unit"):
        yield "no unit"
    if not panel.get("targets"):
        yield "asks for nothing"
    references = [target.get("refId") for target in panel.get("targets", [])]
    if len(set(references)) != len(references):
        yield "two queries of one refId"
    for target in panel.get("targets", []):
        for fault in target_faults(target, known):
            yield f"query {target.get('refId')}: {fault}"


def cells(panel):
    place = panel["gridPos"]
    for x in range(place["x"], place["x"] + place["w"]):
        for y in range(place["y"], place["y"] + place["h"]):
            yield x, y


def layout_faults(panels):
    taken = {}
    for panel in panels:
        for cell in cells(panel):
            if cell[0] >= 24:
                yield f"panel {panel.get('title')}: wider than the grid"
                break
            if cell in taken:
                yield f"panel {panel.get('title')}: over {taken[cell]}"
                break
            taken[cell] = panel.get("title")
    numbers = [panel.get("id") for panel in panels]
    if len(set(numbers)) != len(numbers):
        yield "two panels of one id"


def variable_faults(variables, known):
    names = {variable["name"]: variable for variable in variables}
    if names.get("datasource", {}).get("query") != "prometheus":
        yield "no variable for the data source"
    for name in ("job", "instance"):
        if name not in names:
            yield f"no variable {name}"
    for name, variable in names.items():
        if not {"text", "value"} <= set(variable.get("current", {})):
            yield f"variable {name}: current has no text and value"
        if variable["type"] != "query":
            continue
        asked = re.fullmatch(
            r"label_values\((\w+)(?:\{([^}]*)\})?, (\w+)\)", variable["query"]["query"]
        )
        if not asked:
            yield f"variable {name}: no label_values(metric, label)"
        elif asked[1] not in known or asked[3] not in known[asked[1]]:
            yield f"variable {name}: {asked[1]} has no label {asked[3]}"
        if variable.get("datasource") != SOURCE:
            yield f"variable {name}: does not use the templated data source"


def dashboard_faults(dashboard, known):
    for key in set(dashboard) ^ DASHBOARD_KEYS:
        yield f"{'unknown' if key in dashboard else 'missing'} key {key}"
    fixed = {"id": None, "schemaVersion": 39, "editable": False, "version": 1}
    for key, value in fixed.items():
        if key in dashboard and dashboard[key] is not value and dashboard[key] != value:
            yield f"{key} is {dashboard[key]!r}, should be {value!r}"
    if not re.fullmatch(r"aliquot-[a-z]+", str(dashboard.get("uid"))):
        yield "the uid is not aliquot-NAME"
    yield from variable_faults(dashboard.get("templating", {}).get("list", []), known)
    yield from layout_faults(dashboard.get("panels", []))
    for panel in dashboard.get("panels", []):
        for fault in panel_faults(panel, known):
            yield f"panel {panel.get('title')}: {fault}"


def syntax_faults(expressions):
    """What promtool says of them, as rules; nothing where it is not installed."""
    if not expressions or not shutil.which("promtool"):
        return
    plain = [re.sub(r"\$__rate_interval", "5m", text) for text in expressions]
    rules = [{"record": f"checked:number:{i}", "expr": text} for i, text in enumerate(plain)]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        json.dump({"groups": [{"name": "dashboards", "rules": rules}]}, file)
        file.flush()
        done = subprocess.run(
            ["promtool", "check", "rules", file.name], capture_output=True, text=True
        )
    if done.returncode != 0:
        yield f"promtool: {done.stderr.strip()}"


def faults_of(dashboards):
    """Of dashboards by file name, as lines."""
    known = known_metrics()
    uids = [dashboard.get("uid") for dashboard in dashboards.values()]
    for name, dashboard in dashboards.items():
        yield from (f"{name}: {fault}" for fault in dashboard_faults(dashboard, known))
        if uids.count(dashboard.get("uid")) > 1:
            yield f"{name}: another dashboard has the uid {dashboard.get('uid')}"
        asked = [
            t.get("expr", "") for p in dashboard.get("panels", []) for t in p.get("targets", [])
        ]
        yield from (f"{name}: {fault}" for fault in syntax_faults(asked))


def main(files):
    paths = [pathlib.Path(file) for file in files] or sorted((HERE / "dashboards").glob("*.json"))
    faults = list(faults_of({path.name: json.loads(path.read_text()) for path in paths}))
    print("\n".join(faults) or f"{len(paths)} dashboards, no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
