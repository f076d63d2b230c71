#!/usr/bin/env python3
"""Which live tests a check leaves to the checks of other commits: draw.py BUILD-FOLDER SHARES NUMBER.

The tests labelled `drawn` are dealt into shares that take about as long, by what CMake says that they
cost; the number chooses the share that is run. Prints the names of all others, one in a line.
"""

import json
import subprocess
import sys

UNKNOWN = 60  # seconds, of a test that does not say


def dealt(costs, shares):
    """The share of each test. Each goes, the longest first, to the share that has least."""
    loads, share_of = [0] * shares, {}
    for name, cost in sorted(costs.items(), key=lambda item: (-item[1], item[0])):
        least = loads.index(min(loads))
        loads[least] += cost
        share_of[name] = least
    return share_of


def drawn_tests(build):
    command = ["ctest", "--show-only=json-v1", "-L", "drawn"]
    listing = subprocess.run(command, cwd=build, text=True, capture_output=True, check=True)
    costs = {}
    for test in json.loads(listing.stdout)["tests"]:
        properties = {each["name"]: each["value"] for each in test.get("properties", [])}
        costs[test["name"]] = properties.get("COST", UNKNOWN)
    return costs


def main():
    build, shares, number = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for name, share in sorted(dealt(drawn_tests(build), shares).items()):
        if share != number % shares:
            print(name)


if __name__ == "__main__":
    main()
