"""Panels and dashboards of Grafana, as values: what all of ours have in common.

Only kinds of panel that @grafana/ui can draw without a Grafana server: timeseries, stat, bargauge, table.
A query is written without its matchers of job and instance: `aliquot_jobs{state="running"}` gets them from
selected(), which every expression goes through.
"""

import re

SOURCE = {"type": "prometheus", "uid": "${datasource}"}
WHOSE = 'job=~"$job",instance=~"$instance"'
CORES, PER_MINUTE, PER_HOUR = "suffix: cores", "suffix: /min", "suffix: /h"
RATE = "[$__rate_interval]"
GREEN, YELLOW, ORANGE, RED, BLUE, PURPLE = "green", "yellow", "orange", "red", "blue", "purple"
GREY = "#8e8e8e"


def selected(expression):
    """Every metric of the expression, of the chosen manager only."""

    def add(match):
        given = match.group(2)
        return f"{match.group(1)}{{{WHOSE}{',' + given if given else ''}}}"

    return re.sub(r"\b((?:aliquot|process)_\w+)(?:\{([^}]*)\})?", add, expression)


def query(expression, legend="", instant=False, table=False):
    target = {"datasource": SOURCE, "expr": selected(expression), "legendFormat": legend}
    if instant or table:
        target.update(instant=True, range=False)
    if table:
        target["format"] = "table"
    return target


def quantiles(metric):
    """The median and the 99th percentile of a histogram."""
    for q, name in ((0.5, "median"), (0.99, "99th percentile")):
        yield query(f"histogram_quantile({q}, sum by (le) (rate({metric}_bucket{RATE})))", name)


def steps(*pairs):
    """Colours by value: steps(GREEN, (0.8, ORANGE)) is green, and orange from 0.8 on."""
    rows = [{"color": pairs[0], "value": None}]
    rows += [{"color": colour, "value": value} for value, colour in pairs[1:]]
    return {"mode": "absolute", "steps": rows}


def panel(kind, title, description, unit, targets, defaults, options, overrides=()):
    letters = "ABCDEFGHIJKLMNOP"
    return {
        "type": kind,
        "title": title,
        "description": description,
        "datasource": SOURCE,
        "fieldConfig": {"defaults": {"unit": unit, **defaults}, "overrides": list(overrides)},
        "options": options,
        "targets": [{"refId": letters[i], **target} for i, target in enumerate(targets)],
    }


def stat(title, description, unit, target, thresholds=None, mappings=(), **defaults):
    colour = {"mode": "thresholds"} if thresholds else {"mode": "fixed", "fixedColor": BLUE}
    given = {
        "color": colour,
        "thresholds": thresholds or steps(BLUE),
        "mappings": list(mappings),
        **defaults,
    }
    options = {
        "colorMode": "value",
        "graphMode": "none",
        "justifyMode": "auto",
        "orientation": "auto",
        "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
        "textMode": "value",
    }
    return panel("stat", title, description, unit, [target], given, options)


def by_name(name, colour):
    """What a series looks like; the name "capacity" is for lines that are dashed."""
    rows = [{"id": "color", "value": {"mode": "fixed", "fixedColor": colour}}]
    if name == "capacity":
        rows.append({"id": "custom.lineStyle", "value": {"fill": "dash", "dash": [8, 6]}})
    return {"matcher": {"id": "byName", "options": name}, "properties": rows}


def some(expression, label, nothing):
    """The series that are not 0; where all are, one that says so, because a panel is never empty."""
    return f'{expression} > 0 or on() label_replace(vector(0), "{label}", "{nothing}", "", "")'


def lines(
    title,
    description,
    unit,
    targets,
    stacked=False,
    bars=False,
    colours=None,
    log=False,
    signed=False,
    **defaults,
):
    """Series over time; `colours` by what the legend calls them; `signed`: values may be below 0."""
    overrides = [by_name(name, colour) for name, colour in (colours or {}).items()]
    custom = {
        "drawStyle": "bars" if bars else "line",
        "fillOpacity": 70 if bars else 35 if stacked else 0,
        "lineInterpolation": "stepAfter" if stacked and not bars else "linear",
        "lineWidth": 1 if bars or stacked else 2,
        "showPoints": "never",
        "spanNulls": False,
        "stacking": {"group": "A", "mode": "normal" if stacked else "none"},
        "scaleDistribution": {"type": "log", "log": 10} if log else {"type": "linear"},
        **({} if unit in ("s", "bytes", "percentunit") else {"axisSoftMax": 1}),
        **defaults.pop("custom", {}),
    }
    given = {
        "color": {"mode": "palette-classic"},
        "custom": custom,
        **({} if log or signed else {"min": 0}),
        **defaults,
    }
    legend = {"calcs": [], "displayMode": "list", "placement": "bottom", "showLegend": True}
    options = {"legend": legend, "tooltip": {"mode": "multi", "sort": "desc"}}
    return panel("timeseries", title, description, unit, targets, given, options, overrides)


