"""Reads measurements, and converts them."""

import csv
from collections import defaultdict

OFFSETS = {"celsius": 0.0, "kelvin": 273.15}


def read(path):
    rows = defaultdict(list)
    with open(path, newline="", encoding="ascii") as file:
        for station, value in csv.reader(file):
            rows[station].append(float(value))
    return rows


def convert(celsius, unit):
    return celsius + OFFSETS[unit]
