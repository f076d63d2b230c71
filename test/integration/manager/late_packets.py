"""A way to the members of etcd that can hold back what some of its users send, and let it through later, as
a network does whose queues fill, or that is parted and heals. What is held reaches etcd whole, even if its
sender has given it up."""

import contextlib
import re
import socket
import threading

from deployment import wait_until

GUARDED = re.compile(rb'"compare":\s*\[\s*\{')  # a transaction that asks whether its writer still leads
PATIENCE_S = 20  # for the answer to a request whose sender is gone


def received(end):
    """Nothing: the other end is gone, as if it had said so."""
    try:
        return end.recv(1 << 20)
    except OSError:
        return b""


class LateRequest:
    """One that was held back, and what etcd said to it in the end."""

    def __init__(self, said):
        self.said, self.answer = said, b""

    def is_guarded(self):
        return b"/v3/kv/txn" in self.said and GUARDED.search(self.said) is not None

    def took_effect(self):
        return b'"succeeded":true' in self.answer.replace(b" ", b"")


class SlowWay:
    """In place of each url one of its own. `hold` names users by their address."""

    def __init__(self, urls, address):
        self.held, self.late, self.urls = set(), [], []
        self.changed = threading.Condition()
        for url in urls:
            server = socket.create_server((address, 0))
            self.urls.append(f"http://{address}:{server.getsockname()[1]}")
            host, port = url.rpartition("/")[2].split(":")
            threading.Thread(target=self.serve, args=[server, (host, int(port))], daemon=True).start()

    @contextlib.contextmanager
    def hold(self, user):
        self.held.add(user)
        try:
            yield
        finally:
            with self.changed:
                self.held.discard(user)
                self.changed.notify_all()

    def all_answered(self):
        """The guarded ones among those that were held, when etcd has answered all of them."""



        def answered():
            guarded = [one for one in self.late if one.is_guarded()]
            return guarded if all(one.answer for one in guarded) else None

        return wait_until("etcd has answered what came late", answered, PATIENCE_S + 10)

    def serve(self, server, member):
        while True:
            user, (address, _) = server.accept()
            threading.Thread(target=self.join, args=[user, address, member], daemon=True).start()

    def join(self, user, address, member):
        with contextlib.suppress(OSError), user, socket.create_connection(member, 10) as etcd:
            etcd.settimeout(None)  # it is held for longer
            newest = [None]  # the late request whose answer is due
            back = threading.Thread(target=self.answer, args=[etcd, user, newest], daemon=True)
            back.start()
            while said := received(user):
                if address in self.held:
                    with self.changed:
                        self.changed.wait_for(lambda: address not in self.held)
                    newest[0] = self.note(newest[0], said)
                etcd.sendall(said)
            if newest[0]:
                back.join(PATIENCE_S)
            etcd.shutdown(socket.SHUT_RDWR)

    def note(self, newest, said):
        """A request that comes in pieces is one."""
        if newest and not newest.answer and not said.startswith(b"POST "):
            newest.said += said
            return newest
        self.late.append(LateRequest(said))
        return self.late[-1]

    def answer(self, etcd, user, newest):
        while said := received(etcd):
            if newest[0]:
                newest[0].answer += said
            with contextlib.suppress(OSError):
                user.sendall(said)
