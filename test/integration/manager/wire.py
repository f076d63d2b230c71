#!/usr/bin/env python3
"""Says exactly what it is told to on the manager's sockets, for tests of what the command line would never
say.

    wire.py ask SOCKET METHOD BODY [HEADER]   greets, asks, prints the header and the body of the answer;
                                              fields of HEADER (JSON) replace those of a lawful client, and
                                              "routing_id" is a property of the socket
    wire.py listen SOCKET SECONDS             prints everything that is published"""

import ctypes
import ctypes.util
import json
import sys
import time

DEALER, SUB = 5, 2
ROUTING_ID, SUBSCRIBE, RCVMORE, LINGER, RCVTIMEO = 5, 6, 13, 17, 27
SNDMORE = 2
zmq = ctypes.CDLL(ctypes.util.find_library("zmq") or "libzmq.so.5")
for function in [zmq.zmq_ctx_new, zmq.zmq_socket]:
    function.restype = ctypes.c_void_p


class Socket:
    def __init__(self, kind, path, options=()):
        self.socket = ctypes.c_void_p(zmq.zmq_socket(ctypes.c_void_p(zmq.zmq_ctx_new()), kind))
        for option, value in options:
            zmq.zmq_setsockopt(self.socket, option, value, ctypes.c_size_t(len(value)))
        self.patience(5000)
        zmq.zmq_connect(self.socket, f"ipc://{path}".encode())

    def patience(self, ms):
        for option in [LINGER, RCVTIMEO]:
            value = ctypes.c_int(ms)
            zmq.zmq_setsockopt(self.socket, option, ctypes.byref(value), ctypes.c_size_t(4))

    def send(self, *frames):
        for at, frame in enumerate(frames):
            more = SNDMORE if at + 1 < len(frames) else 0
            zmq.zmq_send(self.socket, frame, ctypes.c_size_t(len(frame)), more)

    def receive(self):
        """The frames of a message; none if there is none in time."""
        frames, more = [], ctypes.c_int(1)
        while more.value:
            buffer = ctypes.create_string_buffer(1 << 20)
            size = zmq.zmq_recv(self.socket, buffer, ctypes.c_size_t(len(buffer)), 0)
            if size < 0:
                return frames
            frames.append(buffer.raw[:size])
            length = ctypes.c_size_t(4)
            zmq.zmq_getsockopt(self.socket, RCVMORE, ctypes.byref(more), ctypes.byref(length))
        return frames


def ask(path, method, body, header="{}"):
    said = json.loads(header)
    options = [(ROUTING_ID, said.pop("routing_id").encode())] if "routing_id" in said else []
    socket = Socket(DEALER, path, options)
    socket.send(b"ALIQUOT/1", json.dumps({"id": "1", "method": "hello"}).encode(), b"{}")
    greeting = socket.receive()
    ticket = json.loads(greeting[1]).get("ticket", "") if greeting else ""
    lawful = {"id": "2", "method": method, "ticket": ticket}
    socket.send(b"ALIQUOT/1", json.dumps(lawful | said).encode(), body.encode())
    for frame in socket.receive()[1:]:
        print(frame.decode(errors="replace"))


def listen(path, seconds):
    socket = Socket(SUB, path, [(SUBSCRIBE, b"")])
    socket.patience(200)
    deadline = time.monotonic() + float(seconds)
    while time.monotonic() < deadline:
        if frames := socket.receive():
            print(b" ".join(frames).decode(errors="replace"), flush=True)


if __name__ == "__main__":
    {"ask": ask, "listen": listen}[sys.argv[1]](*sys.argv[2:])
