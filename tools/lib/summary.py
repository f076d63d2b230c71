#!/usr/bin/env python3
"""Adds up the results of the tests: summary.py [--slow-hint 1] BUILD-FOLDER REPORT-FOLDER, or
summary.py --failed REPORT.xml, which lists the tests that failed.

Reads ctest's JUnit reports (*.xml) and extra.txt (lines "passed|failed|skipped|unchecked what: why" of
steps outside ctest) and counts single cases where a test's output shows them (GoogleTest, unittest), else
whole tests. One that failed and passed when it was repeated (NAME-again.xml) counts as passed and is named
FLAKY. Prints the failures with their output, the skipped tests with their reasons, and as the last line
"N passed, N failed, N skipped". Exit status 1 if anything failed or nothing passed.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field

GTEST_SUMMARY = re.compile(r"^\[  PASSED  \] (\d+) tests?\.", re.M)
GTEST_FAILED = re.compile(r"^\[  FAILED  \] (\S+\.[^ ,\n]+)(?:, where .*)?$", re.M)
GTEST_SKIPPED = re.compile(r"^(?P<why>(?:.*\n){0,6}?)\[  SKIPPED \] (?P<case>\S+) \(\d+ ms\)", re.M)
UNITTEST_RAN = re.compile(r"^Ran (\d+) tests? in ", re.M)
UNITTEST_SKIPPED = re.compile(r"^(\w+) \(([\w.]+)\).*\.\.\. skipped ['\"](.*)['\"]$", re.M)
UNITTEST_BAD = re.compile(r"^(?:FAIL|ERROR): (.*)$", re.M)
PLAIN = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)


@dataclass
class Sum:
    passed: int = 0
    failed: dict = field(default_factory=dict)  # name -> the end of its output
    skipped: list = field(default_factory=list)  # (name, why)
    flaky: dict = field(default_factory=dict)  # failed at first, passed when repeated alone
    unchecked: list = field(default_factory=list)  # (step, what it had no time for)


def last_line(text, otherwise):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else otherwise


def gtest_reason(output, case):
    """The text that GTEST_SKIP() << ... printed between the case's first line and its verdict."""
    match = re.search(rf"^\[ RUN      \] {re.escape(case)}\n(.*?)^\[  SKIPPED \]", output, re.M | re.S)
    lines = [line for line in (match.group(1).splitlines() if match else []) if line.strip()]
    return (
        " ".join(line.strip() for line in lines if not line.endswith(": Skipped")) or "it does not say why"
    )


def count_cases(name, output, total):
    """Cases of a test that passed as a whole."""
    gtest = GTEST_SUMMARY.search(output)
    ran = UNITTEST_RAN.search(output)
    plain = PLAIN.search(output)
    if gtest:
        total.passed += int(gtest.group(1))
        cases = {match.group("case") for match in GTEST_SKIPPED.finditer(output)}
        total.skipped += [(f"{name} {case}", gtest_reason(output, case)) for case in sorted(cases)]
    elif ran:
        skipped = UNITTEST_SKIPPED.findall(output)
        total.passed += int(ran.group(1)) - len(skipped)
        total.skipped += [(f"{name} {case}", why) for case, _, why in skipped]
    elif plain:
        total.passed += int(plain.group(1))
        total.skipped += [(name, "said by the test itself")] * int(plain.group(3) or 0)
    else:
        total.passed += 1


def shortened(text, shown=6000):
    """The first fault is the cause more often than the last: both ends are kept, the first one larger."""
    if len(text) <= shown:
        return text
    first, last = shown * 2 // 3, shown // 3
    return f"{text[:first]}\n[{len(text) - first - last} characters left out]\n{text[-last:]}"


def said_by(case, output):
    """What a failed case of GoogleTest printed itself; of any other its last word, where a script says
    why it gave up, and then the end of all that was said."""
    own = re.search(rf"^\[ RUN      \] {re.escape(case)}\n(.*?^\[  FAILED  \].*?)$", output, re.M | re.S)
    if own:
        return shortened(own.group(1))
    return f"{last_line(output, 'it said nothing')}\n\n{output[-6000:]}"


def count_failed(name, output, total):
    """Failed cases by name; the cases of the same program that passed are still counted."""
    cases = sorted(set(GTEST_FAILED.findall(output)) | set(UNITTEST_BAD.findall(output)))
    for case in cases or [""]:
        whole = name if name.endswith(case) else f"{name} {case}"
        total.failed[whole] = said_by(case, output)
    gtest, ran = GTEST_SUMMARY.search(output), UNITTEST_RAN.search(output)
    if gtest:
        total.passed += int(gtest.group(1))
    elif ran:
        total.passed += max(0, int(ran.group(1)) - len(cases))


