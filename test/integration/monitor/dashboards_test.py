#!/usr/bin/env python3
"""The dashboards are what their generator writes, the linter is content, and it finds what is wrong.

    dashboards_test.py ROOT
"""

import copy
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop())
GRAFANA = ROOT / "monitor/grafana"
sys.path.insert(0, str(GRAFANA))
import lint_dashboards as lint  # noqa: E402


def committed():
    return {
        path.name: json.loads(path.read_text()) for path in (GRAFANA / "dashboards").glob("*.json")
    }


class Committed(unittest.TestCase):
    def test_what_is_committed_is_what_the_generator_writes(self):
        command = [sys.executable, "-B", str(GRAFANA / "make_dashboards.py"), "--check"]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_there_are_four_without_a_fault(self):
        self.assertEqual(
            sorted(committed()),
            [f"{n}.json" for n in ("accounts", "nodes", "overview", "scheduler")],
        )
        self.assertEqual(list(lint.faults_of(committed())), [])

    def test_every_metric_that_is_measured_over_time_is_on_some_dashboard(self):
        texts = json.dumps(committed())
        not_drawn = {
            "aliquot_epoch",
            "aliquot_config_last_reload_successful",
            "aliquot_state_violations",
            "aliquot_rpc_replies_dropped_total",
        }
        families = {
            name.removesuffix("_bucket") for name in lint.known_metrics() if "aliquot_" in name
        }
        families = {name for name in families if not name.endswith(("_sum", "_count"))}
        self.assertEqual({name for name in families if name not in texts}, not_drawn)

    def test_provisioning_names_what_the_dashboards_need(self):
        provider = (GRAFANA / "provisioning/dashboards/aliquot.yaml").read_text()
        source = (GRAFANA / "provisioning/datasources/aliquot.yaml").read_text()
        for text in (
            "apiVersion: 1",
            "type: file",
            "allowUiUpdates: false",
            "path: /usr/share/aliquot/dashboards",
        ):
            self.assertIn(text, provider)
        for text in (
            "apiVersion: 1",
            "type: prometheus",
            "uid: aliquot-prometheus",
            "timeInterval:",
        ):
            self.assertIn(text, source)


# What is planted in the overview, and what the linter must say of it.
PLANTED = [
    (lambda d: d.update(editable=True), "editable is True"),
    (lambda d: d.update(schemaVersion="39"), "schemaVersion is '39'"),
    (lambda d: d.update(uid="Overview"), "the uid is not aliquot-NAME"),
    (lambda d: d.update(refrsh="30s"), "unknown key refrsh"),
    (lambda d: d.pop("tags"), "missing key tags"),
    (lambda d: d["templating"]["list"].pop(0), "no variable for the data source"),
    (lambda d: d["templating"]["list"].pop(2), "no variable instance"),
    (
        lambda d: d["templating"]["list"][1]["query"].update(query="label_values(job)"),
        "no label_values(metric, label)",
    ),
    (lambda d: d["templating"]["list"][1].update(current={}), "current has no text and value"),
    (lambda d: d["panels"][0].update(title=""), "no title"),
    (lambda d: d["panels"][0].pop("description"), "no description"),
    (lambda d: d["panels"][0].update(type="piechart"), "type piechart cannot be drawn here"),
    (lambda d: d["panels"][0].update(datasource=None), "does not use the templated data source"),
    (lambda d: d["panels"][0]["fieldConfig"]["defaults"].pop("unit"), "no unit"),
    (lambda d: d["panels"][0].update(targets=[]), "asks for nothing"),
    (lambda d: d["panels"][1].update(gridPos=d["panels"][0]["gridPos"]), "over Running jobs"),
    (lambda d: d["panels"][1].update(id=1), "two panels of one id"),
    (lambda d: ask(d, "sum(aliquot_jobs)"), 'is not matched by job=~"$job"'),
    (
        lambda d: ask(d, 'sum(aliquot_jobz{job=~"$job",instance=~"$instance"})'),
        "no metric aliquot_jobz",
    ),
    (
        lambda d: ask(d, 'aliquot_jobs{job=~"$job",instance=~"$instance",node="n"}'),
        "has no label node",
    ),
    (
        lambda d: ask(
            d, 'rate(aliquot_jobs_submitted_total{job=~"$job",instance=~"$instance"}[1m])'
        ),
        "neither $__rate_interval nor",
    ),
]


def ask(dashboard, expression):
    dashboard["panels"][0]["targets"][0]["expr"] = expression


class Linter(unittest.TestCase):
    def test_finds_what_is_planted(self):
        for plant, fault in PLANTED:
            dashboard = copy.deepcopy(committed()["overview.json"])
            plant(dashboard)
            found = list(lint.dashboard_faults(dashboard, lint.known_metrics()))
            self.assertTrue(any(fault in line for line in found), f"{fault!r} not among {found}")

    def test_finds_one_uid_twice(self):
        overview = committed()["overview.json"]
        found = list(lint.faults_of({"a.json": overview, "b.json": overview}))
        self.assertIn("a.json: another dashboard has the uid aliquot-overview", found)

    @unittest.skipUnless(
        shutil.which("promtool"), "promtool is not installed (Debian package prometheus)"
    )
    def test_finds_an_expression_that_is_none(self):
        self.assertEqual(list(lint.syntax_faults(["sum(rate(up[$__rate_interval]))"])), [])
        self.assertNotEqual(list(lint.syntax_faults(["sum by (state (up)"])), [])


if __name__ == "__main__":
    unittest.main()
