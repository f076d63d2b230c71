"""Rules for all texts: leftovers, private machines, strays, links, the licence, words the glossary owes."""

import os
import posixpath
import re
import urllib.parse

from cpp import without_comments_and_strings
from tree import FOLDERS, Finding, is_code, is_cpp, suffix, top_folder

LEFTOVER = re.compile(r"\b(?:TO" r"DO|FIX" r"ME)\b(?![^\n]*#\d+)")

# Roots every Debian has. What else stands at the root of the machine that runs this test is its own affair.
PUBLIC_ROOTS = {
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "media",
    "mnt",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "tmp",
    "usr",
    "var",
    "lost+found",
    "vmlinuz",
    "initrd.img",
}
# Addresses that a text may name: specifications, papers, licences, and examples.
PUBLIC_HOSTS = {
    "www.apache.org",
    "doi.org",
    "arxiv.org",
    "libvirt.org",
    "www.w3.org",
    "example.org",
    "example.com",
    "etcd.io",
    "etcd1.example.org",
    "etcd2.example.org",
    "etcd3.example.org",
    "localhost",
    "127.0.0.1",
    "www.cs.huji.ac.il",
    "prometheus.io",
    "grafana.com",
    "json-schema.org",
    "rfc.zeromq.org",
    "keepachangelog.com",
    "semver.org",
    "www.debian.org",
}
ADDRESS = re.compile(r"\bhttps?://([\w.-]+)")
REGISTRY = re.compile(
    r"\b(?:deb|ftp|security|snapshot|registry|proxy|index|mirrors?|packages|artifacts?)"
    r"\.[\w-]+(?:\.[\w-]+)*\.(?:org|com|net|io|dev)\b"
)

CONFLICT = re.compile(r"^(?:<{7}|>{7}|\|{7})(?: .*)?$", re.M)

LINK = re.compile(r"!?\[[^\]\[]*\]\(([^()\s]+(?:\([^()\s]*\))?)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.M | re.S)
CODE_SPAN = re.compile(r"`([^`\n]+)`")


def line_of(text, index):
    return text.count("\n", 0, index) + 1


def leftovers(tree):
    for path, text in tree.items():
        if is_code(path, text):
            for match in LEFTOVER.finditer(text):
                yield Finding(
                    path, line_of(text, match.start()), "leftover", "work left undone names its issue: #N"
                )


def conflicts(tree):
    """What a merge left to be chosen from is chosen from."""
    for path, text in tree.items():
        for match in CONFLICT.finditer(text):
            yield Finding(path, line_of(text, match.start()), "conflict", "a merge was committed half-done")


def private_roots(root="/"):
    return {name for name in os.listdir(root) if name not in PUBLIC_ROOTS and not name.startswith(".")}


def private_places(tree, roots=None):
    roots = private_roots() if roots is None else roots
    patterns = [r"/home/\w+/", r"/Users/\w+"] + [
        rf"/{re.escape(name)}(?=[/\s\"'`:)]|$)" for name in sorted(roots)
    ]
    pattern = re.compile(r"(?<![\w./:}$)*>\]~#-])(?:" + "|".join(patterns) + ")", re.M)
    for path, text in tree.items():
        for match in pattern.finditer(text):
            yield Finding(
                path, line_of(text, match.start()), "private", f"{match.group(0)} is on one machine only"
            )
        for match in ADDRESS.finditer(text):
            if match.group(1).rstrip(".") not in PUBLIC_HOSTS and path != "LICENSE":
                yield Finding(
                    path,
                    line_of(text, match.start()),
                    "private",
                    f"{match.group(1)} is no address this project depends on; if it is, list it here",
                )
        for match in REGISTRY.finditer(text):
            yield Finding(
                path,
                line_of(text, match.start()),
                "private",
                f"{match.group(0)}: registries are configured, not named",
            )


def slug(heading):
    """The anchor that a heading gets."""
    words = re.sub(r"[`*_]|\[|\]\([^)]*\)", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def anchors(text):
    return {slug(match.group(1)) for match in re.finditer(r"^#+ +(.+?) *#*$", FENCE.sub("", text), re.M)}


def folders_of(tree):
    found = set()
    for path in tree:
        while path := posixpath.dirname(path):
            found.add(path)
    return found


def strays(tree):
    """Each file is in a folder of the project; a mistyped command may have made one elsewhere."""
    for path in tree:
        folder = top_folder(path)
        if folder and folder not in [*FOLDERS, "docs", ".ci"]:
            yield Finding(path, 1, "stray", f"{folder}/ is no folder of this project")
        elif any(part.startswith("-") for part in path.split("/")):
            yield Finding(path, 1, "stray", "an option, not a name: some command took it for a folder")


def links(tree):
    folders = folders_of(tree)
    for path, text in tree.items():
        if suffix(path) != ".md":
            continue
        prose = FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)
        for match in LINK.finditer(prose):
            target = match.group(1)
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = urllib.parse.unquote(target).partition("#")
            full = posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) if name else path
            if full not in tree and full not in folders:
                yield Finding(path, line_of(prose, match.start()), "links", f"{target} leads nowhere")
            elif anchor and anchor not in anchors(tree.get(full, "")):
                yield Finding(
                    path, line_of(prose, match.start()), "links", f"{full} has no heading #{anchor}"
                )


