#!/usr/bin/env python3
"""completion_test.py ALIQUOT: what bash, zsh and fish offer after the beginnings of command lines, with the
scripts that `aliquot completion` prints. The shells are the real ones; zsh's compadd, which is there only
while a person types, stands in as a function that prints. The manager's answers come from a stand-in."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ALIQUOT = pathlib.Path(sys.argv[1]).resolve()

# What stands on the line, and what is offered for its last word: some of these, and none of those.
CASES = [
    (["sub"], ["submit"], ["list", "node"]),
    ([""], ["submit", "list", "node", "completion"], ["drain", "--all"]),
    (["node", ""], ["list", "drain", "confirm-down"], ["submit"]),
    (["list", "--user", "me", "--st"], ["--state"], ["--since", "--user"]),
    (["show", ""], ["7", "12"], ["n1"]),
    (["show", "1"], ["12"], ["7"]),
    (["node", "drain", "n"], ["n1", "n2"], ["7"]),
    (["node", "drain", "--d"], ["--deadline", "--dry-run"], ["n1"]),
    (["--json", "accounts", ""], ["lab"], ["7", "n1"]),
    (["image", "show", ""], ["debian"], ["7"]),
]

STAND_IN = """#!/bin/sh
case "$*" in
  "--timeout 1 -o name list") printf '7\\n12\\n' ;;
  "--timeout 1 -o name node list") printf 'n1\\nn2\\n' ;;
  "--timeout 1 -o name accounts") echo lab ;;
  "--timeout 1 -o name image list") echo debian ;;
  *) echo "unexpected: $*"; exit 1 ;;
esac
"""

BASH = """source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _aliquot
printf '%s\\n' "${COMPREPLY[@]}" """
ZSH = """compdef() { :; }
compadd() { shift; print -l -- ${(M)@:#$words[CURRENT]*} }
_files() { :; }
source "$1"; shift; words=("$@"); CURRENT=$#; _aliquot"""
FISH = 'source $argv[1]; complete -C (string join " " -- $argv[2..-1])'


def offered(shell, script, line):
    command = {"bash": ["bash", "--norc", "-c", BASH, "bash"], "zsh": ["zsh", "-f", "-c", ZSH, "zsh"]}
    command["fish"] = ["fish", "--no-config", "-c", FISH]
    done = subprocess.run(
        [*command[shell], str(script), "aliquot", *line], capture_output=True, text=True, timeout=120
    )
    if done.returncode != 0 or done.stderr:
        sys.exit(f"completion_test: {shell}, {line}: ended with {done.returncode}: {done.stderr}")
    return {word.split("\t")[0] for word in done.stdout.split("\n") if word}


def main():
    asked = 0
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "aliquot").write_text(STAND_IN)
        (pathlib.Path(folder) / "aliquot").chmod(0o755)
        os.environ.update(PATH=f"{folder}:{os.environ['PATH']}", HOME=folder, XDG_CONFIG_HOME=folder)
        for shell in ["bash", "zsh", "fish"]:
            script = pathlib.Path(folder) / shell
            made = subprocess.run([ALIQUOT, "completion", shell], stdout=subprocess.PIPE, check=True)
            script.write_bytes(made.stdout)
            if not shutil.which(shell):
                print(f"{shell} is not installed: tools/deps check")
                continue
            for line, some, none in CASES:
                words = offered(shell, script, line)
                if missing := [word for word in some if word not in words]:
                    sys.exit(f"completion_test: {shell} does not offer {missing} after {line}")
                if wrong := [word for word in none if word in words]:
                    sys.exit(f"completion_test: {shell} offers {wrong} after {line}")
                asked += 1
    print(f"{asked} beginnings of command lines are completed")


if __name__ == "__main__":
    main()
