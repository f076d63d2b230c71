#!/usr/bin/env python3
"""The shares of live tests that checks draw: draw_test.py ROOT."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
sys.path.insert(0, str(ROOT / "tools/lib"))

from draw import dealt  # noqa: E402


class Shares(unittest.TestCase):
    costs = {"a": 200, "b": 120, "c": 110, "d": 90, "e": 90, "f": 60, "g": 50}

    def test_every_test_is_in_one_share(self):
        share_of = dealt(self.costs, 3)
        self.assertEqual(set(share_of), set(self.costs))
        self.assertEqual(set(share_of.values()), {0, 1, 2})

    def test_shares_take_about_as_long(self):
        share_of = dealt(self.costs, 3)
        loads = [0, 0, 0]
        for name, cost in self.costs.items():
            loads[share_of[name]] += cost
        self.assertLessEqual(max(loads) - min(loads), min(self.costs.values()))

    def test_the_order_in_which_tests_are_listed_changes_nothing(self):
        self.assertEqual(dealt(self.costs, 3), dealt(dict(reversed(self.costs.items())), 3))


if __name__ == "__main__":
    unittest.main()
