#!/usr/bin/env python3
"""The parts of tools/check and tools/deps do what they document: commands_test.py [ROOT]."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()

GTEST = """[ RUN      ] A.one
[       OK ] A.one (0 ms)
[ RUN      ] A.two
a_test.cpp:3: Skipped
needs root

[  SKIPPED ] A.two (0 ms)
[==========] 2 tests from 1 test suite ran. (0 ms total)
[  PASSED  ] 1 test.
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] A.two
"""
GTEST_FAILED = """[ RUN      ] B.bad
[  FAILED  ] B.bad (0 ms)
[  PASSED  ] 3 tests.
[  FAILED  ] 1 test, listed below:
[  FAILED  ] B.bad
"""


def case(name, status, output, extra=""):
    return f'<testcase name="{name}" status="{status}">{extra}<system-out>{output}</system-out></testcase>'


def shell(script, **options):
    prelude = "set -euo pipefail; for f in messages progress cleanup; do source tools/lib/$f.sh; done\n"
    return subprocess.Popen(
        ["bash", "-c", prelude + script],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Summary(unittest.TestCase):
    def summary(self, cases, extra="", again=()):
        with tempfile.TemporaryDirectory() as folder:
            reports = pathlib.Path(folder)
            if again:
                (reports / "a-again.xml").write_text(f"<testsuite>{''.join(again)}</testsuite>")
            (reports / "a.xml").write_text(f"<testsuite>{''.join(cases)}</testsuite>")
            (reports / "extra.txt").write_text(extra)
            command = [sys.executable, str(ROOT / "tools/lib/summary.py"), folder, folder]
            done = subprocess.run(command, text=True, capture_output=True, check=False)
            return done.returncode, done.stdout

    def test_counts_single_cases_and_tells_why_one_was_skipped(self):
        code, text = self.summary([case("unit", "run", GTEST), case("plain", "run", "fine")])
        self.assertEqual(code, 0)
        self.assertIn("unit A.two: needs root", text)
        self.assertEqual(text.splitlines()[-1], "2 passed, 0 failed, 1 skipped")

    def test_fails_with_the_name_of_each_failed_case(self):
        code, text = self.summary(
            [case("unit", "fail", GTEST_FAILED), case("crash", "fail", "Segmentation fault")]
        )
        self.assertEqual(code, 1)
        told = r"\nfailed:\n  unit B.bad\n(    \| .*\n)+  crash\n    \| Segmentation fault\n"
        self.assertRegex(text, told)
        self.assertEqual(text.splitlines()[-1], "3 passed, 2 failed, 0 skipped")

    def test_a_failed_case_is_printed_with_its_own_words_only(self):
        others = "".join(f"[ RUN      ] C.c{n}\n[       OK ] C.c{n} (1 ms)\n" for n in range(500))
        own = "x.cpp:7: Failure\nthe cause\n"
        output = f"{others}[ RUN      ] B.bad\n{own}[  FAILED  ] B.bad (1 ms)\n{others}" + GTEST_FAILED
        _, text = self.summary([case("unit", "fail", output)])
        self.assertIn(f"FAILED unit B.bad\n{own}", text)
        self.assertNotIn("C.c1", text)

    def test_a_failed_script_is_headed_by_its_last_word(self):
        log = "".join(f"line {n} of a long log\n" for n in range(500))
        _, text = self.summary([case("live", "fail", f"{log}AssertionError: not within 9 s: a save\n")])
        self.assertIn("FAILED live\nAssertionError: not within 9 s: a save\n\n", text)

    def test_the_end_of_what_it_said_stands_near_the_last_line(self):
        _, text = self.summary([case("live", "fail", "".join(f"line {n}\n" for n in range(500)))])
        self.assertTrue(text.partition("\nfailed:\n  live\n")[2].startswith("    | line 488\n"), text)
        self.assertNotIn("line 487", text.partition("\nfailed:\n")[2])

    def test_what_is_left_out_for_one_reason_is_one_line(self):
        _, text = self.summary([], "skipped a: no time\nskipped b: no space\nskipped c: no time\n")
        self.assertIn("\nskipped:\n  a, c: no time\n  b: no space\n", text)

    def test_tells_a_skipped_test_from_one_that_could_not_run(self):
        skipped = '<skipped message="SKIP_RETURN_CODE=77"/>'
        missing = '<skipped message="Unable to find executable: x"/>'
        code, text = self.summary(
            [case("a", "notrun", "hello\nno /dev/kvm\n", skipped), case("b", "notrun", "", missing)]
        )
        self.assertEqual(code, 1)
        self.assertIn("  a: no /dev/kvm\n", text)
        self.assertEqual(text.splitlines()[-1], "0 passed, 1 failed, 1 skipped")

    def test_counts_unittest_and_other_steps(self):
        output = "test_x (m.C.test_x) ... skipped 'no network'\nRan 5 tests in 0.1s\n\nOK (skipped=1)\n"
        extra = "passed clang-tidy: 3 files\nfailed processes: 7 sleep\nskipped other: no time\n"
        code, text = self.summary([case("py", "run", output)], extra)
        self.assertEqual(code, 1)
        self.assertIn("py test_x: no network", text)
        self.assertEqual(text.splitlines()[-1], "5 passed, 1 failed, 2 skipped")

    def test_a_case_that_ctest_knows_by_name_is_named_once(self):
        code, text = self.summary([case("unit.B.bad", "fail", GTEST_FAILED)])
        self.assertEqual(code, 1)
        self.assertIn("\nfailed:\n  unit.B.bad\n", text)

    def test_a_test_that_passes_when_repeated_counts_and_is_named_flaky(self):
        failed = [case("live", "fail", "too slow\n"), case("other", "fail", "wrong\n")]
        again = [case("live", "run", "fine"), case("other", "fail", "wrong\n")]
        code, text = self.summary(failed, again=again)
        self.assertEqual(code, 1)
        self.assertIn("FLAKY (failed, and passed alone):\n  live\n    | too slow\n", text)
        self.assertEqual(text.splitlines()[-1], "1 passed, 1 failed, 0 skipped")

    def test_names_the_sources_that_were_not_analysed(self):
        code, text = self.summary([], "passed clang-tidy: 1 of 2 files\nunchecked clang-tidy: a.cpp\n")
        self.assertEqual(code, 0)
        self.assertIn("no time for:\n  clang-tidy: a.cpp\n", text)
        self.assertEqual(text.splitlines()[-1], "1 passed, 0 failed, 0 skipped")

    def test_no_test_at_all_is_a_failure(self):
        self.assertEqual(self.summary([])[0], 1)


class Cleanup(unittest.TestCase):
    def interrupted(self, number):
        process = shell("cleanup_begin; on_exit echo cleaned\nrun bash -c 'echo $$; sleep 300 & wait'\n")
        leader = int(process.stdout.readline())
        process.send_signal(number)
        output, _ = process.communicate(timeout=120)
        return process.returncode, output, leader

    def test_an_interrupt_ends_what_was_started_and_cleans_up(self):
        for number, status in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
            code, output, leader = self.interrupted(number)
            self.assertEqual(code, status)
            self.assertEqual(output, "cleaned\n")
            with self.assertRaises(ProcessLookupError):
                os.killpg(leader, 0)

    def test_passes_on_the_exit_status_and_cleans_up_last_in_first_out(self):
        script = "cleanup_begin; on_exit echo 1; on_exit echo 2\nrun false || exit $(($? + 6))"
        process = shell(script)
        output, _ = process.communicate(timeout=120)
        self.assertEqual((process.returncode, output), (7, "2\n1\n"))

    def test_finds_and_ends_a_process_left_behind(self):
        process = shell("mark_children; run bash -c 'setsid sleep 300 >&- 2>&- & echo $!'; end_marked")
        output, _ = process.communicate(timeout=120)
        first, rest = output.split("\n", 1)
        self.assertIn("sleep 300", rest)
        for _ in range(20):
            if not alive(int(first)):
                break
            time.sleep(0.1)
        self.assertFalse(alive(int(first)))


class Progress(unittest.TestCase):
    def test_a_pipe_gets_a_line_every_tenth_and_every_remark(self):
        lines = "".join(f"[{n}/200] thing {n}\n" for n in range(1, 201)) + "x.cpp:1: error: no\n"
        process = shell("show_progress built", stdin=subprocess.PIPE)
        _, errors = process.communicate(lines, timeout=120)
        self.assertEqual(len(errors.splitlines()), 12)
        self.assertIn("built 200/200", errors)
        self.assertIn("x.cpp:1: error: no", errors)


class Dependencies(unittest.TestCase):
    def deps(self, *arguments, path=None):
        environment = dict(os.environ, PATH=path or os.environ["PATH"])
        return subprocess.run(
            [str(ROOT / "tools/deps"), *arguments],
            text=True,
            capture_output=True,
            env=environment,
            check=False,
        )

    def test_lists_each_package_of_a_group_once(self):
        listed = self.deps("--list", "simulator", "manager", "simulator").stdout.split()
        self.assertIn("cmake", listed)
        self.assertIn("libvirt-dev", listed)
        self.assertEqual(len(listed), len(set(listed)))
        self.assertNotIn("libvirt-dev", self.deps("--list", "simulator").stdout)

    def test_says_what_it_would_install_and_installs_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in [("dpkg-query", "exit 1"), ("apt-get", "echo called; exit 1")]:
                tool = pathlib.Path(folder) / name
                tool.write_text(f"#!/bin/sh\n{text}\n")
                tool.chmod(0o755)
            done = self.deps("--dry-run", "simulator", path=f"{folder}:{os.environ['PATH']}")
            self.assertEqual(done.returncode, 0)
            self.assertIn("would install: ", done.stdout)
            self.assertIn("cmake", done.stdout)
            self.assertNotIn("called", done.stdout + done.stderr)

    def test_an_unknown_group_is_an_error_that_names_the_known(self):
        done = self.deps("--list", "everything")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no package group 'everything'; there are: simulator", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
