#!/usr/bin/env python3
"""Writes the dashboards: monitor/grafana/make_dashboards.py [--check].

With --check nothing is written; the exit code says whether the files in dashboards/ are what this writes.
"""

import json
import pathlib
import sys

import accounts
import nodes
import overview
import scheduler

FOLDER = pathlib.Path(__file__).parent / "dashboards"
DASHBOARDS = {
    "overview": overview.DASHBOARD,
    "nodes": nodes.DASHBOARD,
    "accounts": accounts.DASHBOARD,
    "scheduler": scheduler.DASHBOARD,
}


def main(arguments):
    stale = 0
    for name, dashboard in DASHBOARDS.items():
        path = FOLDER / f"{name}.json"
        text = json.dumps(dashboard, indent=1) + "\n"
        if "--check" not in arguments:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            print(f"{path.name} is stale: run {pathlib.Path(__file__).name}")
            stale += 1
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
