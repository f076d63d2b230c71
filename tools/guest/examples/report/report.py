"""Summarizes a table of measurements: python3 report.py FILE. Writes summary.txt and plots/."""

import os
import sys

import measurements
import plots

rows = measurements.read(sys.argv[1])
unit = os.environ.get("UNIT", "celsius")
with open("summary.txt", "w", encoding="ascii") as out:
    for station, values in sorted(rows.items()):
        mean = measurements.convert(sum(values) / len(values), unit)
        print(f"{station}: {mean:.2f} {unit} of {len(values)} values", file=out)
plots.draw(rows, "plots")
print(f"{len(rows)} stations")
