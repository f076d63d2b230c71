#!/usr/bin/env python3
"""The project's conventions as a test: style_test.py [ROOT].

Prints "path:line: rule: what" for each finding, and fails if there is any.
"""

import pathlib
import sys

import code_rules
import text_rules
from tree import read_tree


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    tree = read_tree(root)
    if not any(path.startswith("policies/") for path in tree):
        print(f"{root} is not this project: it has no policies/")
        return 2
    rules = code_rules.RULES + text_rules.RULES
    findings = sorted(finding for rule in rules for finding in rule(tree))
    for finding in findings:
        print(finding)
    print(f"{len(tree)} files, {len(rules)} rules, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
