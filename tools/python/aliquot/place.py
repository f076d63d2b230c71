"""Where the manager is: on this machine, or on another one with a key (docs/remote.md)."""

import os
import pathlib
import socket
import stat
from dataclasses import dataclass, field
from typing import Any

import zmq

from aliquot.errors import Forbidden, InvalidArgument, NotFound, Refused, Unavailable

DEFAULT_SERVER = "/run/aliquot/api.sock"
_PROBE_S = 5.0


@dataclass(frozen=True)
class Key:
    """Of a file of `aliquot key new`."""

    at: str  # tcp://HOST:PORT
    server: bytes
    public: bytes
    secret: bytes = field(repr=False)

    @classmethod
    def read(cls, file: str) -> "Key":
        """Raises NotFound, Refused if other users can read it, or InvalidArgument."""
        path = pathlib.Path(file)
        try:
            if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise Refused(f"other users can read the key {file}: chmod 600 {file}")
            words = dict(line.split(" ", 1) for line in path.read_text().splitlines() if " " in line)
        except (OSError, UnicodeDecodeError) as why:
            raise NotFound(f"cannot read the key {file}: {why}; `aliquot key new` makes one") from why
        try:
            server, public, secret = (bytes.fromhex(words[word]) for word in ("server", "public", "secret"))
        except (KeyError, ValueError) as why:
            raise InvalidArgument(f"{file} is not a file of `aliquot key new` (docs/remote.md)") from why
        if {len(server), len(public), len(secret)} != {32}:
            raise InvalidArgument(f"{file} is not a file of `aliquot key new`: a key has 32 bytes")
        return cls(words.get("at", ""), server, public, secret)


@dataclass(frozen=True)
class Place:
    address: str  # the path of a socket, or tcp://HOST:PORT
    key: Key | None = None

    @property
    def is_remote(self) -> bool:
        return self.key is not None

    def connect(self, end: "zmq.Socket[Any]") -> None:
        if self.key is None:
            end.connect(f"ipc://{self.address}")
            return
        end.curve_serverkey, end.curve_publickey = self.key.server, self.key.public
        end.curve_secretkey = self.key.secret
        end.connect(self.address)

    def check(self, *, is_waiting: bool) -> None:
        """A manager that has ended gives no answer, however long it is waited for. On another machine it is
        looked for before the connection only: the manager bounds connections that say nothing."""
        if self.key is None:
            self._probe(socket.AF_UNIX, self.address)
        elif not is_waiting:
            host, _, port = self.address.removeprefix("tcp://").rpartition(":")
            self._probe(socket.AF_INET, (host, int(port)))

    def ended(self) -> Forbidden:
        """ZeroMQ connects again on its own, but not after a handshake that was refused."""
        return Forbidden(f"the manager at {self.address} has ended the connection: was the key revoked?")

    def _probe(self, family: int, address: Any) -> None:
        probe = socket.socket(family, socket.SOCK_STREAM)
        probe.settimeout(_PROBE_S)
        try:
            probe.connect(address)
        except PermissionError as why:
            raise Forbidden(
                f"this user may not use the manager's socket {self.address}; ask an operator to add you to "
                "its group"
            ) from why
        except (FileNotFoundError, ConnectionRefusedError) as why:
            raise Unavailable(
                f"no manager at {self.address}; start aliquotd, or name its socket (ALIQUOT_SERVER)"
            ) from why
        except OSError as why:
            raise Unavailable(f"cannot connect to {self.address}: {why}") from why
        finally:
            probe.close()


def places_of(server: str | None, key: str | None) -> list[Place]:
    """Of one manager or of several, separated by commas, as given, or of ALIQUOT_SERVER and ALIQUOT_KEY, or
    the default. A key knows where its manager is."""
    file = key or os.environ.get("ALIQUOT_KEY")
    names = server or os.environ.get("ALIQUOT_SERVER") or ""
    return [_place_of(name, file) for name in names.split(",") if name] or [_place_of("", file)]


def _place_of(name: str, file: str | None) -> Place:
    if name.startswith("tcp://") or (file and not name):
        if not file:
            raise InvalidArgument(f"{name} is on another machine: name a key too (ALIQUOT_KEY)")
        read = Key.read(file)
        address = name or read.at
        if not address.removeprefix("tcp://").rpartition(":")[2].isdecimal():
            raise InvalidArgument(f"{address} is no address of a manager; write tcp://HOST:PORT")
        return Place(address, read)
    return Place((name or DEFAULT_SERVER).removeprefix("ipc://"))
