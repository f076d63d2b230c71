#!/usr/bin/env python3
"""docs/performance.md shows the budgets that tools/bench/budgets holds the program to."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])


def main():
    command = [sys.executable, ROOT / "tools/bench/budgets", "--table"]
    table = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    page = (ROOT / "docs/performance.md").read_text()
    assert len(table.splitlines()) > 10, "the command prints no table"
    assert table in page, "docs/performance.md is stale: paste what tools/bench/budgets --table prints"


if __name__ == "__main__":
    main()