def bars(title, description, unit, target, thresholds, **defaults):
    given = {"color": {"mode": "thresholds"}, "thresholds": thresholds, "min": 0, **defaults}
    options = {
        "displayMode": "basic",
        "orientation": "horizontal",
        "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
        "showUnfilled": False,
        "text": {"valueSize": 13},
        "valueMode": "color",
    }
    return panel(
        "bargauge",
        title,
        description,
        unit,
        [{**target, "instant": True, "range": False}],
        given,
        options,
    )


def table(title, description, columns, key, units):
    """One row for each value of the label `key`; `columns` are (name, expression)."""
    made = panel(
        "table",
        title,
        description,
        "short",
        [query(expression, table=True) for _, expression in columns],
        {"custom": {"align": "auto", "inspect": False}},
        {"cellHeight": "sm", "showHeader": True, "sortBy": [{"desc": False, "displayName": key}]},
    )
    letters = "ABCDEFGHIJKLMNOP"
    names = {f"Value #{letters[i]}": name for i, (name, _) in enumerate(columns)}
    made["transformations"] = [
        {"id": "merge", "options": {}},
        {
            "id": "organize",
            "options": {
                "excludeByName": {"Time": True},
                "indexByName": {key: 0, **{value: i + 1 for i, value in enumerate(names)}},
                "renameByName": names,
            },
        },
    ]
    made["fieldConfig"]["overrides"] = [
        {"matcher": {"id": "byName", "options": name}, "properties": properties(unit)}
        for name, unit in units.items()
    ]
    return made


def properties(unit):
    rows = [{"id": "unit", "value": unit}]
    if unit != "bytes":
        rows.append({"id": "decimals", "value": 0 if unit == "short" else 2})
    return rows


def variable(name, label, metric, of=""):
    return {
        "name": name,
        "label": label,
        "type": "query",
        "datasource": SOURCE,
        "query": {"query": f"label_values({metric}{of}, {name})", "refId": name},
        "includeAll": True,
        "multi": True,
        "allValue": ".+",
        "refresh": 2,
        "sort": 1,
        "current": {"text": "All", "value": "$__all"},
    }


def dashboard(uid, title, description, rows, variables=()):
    """`rows` are lists of (width, height, panel); each row begins below the one before."""
    panels, top = [], 0
    for row in rows:
        left = 0
        for width, height, each in row:
            place = {"x": left, "y": top, "w": width, "h": height}
            panels.append({"id": len(panels) + 1, "gridPos": place, **each})
            left += width
        if left != 24:
            raise ValueError(f"{title}: a row of {left} columns; they are 24")
        top += max(height for _, height, _ in row)
    source = {
        "name": "datasource",
        "label": "Data source",
        "type": "datasource",
        "query": "prometheus",
        "refresh": 1,
        "current": {"text": "default", "value": "default"},
    }
    chosen = '{job=~"$job"}'
    manager = [
        variable("job", "Job", "aliquot_build_info"),
        variable("instance", "Manager", "aliquot_build_info", chosen),
    ]
    return {
        "id": None,
        "uid": uid,
        "title": title,
        "description": description,
        "tags": ["aliquot"],
        "schemaVersion": 39,
        "version": 1,
        "editable": False,
        "graphTooltip": 1,
        "timezone": "browser",
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "links": [
            {
                "type": "dashboards",
                "title": "Aliquot",
                "tooltip": "Aliquot's other dashboards",
                "icon": "dashboard",
                "tags": ["aliquot"],
                "asDropdown": False,
                "includeVars": True,
                "keepTime": True,
                "targetBlank": False,
            }
        ],
        "templating": {"list": [source, *manager, *variables]},
        "annotations": {"list": []},
        "panels": panels,
    }
