#!/usr/bin/env python3
"""Groups sources for a unity build: unity_groups.py LISTS CMAKE-FILE.

Several sources compiled as one cost little more than one of them: most of the time of a compiler goes into
headers. But names of an anonymous namespace then meet. So two sources come into one group only where no
local name of the one occurs in the other or names a type of its headers, and where no alias of their
headers has the name of another type. What cannot be told is compiled alone. Reads a line
"target;source;source..." for each target, and writes the properties as CMake commands.
"""

import functools
import pathlib
import re
import sys
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).parents[2]
MOST = 10  # sources of a group: larger groups leave processors idle, and are slow to build again
LITERAL = re.compile(
    r"//(?:\\\n|[^\n])*"
    r"|/\*.*?\*/"
    r'|R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.S,
)
ANONYMOUS = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.M | re.S)
ALONE = re.compile(
    r"^enum (?!class)|^\s*#\s*(?:define|undef)\b|^\s*using namespace\b|<n?curses|^extern ", re.M
)
ALIAS = re.compile(r"^using (?:(\w+) =|[\w:]*?(\w+);).*$", re.M)
CHOSEN_BY_THE_LINKER = "no_general_solver.cpp"
TYPE = re.compile(r"(?:template <.*> ?)?(?:struct|class|enum class|enum|union|concept) (\w+)")
TEST = re.compile(r"TEST\w*\((\w+), (\w+)\)")
HEADER_TYPE = re.compile(r"^(?:(?:struct|class|enum class|union) (\w+)|using (\w+) =)", re.M)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
LOCAL = re.compile(r"^static [^({=;\n]*?(\w+)\s*[({=;]", re.M)
WORD = re.compile(r"[A-Za-z_]\w*")
FREE_WORD = re.compile(r"(?<![\w.>:])[A-Za-z_]\w*")  # no member, no qualified name


@dataclass
class Source:
    path: str
    alone: bool
    aliases: dict = field(default_factory=dict)  # name -> its declaration
    names: set = field(default_factory=set)  # other names that are local to the source
    words: set = field(default_factory=set)
    types: dict = field(default_factory=dict)  # of the headers it includes, as header_types gives them


def declared(line):
    """The name that a line of an anonymous namespace declares, if it declares one."""
    if not line or line[0] in " }#":
        return None
    if found := TYPE.match(line):
        return found.group(1)
    if found := TEST.match(line):
        return "_".join(found.groups())
    words = WORD.findall(re.split(r"[({=;]|(?<!:):(?!:)", line, maxsplit=1)[0])
    if not words:
        return None
    return "operator" if "operator" in words else words[-1]


def without_literals(text):
    def shortened(found):
        literal = found.group()
        if literal.startswith("/"):
            return literal if literal == "// namespace" else ""
        return '""'

    return LITERAL.sub(shortened, text)


@functools.cache
def header_types(path):
    """The types that a header of the project, and those it includes, declare: name -> the header of an
    alias, "" for a class, which many headers may declare."""
    text = (ROOT / path).read_text() if (ROOT / path).is_file() else ""
    types = {name or alias: "" if name else path for name, alias in HEADER_TYPE.findall(text)}
    for included in INCLUDE.findall(text):
        types.update(header_types(included))
    return types


def read(path):
    code = without_literals(path.read_text())
    alone = bool(ALONE.search(code)) or path.name == CHOSEN_BY_THE_LINKER
    source = Source(str(path), alone)
    for found in ALIAS.finditer(code):
        source.aliases[found.group(1) or found.group(2)] = found.group(0)
    for block in ANONYMOUS.finditer(code):
        source.names |= {declared(line) for line in block.group(1).split("\n")} - {None}
    source.names |= set(LOCAL.findall(code))
    source.names -= set(source.aliases)
    for header in INCLUDE.findall(path.read_text()):
        source.types.update(header_types(header))
    source.words = set(FREE_WORD.findall(re.sub(r"^\s*#[^\n]*", "", code, flags=re.M)))
    return source


def agree(one, other):
    if one.names & (other.names | other.words) or other.names & one.words:
        return False
    if one.names & other.types.keys() or other.names & one.types.keys():
        return False
    if any(one.types[name] != other.types[name] for name in one.types.keys() & other.types.keys()):
        return False
    for mine, theirs in ((one, other), (other, one)):
        for name, declaration in mine.aliases.items():
            if (name in theirs.words or name in theirs.types) and theirs.aliases.get(name) != declaration:
                return False
    return True


def group(sources):
    groups = []
    for source in sources:
        fits = (
            g for g in groups if len(g) < MOST and not g[0].alone and all(agree(source, m) for m in g)
        )
        home = None if source.alone else next(fits, None)
        if home is None:
            groups.append([source])
        else:
            home.append(source)
    return groups


def main():
    lists, out = map(pathlib.Path, sys.argv[1:])
    lines = []
    for row in lists.read_text().splitlines():
        target, *paths = row.split(";")
        sources = [read(path) for path in map(pathlib.Path, sorted(paths)) if path.is_file()]
        lines.append(f"set_target_properties({target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)")
        for number, members in enumerate(g for g in group(sources) if len(g) > 1):
            names = " ".join(f'"{member.path}"' for member in members)
            lines.append(
                f"set_source_files_properties({names} TARGET_DIRECTORY {target}"
                f" PROPERTIES UNITY_GROUP {target}{number})"
            )
    text = "\n".join(lines) + "\n"
    if not out.exists() or out.read_text() != text:
        out.write_text(text)


if __name__ == "__main__":
    main()
