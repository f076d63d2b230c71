"""The files the rules look at, and what a rule reports.

A Tree is a mapping from path (relative, with slashes) to text, so that a test can plant one by hand. The
real one holds what git tracks or would track; without git, everything but build output.
"""

import os
import pathlib
import subprocess
from dataclasses import dataclass

SCRIPT_SUFFIXES = {".py", ".sh"}
CPP_SUFFIXES = {".cpp", ".hpp", ".c", ".h"}
CODE_SUFFIXES = CPP_SUFFIXES | SCRIPT_SUFFIXES
FOLDERS = ["policies", "config", "monitor", "manager", "tools", "test"]  # from the lowest layer up


@dataclass(frozen=True, order=True)
class Finding:
    path: str
    line: int
    rule: str
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}: {self.text}"


def suffix(path):
    return os.path.splitext(path)[1]


def top_folder(path):
    return path.split("/", 1)[0] if "/" in path else ""


def is_shell(path, text):
    first = text.split("\n", 1)[0]
    return suffix(path) == ".sh" or (first.startswith("#!") and first.endswith("sh"))


def is_python(path, text):
    first = text.split("\n", 1)[0]
    return suffix(path) == ".py" or (first.startswith("#!") and "python" in first)


def is_cpp(path):
    return suffix(path) in CPP_SUFFIXES


def is_code(path, text):
    return is_cpp(path) or is_shell(path, text) or is_python(path, text)


def read_text(path):
    """The text of a file; empty where it is not text (a picture, an archive), None where it is missing."""
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        return ""
    except (FileNotFoundError, IsADirectoryError):
        return None


def list_files(root):
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, capture_output=True, check=False)
    if listing.returncode == 0:
        return sorted(name for name in listing.stdout.decode().split("\0") if name)
    found = []
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if name not in {".git", "build", ".cache", "__pycache__"}]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in files]
    return sorted(found)


def read_tree(root):
    root = pathlib.Path(root)
    texts = {path: read_text(root / path) for path in list_files(root)}
    return {path: text for path, text in texts.items() if text is not None}
