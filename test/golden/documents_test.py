#!/usr/bin/env python3
"""What aliquot-sim prints in README.md and docs/ is what it prints today.

A comment above a block or a picture names the command that made it:

    <!-- aliquot-sim prints: aliquot-sim run --workload small.csv ... -->

The command is run by bash in a folder with small.csv (tools/sim/examples) and trace.csv (the README's).
A block must hold what it prints; a picture must equal the file of its name that it writes. With --update,
blocks and pictures are rewritten instead. Commands that a block tells a reader to type are run too.

What takes too long, or needs what is not here, stands in NOT_REPEATED with its command and the reason. A
document with figures that are neither repeated nor named there fails the test."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MARK = re.compile(r"<!-- aliquot-sim prints: (.*) -->$")
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]+\.svg)\)")
TYPED = re.compile(r"^    (aliquot-sim .*?)(?:\s+#.*)?$")
TRACE = "aliquot-sim generate dfrs --seed 1 --load 0.7 > trace.csv"

# Figures of a document that the test leaves out: (what, the command that repeats it, why it is left out).
NOT_REPEATED = {
    "README.md": [
        ("the end of tools/up", "tools/up", "starts virtual machines"),
        ("docs/sharing.svg", "drawn by hand", "is no output of a program"),
    ],
    "docs/evaluation.md": [
        (
            "tables and pictures of the synthetic traces",
            "aliquot-sim evaluate dfrs2010 --traces 100 --penalty 0,300 --out evaluation",
            "takes half an hour",
        ),
        (
            "tables of the HPC2N log",
            "aliquot-sim evaluate hpc2n --workload HPC2N-2002-2.2-cln.swf.gz --out hpc2n",
            "the log is not part of this repository",
        ),
    ],
    "docs/placement.md": [
        ("Tables 6 and 7, esp.svg", "aliquot-sim evaluate esp --out esp", "takes minutes"),
        ("the second paper, gpu-mix.svg", "aliquot-sim evaluate gpu-mix --out gpu-mix", "takes minutes"),
        (
            "GPUs of a real cluster",
            "aliquot-sim evaluate openb --nodes openb_node_list_all_node.csv --tasks "
            "openb_pod_list_default.csv --out openb",
            "the trace is not part of this repository",
        ),
        ("gaps and times", "placement_bench", "measures times"),
    ],
    "docs/policy.md": [
        ("tables of stretches, beyond.svg", "aliquot-sim evaluate beyond --out beyond", "takes hours"),
        ("tables of real nodes", "tools/validity and tools/up", "start virtual machines"),
    ],
    "docs/moldable.md": [
        (
            "the table of 50 synthetic traces",
            "aliquot-sim evaluate moldable --traces 10 --seed 2001",
            "takes minutes",
        ),
        (
            "the table of the weeks",
            "aliquot-sim evaluate moldable --traces 1 --seed 2001 --loads 0.5 --workload "
            "HPC2N-2002-2.2-cln.swf.gz --weeks 60",
            "the log is not part of this repository",
        ),
    ],
    "docs/predictions.md": [
        (
            "the tables of HPC2N, what was tried",
            "aliquot-sim evaluate predictions --workload HPC2N-2002-2.2-cln.swf.gz --nodes 240",
            "the log is not part of this repository",
        )
    ],
    "docs/needs.md": [
        (
            "the figures of other loads, and of errors that are always upwards",
            "aliquot-sim evaluate needs [--errors above]",
            "takes minutes",
        )
    ],
    "docs/fairness.md": [
        ("the figures of ten traces and two loads", "aliquot-sim evaluate fairness", "takes minutes"),
        ("what was tried", "the laws that were tried are no part of the program", "is not kept"),
    ],
    "docs/validity.md": [
        ("figures seen", "aliquot-sim evaluate validity --out DIR", "starts virtual machines"),
    ],
    "docs/power.md": [
        (
            "the table of HPC2N, the larger reserve",
            "aliquot-sim evaluate power --log HPC2N-2002-2.2-cln.swf.gz --log-weeks 0",
            "the log is not part of this repository",
        )
    ],
    "docs/high-availability.md": [
        (
            "how long takeovers took",
            "takeover_test.py --kills 20 --ttl 3 --at-most 4",
            "starts virtual machines",
        )
    ],
    "docs/performance.md": [("measured times", "tools/bench/budgets", "measures times")],
    "docs/explaining.md": [("transcripts of aliquot", "aliquot why, show, accounts", "needs a manager")],
    "docs/slurm.md": [("its script", "aliquot submit", "live_words_test.py runs it on real nodes")],
}

# Commands that a reader types and the test does not run: how they begin, and why.
NOT_RUN = {
    "aliquot-sim evaluate": "a campaign takes minutes or hours",
    "aliquot-sim sweep": "a campaign takes minutes or hours",
}


def documents(source):
    return [source / "README.md", *sorted((source / "docs").glob("*.md"))]


def end_of_block(lines, first):
    """One past the last line of the fenced or indented block that begins at `first`."""
    if lines[first].startswith("```"):
        return lines.index("```", first + 1) + 1
    last = first
    while last < len(lines) and (lines[last].startswith("    ") or not lines[last]):
        last += 1
    while not lines[last - 1]:
        last -= 1
    return last


def block_after(lines, mark):
    """First line, one past the last, and how they are indented; a picture is a block of one line."""
    first = mark + 1
    while not lines[first]:
        first += 1
    if PICTURE.match(lines[first]):
        return first, first + 1, None
    if lines[first].startswith("```"):
        return first + 1, end_of_block(lines, first) - 1, ""
    return first, end_of_block(lines, first), "    "


def is_figure(cell):
    return bool(re.match(r"[*~+-]*\d", cell.strip()))


def has_other_figures(lines):
    """A picture, a transcript, or a table mostly of numbers that no command above it repeats."""
    inside = False
    marked = -1
    for number, line in enumerate(lines):
        if MARK.match(line):
            marked = block_after(lines, number)[1]
        if line.startswith("```"):
            inside = not inside
        if number < marked:
            continue
        transcript = "$ aliquot-sim" if inside else "    $ "
        if PICTURE.search(line) or line.startswith(transcript):
            return True
        if line.startswith("|") and not inside:
            cells = line.strip("|").split("|")[1:]
            if len(cells) > 2 and sum(map(is_figure, cells)) * 2 > len(cells):
                return True
    return False


class Shell:
    def __init__(self, program, source, folder):
        self.folder = folder
        path = f"{pathlib.Path(program).resolve().parent}:{os.environ['PATH']}"
        self.environment = dict(os.environ, PATH=path, LC_ALL="C")
        shutil.copy(source / "tools/sim/examples/small.csv", folder / "small.csv")
        shutil.copy(source / "tools/sim/examples/small.csv", folder / "jobs.csv")
        (folder / "tools").symlink_to(source / "tools")

    def run(self, command):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=200,
        )
        if done.returncode != 0:
            raise SystemExit(f"$ {command}\n{done.stderr.decode()}exit status {done.returncode}")
        return done.stdout.decode()


def repeat_marked(document, lines, shell, update):
    """The number of blocks and pictures, and what is wrong; with `update` the lines are mended in place."""
    wrong = []
    count = 0
    for mark, command in [(n, m[1]) for n, line in enumerate(lines) if (m := MARK.match(line))][::-1]:
        count += 1
        first, last, indent = block_after(lines, mark)
        printed = shell.run(command)
        if indent is None:
            target = document.parent / PICTURE.match(lines[first])[1]
            drawn = (shell.folder / target.name).read_bytes()
            if drawn == target.read_bytes():
                continue
            if update:
                target.write_bytes(drawn)
            wrong.append(f"{target.name} is not what this draws:\n$ {command}")
            continue
        wanted = [indent + line if line else line for line in printed.rstrip("\n").split("\n")]
        if lines[first:last] == wanted:
            continue
        got = "\n".join(wanted)
        wrong.append(f"{document.name}:{first + 1} is not what this prints:\n$ {command}\n{got}")
        lines[first:last] = wanted
    return count, wrong


def typed_commands(lines):
    """Commands that a reader types, one line each; patterns with [] or ... are left out."""
    text = "\n".join(lines).replace(" \\\n        ", " ")
    for line in text.split("\n"):
        found = TYPED.match(line)
        if found and not re.search(r"\[-|\.\.\.", found[1]):
            yield found[1]


def main(program, source, *options):
    source = pathlib.Path(source).resolve()
    update = "--update" in options
    wrong = []
    count = ran = 0
    with tempfile.TemporaryDirectory() as folder:
        shell = Shell(program, source, pathlib.Path(folder))
        shell.run(TRACE)
        for document in documents(source):
            name = str(document.relative_to(source))
            lines = document.read_text().split("\n")
            before = list(lines)
            repeated, stale = repeat_marked(document, lines, shell, update)
            count += repeated
            wrong += stale
            if update and lines != before:
                document.write_text("\n".join(lines))
            for command in typed_commands(lines):
                if command.startswith(tuple(NOT_RUN)):
                    continue
                shell.run(command)
                ran += 1
            if has_other_figures(lines) and name not in NOT_REPEATED:
                wrong.append(f"{name} has figures that no command repeats: mark them, or name them here")
    for name, left_out in NOT_REPEATED.items():
        for what, command, why in left_out:
            print(f"not repeated: {name}: {what} ({command}): {why}")
    for command, why in NOT_RUN.items():
        print(f"not run: {command}: {why}")
    print("\n".join(wrong))
    print(f"{count} outputs repeated, {ran} typed commands ran, {len(wrong)} stale")
    sys.exit(bool(wrong) and not update)


main(*sys.argv[1:])