def cases_of(report):
    return list(xml.parse(report).getroot().iter("testcase"))


def failed_in(report):
    return [case.get("name") for case in cases_of(report) if case.get("status") == "fail"]


def passed_again(report):
    """The tests that passed when the failed ones of this report were repeated."""
    again = report.with_name(f"{report.stem}-again.xml")
    if not again.exists():
        return set()
    return {case.get("name") for case in cases_of(again) if case.get("status") == "run"}


def skip_reason(output):
    cases = [match.group("case") for match in GTEST_SKIPPED.finditer(output)]
    return gtest_reason(output, cases[0]) if cases else last_line(output, "it does not say why")


def read_report(path, total):
    passed_later = passed_again(path)
    for case in cases_of(path):
        name, status = case.get("name"), case.get("status")
        output = case.findtext("system-out") or ""
        if status == "run":
            count_cases(name, output, total)
        elif status == "fail" and name in passed_later:
            total.passed += 1
            total.flaky[name] = output
        elif status == "fail":
            count_failed(name, output, total)
        elif status == "disabled":
            total.skipped.append((name, "disabled in its CMakeLists.txt"))
        else:  # notrun: skipped by itself, or its program is not there
            skipped = case.find("skipped")
            why = skipped.get("message", "") if skipped is not None else ""
            if "SKIP_RETURN_CODE" in why or "SKIP_REGULAR" in why:
                total.skipped.append((name, skip_reason(output)))
            else:
                total.failed[name] = f"ctest could not run it: {why or 'no reason given'}\n{output}"


def slow_tests(build):
    listing = subprocess.run(
        ["ctest", "-N", "-L", "slow"], cwd=build, text=True, capture_output=True, check=False
    )
    return re.findall(r"^ *Test +#\d+: (\S+)", listing.stdout, re.M)


def read_extra(path, total):
    """The verdicts of steps that are no ctest."""
    for line in path.read_text().splitlines() if path.exists() else []:
        verdict, _, what = line.partition(" ")
        name, _, why = what.partition(": ")
        if verdict == "passed":
            total.passed += 1
        elif verdict == "skipped":
            total.skipped.append((name, why))
        elif verdict == "unchecked":
            total.unchecked.append((name, why))
        else:
            total.failed[name] = why


def grouped(skipped):
    """One line for each test, and one for all that are left out for the same reason."""
    by_reason = {}
    for name, why in skipped:
        by_reason.setdefault(why, []).append(name)
    return [f"{', '.join(names)}: {why}" for why, names in by_reason.items()]


def end_of(said, shown=12):
    """The end of what a failed test said once more, as the last lines are what is kept and read first."""
    return [f"  | {line[:200]}" for line in said.splitlines() if line.strip()][-shown:]


def show(total):
    for name, output in total.failed.items():
        print(f"\nFAILED {name}\n{output.rstrip()}")
    sections = {
        "skipped": grouped(total.skipped),
        "no time for": [f"{name}: {what}" for name, what in total.unchecked],
        "FLAKY (failed, and passed alone)": [
            line for name, said in total.flaky.items() for line in (name, *end_of(said, 5))
        ],
        "failed": [line for name, said in total.failed.items() for line in (name, *end_of(said))],
    }
    for title, lines in sections.items():
        if lines:
            print(f"\n{title}:")
        for line in lines:
            print(f"  {line}")
    print(f"{total.passed} passed, {len(total.failed)} failed, {len(total.skipped)} skipped")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--slow-hint", type=int, default=0, help="count the tests of label slow as skipped")
    parser.add_argument("--failed", type=pathlib.Path, help="only list the failed tests of this report")
    parser.add_argument("build", type=pathlib.Path, nargs="?")
    parser.add_argument("reports", type=pathlib.Path, nargs="?")
    arguments = parser.parse_args()
    if arguments.failed:
        print("\n".join(failed_in(arguments.failed)))
        return 0

    total = Sum()
    for report in sorted(arguments.reports.glob("*.xml")):
        if not report.stem.endswith("-again"):
            read_report(report, total)
    read_extra(arguments.reports / "extra.txt", total)
    if arguments.slow_hint:
        total.skipped += [
            (name, "takes many minutes: tools/check --slow") for name in slow_tests(arguments.build)
        ]
    show(total)
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
