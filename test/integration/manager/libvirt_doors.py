"""Doors to the libvirtd of each node, one for each manager: a manager reaches a node through its own alone,
and what it tells the node to do is counted there, by kind, before libvirtd has it."""

import collections
import contextlib
import re
import socket
import threading

# Of libvirt's remote protocol, in which no number is ever reused: the procedures by which a manager
# changes a VM, and what they are called here.
PROGRAM, CALLS = 0x20008086, (0, 4)  # a call, and one with file descriptors
COMMANDS = {
    10: "create",
    12: "destroy",
    28: "resume",
    34: "suspend",
    164: "abort",
    185: "checkpoint",
    204: "balloon",
    219: "cap",
    232: "save",
    233: "restore",
    258: "shutdown",
    305: "migrate",
}
HEADER = 20  # length, program, version, procedure, type: the first 4 bytes each of a message


class Messages:
    """What a client says, in pieces, as messages."""

    def __init__(self):
        self.rest = b""

    def commands_in(self, piece):
        self.rest += piece
        while len(self.rest) >= HEADER:
            length, program, _, procedure, kind = (
                int.from_bytes(self.rest[at : at + 4], "big") for at in range(0, HEADER, 4)
            )
            if len(self.rest) < length:
                return
            self.rest = self.rest[length:]
            if program == PROGRAM and kind in CALLS and procedure in COMMANDS:
                yield COMMANDS[procedure]


class Door:
    def __init__(self, path, libvirtd):
        self.told, self.libvirtd = collections.Counter(), libvirtd
        server = socket.socket(socket.AF_UNIX)
        server.bind(str(path))
        server.listen(64)
        threading.Thread(target=self.serve, args=[server], daemon=True).start()

    def serve(self, server):
        while True:
            user, _ = server.accept()
            threading.Thread(target=self.let_in, args=[user], daemon=True).start()

    def let_in(self, user):
        messages = Messages()
        with contextlib.suppress(OSError), user, socket.socket(socket.AF_UNIX) as node:
            node.connect(self.libvirtd)
            threading.Thread(target=self.answer, args=[node, user], daemon=True).start()
            while piece := user.recv(1 << 20):
                self.told.update(messages.commands_in(piece))
                node.sendall(piece)
            node.shutdown(socket.SHUT_RDWR)

    def answer(self, node, user):
        with contextlib.suppress(OSError):
            while piece := node.recv(1 << 20):
                user.sendall(piece)
        with contextlib.suppress(OSError):
            user.shutdown(socket.SHUT_RDWR)


class Doors:
    """To be given to a deployment: reach=doors.reach. `path` is where those of a manager are."""

    def __init__(self):
        self.of = {"a": [], "b": []}

    @staticmethod
    def path(state, manager):
        return state / f"doors_of_{manager}"

    def reach(self, live, nodes):
        """The settings of the nodes for manager a."""
        for manager in self.of:
            self.path(live.state, manager).mkdir()
        for name, way in re.findall(r'^ +- name: (\S+)(?:\n.*)*?\?socket=([^"\s]+)', nodes, flags=re.M):
            for manager, doors in self.of.items():
                doors.append(Door(self.path(live.state, manager) / name, way))
            nodes = nodes.replace(f"?socket={way}", f"?socket={self.path(live.state, 'a') / name}")
        return nodes

    def told(self, manager):
        """So many commands of each kind have come from this manager."""
        return sum((door.told for door in self.of[manager]), collections.Counter())


def in_words(told):
    return ", ".join(f"{count} {kind}" for kind, count in sorted(told.items())) or "nothing"
