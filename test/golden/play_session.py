#!/usr/bin/env python3
"""Plays a session: commands and what they must print, in one file.

  # a remark
  $ aliquot-sim policies | head -1      run by bash in an empty folder, the programs on its PATH
  > FCFS                                the lines it must print, standard output and error together
  ! 2                                   its exit status, where that is not 0

A line of `> ...` alone stands for any number of lines. $SOURCE is the root of the source tree."""

import os
import pathlib
import subprocess
import sys
import tempfile

ANY_LINES = "..."


def read_session(path):
    steps = []
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        kind, rest = line[:1], line[2:]
        if kind in ("", "#"):
            continue
        if kind == "$":
            steps.append({"line": number, "command": rest, "printed": [], "status": 0})
        elif kind == ">" and steps:
            steps[-1]["printed"].append(rest)
        elif kind == "!" and steps:
            steps[-1]["status"] = int(rest)
        else:
            sys.exit(f"{path}:{number}: neither $, >, ! nor #")
    return steps


def matches(wanted, printed):
    if not wanted:
        return not printed
    if wanted[0] == ANY_LINES:
        return any(matches(wanted[1:], printed[skip:]) for skip in range(len(printed) + 1))
    return bool(printed) and wanted[0] == printed[0] and matches(wanted[1:], printed[1:])


def play(step, folder, environment):
    done = subprocess.run(
        ["bash", "-c", step["command"]],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
    )
    printed = done.stdout.decode("utf-8", "backslashreplace").splitlines()
    if done.returncode == step["status"] and matches(step["printed"], printed):
        return True
    print(f"line {step['line']}: $ {step['command']}")
    print("\n".join(f"  wanted > {line}" for line in step["printed"]) + f"\n  wanted ! {step['status']}")
    print("\n".join(f"  got    > {line}" for line in printed) + f"\n  got    ! {done.returncode}")
    return False


def main(session, programs, source):
    steps = read_session(session)
    if not steps:
        sys.exit(f"{session}: no commands")
    path = f"{os.path.abspath(programs)}:{os.environ['PATH']}"
    environment = dict(os.environ, PATH=path, SOURCE=source, LC_ALL="C")
    with tempfile.TemporaryDirectory() as folder:
        wrong = [step for step in steps if not play(step, folder, environment)]
    print(f"{len(steps) - len(wrong)} passed, {len(wrong)} failed")
    sys.exit(bool(wrong))


main(*sys.argv[1:])
