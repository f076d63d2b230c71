"""Draws a bar for each value."""

import pathlib


def draw(rows, folder):
    pathlib.Path(folder).mkdir(exist_ok=True)
    for station, values in rows.items():
        bars = "".join(f"{'#' * round(value)}\n" for value in values)
        (pathlib.Path(folder) / f"{station}.txt").write_text(bars, encoding="ascii")