def named_files(tree):
    """A path that a document names in backticks exists (patterns and placeholders are left alone)."""
    known = set(tree) | folders_of(tree)
    for path, text in tree.items():
        if suffix(path) != ".md" or path == "CHANGELOG.md":
            continue
        for match in CODE_SPAN.finditer(FENCE.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)):
            name = match.group(1).split()[0].rstrip("/")
            if top_folder(name) in FOLDERS and re.fullmatch(r"[\w./-]+", name) and name not in known:
                yield Finding(path, line_of(text, match.start()), "links", f"`{name}` does not exist")


def licence(tree):
    text = tree.get("LICENSE", "")
    if "Apache License" not in text or "Version 2.0" not in text:
        yield Finding("LICENSE", 1, "licence", "the Apache License, Version 2.0, stands here")
    if "Aliquot" not in tree.get("NOTICE", ""):
        yield Finding(
            "NOTICE", 1, "licence", "the notice that the licence asks to be passed on stands here"
        )


def enumerators(tree, path, enum):
    body = re.search(
        rf"enum class {enum}\b[^{{]*{{(.*?)}};", without_comments_and_strings(tree.get(path, "")), re.S
    )
    return re.findall(r"^\s*(\w+)\s*(?:=[^,]*)?,", body.group(1), re.M) if body else []


def owed_words(tree):
    """The words that users meet: reasons, laws, actions, columns of the job table."""
    words = {name: "a reason" for name in enumerators(tree, "policies/model/plan.hpp", "Reason")}
    words.update({name: "a law" for name in enumerators(tree, "monitor/record/plan_check.hpp", "Law")})
    listed = re.search(r"words\[\] = {(.*?)}", tree.get("monitor/record/action.hpp", ""), re.S)
    words.update({name: "an action" for name in re.findall(r'"(\w+)"', listed.group(1) if listed else "")})
    for path, text in tree.items():
        if is_cpp(path) and top_folder(path) == "tools":
            for match in re.finditer(r'"(job,submit,start,[\w,]*)((?:[^"]*"\s*"[\w,]*)*)', text):
                columns = re.sub(r"[^\w,]", "", match.group(0).replace("\\n", ""))
                words.update({name: "a column of the job table" for name in columns.split(",") if name})
    return words


def glossary(tree):
    defined = set(re.findall(r"`(\w+)`", tree.get("GLOSSARY.md", "")))
    for word, what in owed_words(tree).items():
        if word not in defined:
            yield Finding("GLOSSARY.md", 1, "glossary", f"`{word}` ({what}) is not defined")


def glossary_names(tree):
    """What the glossary says a word is called in the code is called so there."""
    code = {word for path, text in tree.items() if is_cpp(path) for word in re.findall(r"\w+", text)}
    in_code_column = False
    for number, line in enumerate(tree.get("GLOSSARY.md", "").split("\n"), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            in_code_column = False
        elif cells[-1] == "in the code":
            in_code_column = True
        elif in_code_column:
            for name in CODE_SPAN.findall(cells[-1]):
                word = re.match(r"[\w:]+", name)
                if word and "/" not in name and word.group().split("::")[-1] not in code:
                    yield Finding("GLOSSARY.md", number, "glossary", f"`{name}` is not in the code")


RULES = [
    leftovers,
    conflicts,
    private_places,
    strays,
    links,
    named_files,
    licence,
    glossary,
    glossary_names,
]
