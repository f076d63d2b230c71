"""What is submitted: the fields of `submit` (docs/protocol.md) and the archive of the guest's files."""

import decimal
import pathlib
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.ASCII)
_POWER = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


@dataclass(frozen=True)
class Order:
    """`body` has the fields of `submit`; `archive` is a newc archive of the guest's files, or empty."""

    body: Mapping[str, Any]
    archive: bytes = field(default=b"", repr=False)


def memory_bytes(size: int | str) -> int:
    """A size in bytes: a number of bytes, or text such as 512M, 1.5G, 2GiB (units are powers of 1024)."""
    if isinstance(size, int):
        return size
    match = _SIZE.fullmatch(size.strip())
    if not match:
        raise ValueError(f"{size!r} is no size: write 512M, 2G or a number of bytes")
    return int(decimal.Decimal(match[1]) * 1024 ** _POWER[match[2]])


def command(
    argv: Sequence[str],
    *,
    memory: int | str,
    cpus: float | decimal.Decimal = 1,
    tasks: int = 1,
    files: Mapping[str, bytes | pathlib.Path] | None = None,
    workdir: str = "/job",
    env: Mapping[str, str] | None = None,
    stage_out: Sequence[str] = (),
    **fields: Any,
) -> Order:
    """A command that the Linux task guest runs. `cpus` are reference cores that a task needs at full speed,
    `memory` is that of a task. `files` stand in `workdir`, where the command starts, and keep the modes of
    paths; those given as bytes may be executed. `stage_out` are paths that come back. `fields` are further
    fields of `submit`: name="x", min_yield_ppm=500_000, after="ok:7" and so on.

    Programs of this machine do not travel by themselves, as those of `aliquot submit` do: name them, and
    what they need, in `files`, or use the guest's own."""
    if not argv:
        raise ValueError("a command has at least one word")
    body: dict[str, Any] = {
        "cpu_microcores": int((decimal.Decimal(str(cpus)) * 1_000_000).to_integral_value()),
        "memory_bytes": memory_bytes(memory),
        "tasks": tasks,
        "program": {"kind": "command", "argv": list(argv)},
        **fields,
    }
    contents = {name: _content(name, what) for name, what in (files or {}).items()}
    data: dict[str, Any] = {}
    if env:
        data["env"] = [f"{name}={value}" for name, value in env.items()]
    if contents or stage_out:
        data["workdir"] = workdir
    if contents:
        data["stage_in"] = _sizes(contents)
    if stage_out:
        data["stage_out"] = list(stage_out)
    if data:
        body["data"] = data
    archive = b""
    if contents:
        archive = newc({posixpath.join(workdir, name): what for name, what in contents.items()})
        body["program"]["archive_sha256"] = sha256(archive).hexdigest()
    return Order(body, archive)


def newc(files: Mapping[str, tuple[bytes, int]]) -> bytes:
    """A newc archive of files by absolute path, each with its mode, and of the directories above them."""
    directories = {parent for name in files for parent in _parents(name)}
    entries = [(name, b"", 0o040755) for name in sorted(directories)]
    entries += [(name, content, 0o100000 | mode) for name, (content, mode) in sorted(files.items())]
    packed = [
        _entry(at, name.lstrip("/"), content, mode) for at, (name, content, mode) in enumerate(entries, 1)
    ]
    return b"".join(packed) + _entry(0, "TRAILER!!!", b"", 0)


def _content(name: str, what: bytes | pathlib.Path) -> tuple[bytes, int]:
    parts = name.split("/")
    if not name or name.startswith("/") or ".." in parts or "." in parts or "" in parts:
        raise ValueError(f"{name!r} is no path below the job's directory")
    if isinstance(what, bytes):
        return what, 0o755
    return what.read_bytes(), what.stat().st_mode & 0o777


def _sizes(contents: Mapping[str, tuple[bytes, int]]) -> dict[str, int]:
    """Bytes by the first part of the path: of a file, or of all in a directory."""
    sizes: dict[str, int] = {}
    for name, (content, _) in contents.items():
        top = name.split("/")[0]
        sizes[top] = sizes.get(top, 0) + len(content)
    return sizes


def _parents(name: str) -> list[str]:
    return [str(parent) for parent in pathlib.PurePosixPath(name).parents if str(parent) != "/"]


def _entry(inode: int, name: str, content: bytes, mode: int) -> bytes:
    if len(content) > 0xFFFFFFFF:
        raise ValueError(f"{name} is larger than a newc archive can hold: 4 GiB")
    links = 2 if mode & 0o040000 else 1
    numbers = [inode, mode, 0, 0, links, 0, len(content), 0, 0, 0, 0, len(name.encode()) + 1, 0]
    head = b"070701" + b"".join(b"%08X" % number for number in numbers) + name.encode() + b"\0"
    return _padded(head) + _padded(content)


def _padded(text: bytes) -> bytes:
    return text + b"\0" * (-len(text) % 4)
