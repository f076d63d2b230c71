#!/usr/bin/env python3
"""tools/mutants itself: what it refuses, and what it says of mutants that are caught and that survive."""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(sys.argv.pop(1)).resolve()

PROOF = '[proof.p]\nprogram = "p"\n'
MUTANT = """
[[mutant]]
name = "one"
file = "a.cpp"
breaks = "adds the wrong way"
find = "a + b"
replace = "a - b"
proof = "p"
"""


def load():
    loader = importlib.machinery.SourceFileLoader("mutants", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", loader))
    sys.modules["mutants"] = module
    loader.exec_module(module)
    return module


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "a.cpp").write_text("int add(int a, int b) { return a + b; }\n")

    def check(self, table):
        (self.root / "t.toml").write_text(table)
        command = [str(TOOL), "--check", "--folder", str(self.root), "--root", str(self.root)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_a_mutant_whose_text_occurs_once_applies(self):
        self.assertEqual(self.check(PROOF + MUTANT), (0, "1 of 1 mutants apply\n"))

    def test_a_text_that_is_gone_is_named(self):
        (self.root / "a.cpp").write_text("int add(int a, int b) { return b + a; }\n")
        status, said = self.check(PROOF + MUTANT)
        self.assertEqual(status, 1)
        self.assertIn("one: its text occurs 0 times in a.cpp", said)

    def test_a_text_that_occurs_twice_is_named(self):
        (self.root / "a.cpp").write_text("a + b; a + b;\n")
        status, said = self.check(PROOF + MUTANT)
        self.assertEqual(status, 1)
        self.assertIn("occurs 2 times", said)

    def test_a_file_that_is_gone_is_named(self):
        (self.root / "a.cpp").unlink()
        self.assertIn("there is no a.cpp", self.check(PROOF + MUTANT)[1])

    def refused(self, table, words):
        status, said = self.check(table)
        self.assertEqual(status, 1)
        self.assertIn(words, said)

    def test_a_table_that_cannot_be_used_is_refused(self):
        self.refused(MUTANT, "there is no proof 'p'")
        self.refused(PROOF + MUTANT + MUTANT, "named twice: one")
        self.refused(PROOF + MUTANT.replace("a - b", "a + b"), "it changes nothing")
        self.refused(PROOF + MUTANT.replace('breaks = "adds the wrong way"\n', ""), "missing: breaks")
        self.refused(PROOF + MUTANT + 'line = "7"\n', "unknown: line")
        self.refused(PROOF + MUTANT.replace("a.cpp", "a.hpp"), "a header needs `through`")


class ScriptedBuild:
    """Links a program that ends with the status of its script."""

    def __init__(self, script):
        self.script = script

    def compile(self, source, changed, scratch):
        return scratch / source

    def link(self, program, objects, out):
        out.write_text(f"#!/bin/sh\n{self.script}\n")
        out.chmod(0o755)


class Verdicts(unittest.TestCase):
    def attempt(self, script):
        mutants = load()
        mutants.PATIENCE = 1
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "a.cpp").write_text("a + b\n")
            (root / "t.toml").write_text(PROOF + MUTANT)
            mutants.ROOT = root
            (mutant,) = mutants.read_table(root)
            verdict = mutants.attempt_in_scratch(mutant, ScriptedBuild(script))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            mutants.print_table([verdict], verbose=True)
        return verdict.caught, printed.getvalue()

    def test_a_proof_that_fails_catches(self):
        caught, table = self.attempt("echo 'x.cpp:1: Failure'; exit 1")
        self.assertTrue(caught)
        self.assertIn("x.cpp:1: Failure", table)
        self.assertRegex(table, r"one +a\.cpp +adds the wrong way +p +\d")

    def test_a_proof_that_passes_lets_it_survive(self):
        caught, table = self.attempt("exit 0")
        self.assertFalse(caught)
        self.assertIn("SURVIVED", table)

    def test_a_proof_that_does_not_end_has_not_caught_it(self):
        caught, table = self.attempt("while :; do :; done")
        self.assertFalse(caught)
        self.assertIn("NOT CAUGHT in 1 s", table)


if __name__ == "__main__":
    unittest.main()
