#!/usr/bin/env python3
"""A libvirtd takes the connection and answers every question but one: the wish to be told of its events.
The manager does not wait for that answer for ever: it says that the node is suspect, connects anew and
runs jobs there."""

import contextlib
import socket
import struct
import sys
import threading

from deployment import deployment, wait_until
from workload import Work, nothing_left, prove

REMOTE_PROGRAM, REGISTER_FOR_EVENTS = 0x20008086, 316
HEADER = struct.Struct(">III")  # length of the frame, program, version; the procedure follows


def frames(stream):
    """What a client of libvirtd says, message by message."""
    rest = b""
    while True:
        while len(rest) >= 4 and len(rest) >= (length := struct.unpack(">I", rest[:4])[0]):
            yield rest[:length]
            rest = rest[length:]
        said = stream.recv(65536)
        if not said:
            return
        rest += said


def is_lost(frame):
    _, program, _ = HEADER.unpack(frame[: HEADER.size])
    (procedure,) = struct.unpack(">i", frame[HEADER.size : HEADER.size + 4])
    return (program, procedure) == (REMOTE_PROGRAM, REGISTER_FOR_EVENTS)


class Between:
    """Stands before a libvirtd's socket; of the first connection it loses that one question."""

    def __init__(self, path, behind):
        self.path, self.behind, self.connections, self.lost = path, behind, 0, 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            self.connections += 1
            there = socket.socket(socket.AF_UNIX)
            there.connect(self.behind)
            first = self.connections == 1
            threading.Thread(target=self.ask, args=(client, there, first), daemon=True).start()
            threading.Thread(target=self.answer, args=(there, client), daemon=True).start()

    def ask(self, client, there, first):
        with contextlib.suppress(OSError):
            for frame in frames(client):
                if first and is_lost(frame):
                    self.lost += 1
                else:
                    there.sendall(frame)
            there.shutdown(socket.SHUT_WR)

    @staticmethod
    def answer(there, client):
        with contextlib.suppress(OSError):
            while said := there.recv(65536):
                client.sendall(said)
            client.shutdown(socket.SHUT_WR)


def main():
    with deployment(nodes=1, node_mib=512) as live:
        live.stop()
        between = Between(str(live.state / "between"), str(live.cluster / "n1/run/libvirt-sock"))
        settings = live.state / "aliquot.yaml"
        settings.write_text(settings.read_text().replace(between.behind, between.path))
        live.start()
        work = Work("afterwards", mib=64, links=10)
        number = live.submit(*work.words())
        wait_until("the question is lost", lambda: between.lost, 30)
        wait_until("the job has ended", lambda: live.job(number)["ended_at"], 120)
        assert between.lost == 1 and between.connections >= 2, vars(between)
        said = live.log.read_text()
        assert "takes the connection and does not answer" in said, "the log does not say why it was suspect"
        print(f"{between.connections} connections;", prove(live, {work.name: number}, [work]))
        nothing_left(live)


if __name__ == "__main__":
    sys.exit(main())
