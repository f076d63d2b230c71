#!/usr/bin/env python3
"""The alerts: promtool finds the rules good, each fires and stays silent in a test, each has its runbook.

    alerts_test.py ROOT
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop())
RULES = ROOT / "monitor/prometheus/aliquot.rules.yml"
CASES = ROOT / "monitor/prometheus/aliquot.rules.test.yml"
RUNBOOKS = ROOT / "docs/runbooks"
sys.path.insert(0, str(ROOT / "monitor/grafana"))
import lint_dashboards as lint  # noqa: E402


def alerts():
    return re.findall(r"- alert: (\w+)", RULES.read_text())


def cases_of(alert):
    """(fires, silent): how often each is expected."""
    cases = re.split(r"\n      - ", CASES.read_text())
    ours = [case for case in cases if re.search(rf"alertname: {alert}\b", case)]
    silent = [case for case in ours if "exp_alerts: []" in case]
    return len(ours) - len(silent), len(silent)


def promtool(*arguments):
    return subprocess.run(
        ["promtool", *arguments], capture_output=True, text=True, cwd=RULES.parent
    )


class Alerts(unittest.TestCase):
    def test_each_is_seen_to_fire_and_to_stay_silent(self):
        self.assertGreaterEqual(len(alerts()), 12)
        for alert in alerts():
            fires, silent = cases_of(alert)
            self.assertTrue(
                fires and silent, f"{alert} fires in {fires} cases and is silent in {silent}"
            )

    def test_each_has_a_page_that_says_what_to_do(self):
        for alert in alerts():
            text = (RUNBOOKS / f"{alert}.md").read_text()
            for heading in ("## What it means", "## How to look", "## What to do"):
                self.assertIn(heading, text, alert)
            self.assertIn(f"({alert}.md)", (RUNBOOKS / "README.md").read_text())
            self.assertIn(f"runbook: docs/runbooks/{alert}.md", RULES.read_text())

    def test_every_page_has_its_alert(self):
        pages = {path.stem for path in RUNBOOKS.glob("*.md")} - {"README"}
        self.assertEqual(pages, set(alerts()))

    def test_they_ask_for_metrics_and_labels_that_there_are(self):
        text = re.sub(r"#.*", "", RULES.read_text())
        expressions = re.findall(
            r"expr: (?:\|\n)?((?:.|\n)*?)\n +(?:for|labels|- record|- alert|- name):", text
        )
        self.assertGreaterEqual(len(expressions), len(alerts()))
        recorded = re.findall(r"- record: (\S+)", text)
        for expression in expressions:
            for name in recorded:
                expression = expression.replace(name, "aliquot_epoch")
            faults = list(lint.expression_faults(expression, lint.known_metrics(), templated=False))
            self.assertEqual(faults, [], expression)


@unittest.skipUnless(
    shutil.which("promtool"), "promtool is not installed (Debian package prometheus)"
)
class Promtool(unittest.TestCase):
    def test_finds_the_rules_good(self):
        done = promtool("check", "rules", RULES.name)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_sees_each_case_come_out_as_written(self):
        done = promtool("test", "rules", CASES.name)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_sees_a_threshold_that_was_moved(self):
        with tempfile.TemporaryDirectory() as folder:
            moved = re.sub(r"(longest_wait_seconds\) > )4 \*", r"\g<1>40 *", RULES.read_text())
            self.assertNotEqual(moved, RULES.read_text())
            (pathlib.Path(folder) / RULES.name).write_text(moved)
            shutil.copy(CASES, folder)
            done = promtool("test", "rules", str(pathlib.Path(folder) / CASES.name))
        self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
