#!/usr/bin/env python3
"""The Python client over TCP with a key, blocking and by asyncio, with a real manager whose one node does
not exist: python_remote_test.py BIN ROOT. It submits, follows events, reads and follows output; a viewer's
key changes nothing, and a revoked one gets no answer."""

import asyncio
import contextlib
import os
import pathlib
import pwd
import subprocess
import sys
import tempfile
import threading

import api_sessions_test as sessions

sys.path.insert(0, str(sessions.ROOT / "tools/python"))
import aliquot


def check(holds, what):
    if not holds:
        sys.exit(f"python_remote_test: {what}")


@contextlib.contextmanager
def refused(kind):
    try:
        yield
    except kind as why:
        check(why.message, f"{kind} without a word")
        return
    sys.exit(f"python_remote_test: {kind.__name__} was awaited")


class Keys:
    def __init__(self, folder):
        self.folder = folder
        self.environment = {"PATH": os.environ["PATH"], "ALIQUOT_SERVER": str(folder / "api.sock")}

    def call(self, *words):
        command = [sessions.BIN / "aliquot", "key", *words]
        subprocess.run(command, env=self.environment, check=True, timeout=60, stdout=subprocess.DEVNULL)

    def new(self, name, role):
        user = pwd.getpwuid(os.getuid()).pw_name
        self.call("new", name, "--user", user, "--role", role, "--to", str(self.folder / f"{name}.key"))
        return str(self.folder / f"{name}.key")


def order(**fields):
    return aliquot.command(["true"], memory="96M", **fields)


def follow_to_the_end(client, job, found):
    for event in client.events(job, follow=True):
        found.append(event["event"])
        if event["event"].get("turn") == "ended":
            return


def blocking(key):
    with aliquot.Client(key=key) as client, aliquot.Client(key=key) as other:
        job = client.submit(order(name="elsewhere"))
        check(client.show(job)["name"] == "elsewhere", "the job is not shown")
        found = []
        follower = threading.Thread(target=follow_to_the_end, args=(other, job, found), daemon=True)
        follower.start()
        client.cancel(job)
        check(client.wait(job)["state"] == "cancelled", "it is not cancelled")
        follower.join(60)
        check(found and found[-1].get("turn") == "ended", f"the follower has seen {found}")
        check(client.output(job) == b"", "a job that never ran has written")
        check(list(client.follow_output(job)) == [], "output that is followed does not end")
        check([row["job"] for row in client.jobs(ended=True)] == [job], "the list")
        return job


async def by_asyncio(key):
    async with aliquot.AsyncClient(key=key) as client:
        job = await client.submit(order(hold=True))
        await client.cancel(job)
        check((await client.wait(job))["state"] == "cancelled", "it is not cancelled")
        turns = [event["event"].get("turn") async for event in client.events(job)]
        check("ended" in turns, f"turns: {turns}")
        check([part async for part in client.follow_output(job)] == [], "output that is followed")


async def key_of_a_quiet_client(keys):
    """Is revoked; ZeroMQ connects again, is refused, and from then on has nowhere to send."""
    async with aliquot.AsyncClient(key=keys.new("quiet", "user"), timeout=3) as client:
        await client.status()
        keys.call("revoke", "quiet")
        await asyncio.sleep(1)
        with refused(aliquot.NoAnswer):
            await client.status()


def keys_that_do_not_fit(keys, viewer, revoked):
    with aliquot.Client(key=viewer) as client:
        check(client.status()["cluster"] == "golden", "a viewer sees nothing")
        with refused(aliquot.Forbidden):
            client.submit(order())
    keys.call("revoke", "laptop")
    with aliquot.Client(key=revoked, timeout=3) as client, refused(aliquot.NoAnswer):
        client.status()
    with refused(aliquot.InvalidArgument):
        aliquot.Client("tcp://127.0.0.1:7447")
    with refused(aliquot.Unavailable), aliquot.Client("tcp://127.0.0.1:1", key=viewer) as client:
        client.status()
    os.chmod(viewer, 0o644)
    with refused(aliquot.Refused):
        aliquot.Client(key=viewer)


def main():
    os.environ.pop("ALIQUOT_SERVER", None)
    with tempfile.TemporaryDirectory(prefix="aliquot-golden-") as name:
        folder = pathlib.Path(name)
        with sessions.Manager(folder).running():
            keys = Keys(folder)
            asyncio.run(key_of_a_quiet_client(keys))
            laptop, viewer = keys.new("laptop", "user"), keys.new("viewer", "viewer")
            job = blocking(laptop)
            asyncio.run(by_asyncio(laptop))
            keys_that_do_not_fit(keys, viewer, laptop)
    print(f"job {job} was submitted, followed and cancelled over TCP")


if __name__ == "__main__":
    main()
