#!/usr/bin/env python3
"""The jobs that are drawn for the real nodes: live_workload_test.py BIN ROOT. What is wanted of ALIQUOT
there, lower largest stretches by fewer actions, the simulator has to expect of it."""

import pathlib
import subprocess
import sys
import unittest

BINARIES, ROOT = pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
sys.path[:0] = [str(ROOT / "tools/bench"), str(ROOT / "tools/demo")]

from batch_comparison import NODE_MIB, OVERHEAD_MIB  # noqa: E402
from guest_speed import GuestSpeed  # noqa: E402
from live_workload import LONGEST_S, SHORTEST_S, drawn, simulated  # noqa: E402

SPAN_S = 240


class Drawn(unittest.TestCase):
    def test_fit_the_nodes_and_the_time(self):
        for seed in range(1, 9):
            jobs = drawn(BINARIES, seed, 24, SPAN_S)
            self.assertEqual(len(jobs), 24)
            self.assertEqual((jobs[0].at, round(jobs[-1].at, 6)), (0, SPAN_S))
            for job in jobs:
                self.assertTrue(SHORTEST_S <= job.seconds <= LONGEST_S, job)
                self.assertTrue(0 < job.mib <= NODE_MIB - OVERHEAD_MIB, job)
                self.assertTrue(1 <= job.tasks <= 2 and 0 < job.cpus <= 1, job)

    def test_the_same_seed_is_the_same_work(self):
        self.assertEqual(drawn(BINARIES, 4, 24, SPAN_S), drawn(BINARIES, 4, 24, SPAN_S))
        self.assertNotEqual(drawn(BINARIES, 4, 24, SPAN_S), drawn(BINARIES, 5, 24, SPAN_S))

    def test_as_much_work_as_takes_their_time_at_what_they_ask_for(self):
        quarter = next(job for job in drawn(BINARIES, 4, 24, SPAN_S) if job.cpus == 0.25)
        words = quarter.live(GuestSpeed(amount=100, seconds=2, exponent=1)).words
        links = int(words[words.index("--hash-chain") + 1].split(":")[0])
        self.assertAlmostEqual(links, 50 * quarter.seconds / 4, delta=1)


class Expected(unittest.TestCase):
    def test_aliquot_comes_to_lower_stretches_by_fewer_actions(self):
        totals = {}
        for policy in ("ALIQUOT", "GREEDY-PMTN", "DYNMCB8-ASAP-PER-60"):
            product, actions = 1.0, 0
            for seed in range(1, 17):
                largest, _, saves, moves = simulated(BINARIES, drawn(BINARIES, seed, 24, SPAN_S), policy)
                product *= largest
                actions += saves + moves
            totals[policy] = (product, actions)
        stretch, actions = totals.pop("ALIQUOT")
        for policy, (other_stretch, other_actions) in totals.items():
            self.assertLess(stretch, other_stretch, policy)
            self.assertLess(actions, other_actions, policy)


class Command(unittest.TestCase):
    def test_expecting_without_a_seed_is_an_error_that_says_so(self):
        done = subprocess.run(
            [sys.executable, ROOT / "tools/bench/live_policies.py", "--bin", BINARIES, "--expect", "2"],
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("--expect needs --seed", done.stderr)


unittest.main()
