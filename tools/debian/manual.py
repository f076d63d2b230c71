#!/usr/bin/env python3
"""manual.py BIN OUT VERSION: the man pages, made from what the programs in BIN say with --help, verb by
verb, and from the example configuration, which is made from the table of settings. So no page is older
than its program. Writes OUT/NAME.SECTION."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEE_ALSO = "aliquot(1), aliquot-sim(1), aliquot.yaml(5), aliquotd(8), aliquot-db(8), aliquot-node(8)"
PAGES = [
    ("aliquot", 1, "submit, watch and explain jobs in virtual machines that share nodes"),
    ("aliquot-sim", 1, "simulate scheduling policies on a trace of jobs"),
    ("aliquotd", 8, "manager of jobs in virtual machines that share nodes in exact fractions"),
    ("aliquot-db", 8, "look after a manager's store"),
    ("aliquot-node", 8, "agent of a node, which runs virtual machines for a manager elsewhere"),
    ("aliquot-share", 8, "relay of one virtual machine to NFS servers"),
]


def escaped(text):
    """As roff reads it literally; a line that begins with a control character is protected."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def help_of(command):
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=60)
    if done.stderr and not done.stdout:
        return done.stderr  # a program without options: its usage
    if done.returncode != 0:
        sys.exit(f"manual.py: {' '.join(map(str, command))} --help ended with {done.returncode}")
    return done.stdout


def entries(lines):
    """The head and the text of each entry of a list of options or subcommands."""
    found = []
    for line in lines:
        if head := re.match(r"  (\S.*?)(?:  +(\S.*))?$", line):
            found.append([head.group(1), head.group(2) or ""])
        elif line.strip() and found:
            found[-1][1] = (found[-1][1] + " " + line.strip()).strip()
    return found


def parts_of(text):
    """What a help text says before its lists, and its lists by their titles."""
    before, lists, current = [], {}, None
    for line in text.splitlines():
        if re.match(r"[A-Z][\w ]*:$", line):
            current = lists.setdefault(line[:-1], [])
        elif current is not None and line and not line.startswith(" "):
            current = None
            before.append(line)
        elif current is not None:
            current.append(line)
        else:
            before.append(line)
    return before, {title: entries(lines) for title, lines in lists.items()}


def described(program, verbs, out):
    """Appends what the help of a verb says, and then each of its own verbs."""
    name = " ".join([program.name, *verbs])
    before, lists = parts_of(help_of([program, *verbs]))
    out.append(f'.SH "{escaped(name.upper() if not verbs else name)}"')
    apart = True  # whether the next line begins a paragraph
    for line in before:
        if usage := re.match(r"[Uu]sage: (?:\S*/)?(.*)", line):
            own = r"^aliquot db|^[\w-]+(?: [a-z][\w-]*)*(?= |$)"  # its name, which is said before
            rest = re.sub(own, "", usage.group(1), count=1).strip()
            out += [".PP", f"\\fB{escaped(name)}\\fR {escaped(rest)}"]
            apart = True
        elif line.strip():
            out += [".PP"] * apart + [".br"] * line.startswith(" ") + [escaped(line.strip())]
            apart = False
        else:
            apart = True
    subcommands = []
    for title, found in lists.items():
        if title == "Subcommands":
            subcommands = [head for head, _ in found]
        out += [".PP", escaped(title) + ":"]
        for head, text in found:
            out += [".TP", f"\\fB{escaped(head)}\\fR", escaped(text) or "\\&"]
    for verb in subcommands:
        described(program, [*verbs, verb], out)


def head(name, section, summary, version):
    return [
        f'.TH "{escaped(name.upper())}" {section} "" "Aliquot {version}" "Aliquot"',
        ".SH NAME",
        f"{escaped(name)} \\- {escaped(summary)}",
    ]


def see_also(name, section):
    others = [page for page in SEE_ALSO.split(", ") if page != f"{name}({section})"]
    return [".SH SEE ALSO", escaped(", ".join(others)), ".PP"] + [
        escaped("The documentation is in /usr/share/doc/aliquotd, of the package aliquotd.")
    ]


def of_settings(version):
    """aliquot.yaml(5): the comments of the example are text, its keys stand as they are written."""
    out = head("aliquot.yaml", 5, "settings of the manager of Aliquot", version)
    out += [".SH DESCRIPTION"]
    for line in (ROOT / "config/aliquot.example.yaml").read_text().splitlines():
        text = line.strip()
        if text.startswith("#"):
            out += [".PP", escaped(text.lstrip("# "))]
        elif re.match(r"\w+:$", line):
            out += [f'.SH "{escaped(text[:-1].upper())}"']
        elif text:
            out += [".br", f"\\fB{escaped(text)}\\fR"]
    return out + see_also("aliquot.yaml", 5)


def written(lines):
    """As a file; no paragraph begins where a section just has."""
    pairs = zip(["", *lines], lines)
    return "".join(f"{line}\n" for before, line in pairs if line != ".PP" or not before.startswith(".SH"))


def main():
    programs, out, version = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    out.mkdir(parents=True, exist_ok=True)
    for name, section, summary in PAGES:
        page = head(name, section, summary, version)
        described(programs / name, [], page)
        (out / f"{name}.{section}").write_text(written(page + see_also(name, section)))
    (out / "aliquot.yaml.5").write_text(written(of_settings(version)))


if __name__ == "__main__":
    main()
