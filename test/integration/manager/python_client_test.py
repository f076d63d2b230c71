#!/usr/bin/env python3
"""The Python client against a manager on a real node: what it submits runs, whatever is asked twice happens
once, and a follower of events misses none and sees none twice while the manager is killed (SIGKILL) and
started again."""

import asyncio
import sys
import threading

from deployment import ROOT, deployment, skip, wait_until

sys.path.insert(0, str(ROOT / "tools/python"))
try:
    import aliquot
except ImportError as why:
    skip(f"{why}: tools/deps check, and Debian's own python3")

MEMORY = "96M"


def order(script, **more):
    return aliquot.command(["sh", "-c", script], memory=MEMORY, cpus=0.25, **more)


def expect(kind, words, call):
    try:
        call()
    except kind as refused:
        assert words in refused.message, refused.message
        return
    raise AssertionError(f"{kind.__name__} is expected")


def errors(client):
    expect(aliquot.NotFound, "no job 999", lambda: client.show(999))
    expect(aliquot.InvalidArgument, "no_such_field", lambda: client.submit(order("true", no_such_field=1)))
    expect(aliquot.Refused, "memory", lambda: client.submit(aliquot.command(["true"], memory="900G")))
    expect(aliquot.Unsupported, "no_such_method", lambda: client.request("no_such_method"))
    expect(aliquot.Unavailable, "no manager at", lambda: aliquot.Client("/nowhere/api.sock").status())


def one_job(client):
    """A job with files and variables; returns its number."""
    what = order(
        'cat greeting/text; echo "$NAME"; echo done >result',
        name="first",
        files={"greeting/text": b"good morning\n"},
        env={"NAME": "Grace"},
    )
    assert client.try_out(what)["starts_now"], client.try_out(what)
    job = client.submit(what, key="the-first")
    assert client.submit(what, key="the-first") == job, "the same key is the same job"
    expect(aliquot.Conflict, "key", lambda: client.submit(order("true"), key="the-first"))
    assert client.why(job)["job"] == job
    end = client.wait(job)
    assert (end["state"], end["exit_code"], end["name"]) == ("completed", 0, "first"), end
    assert client.output(job) == b"good morning\nGrace\n", client.output(job)
    assert [row["job"] for row in client.jobs(ended=True)] == [job], list(client.jobs(ended=True))
    assert [row["job"] for row in client.jobs()] == []
    return job


class Follower(threading.Thread):
    """Follows all events with a client of its own, to the end of the last job."""

    def __init__(self, live):
        super().__init__(daemon=True)
        self.client, self.seen, self.last = aliquot.Client(str(live.socket)), [], None

    def run(self):
        for event in self.client.events(after=0, follow=True, patience=120):
            self.seen.append(event["sequence"])
            ended = self.last is not None and event["job"] == self.last
            if ended and "ended" in str(event["event"].get("event", event["event"])):
                return


def over_a_restart(live, client):
    follower = Follower(live)
    job = client.submit(order("for i in 1 2 3 4 5 6; do echo $i; sleep 1; done"))
    follower.last = job
    follower.start()
    wait_until("the follower has begun", lambda: follower.seen)
    live.kill()
    live.start()
    end = client.wait(job, patience=120)
    assert end["state"] == "completed", end
    assert client.output(job) == b"1\n2\n3\n4\n5\n6\n", client.output(job)
    follower.join(60)
    assert not follower.is_alive(), "the follower has seen no end"
    all_events = [event["sequence"] for event in client.events()]
    assert follower.seen == all_events[: len(follower.seen)], "one is missing, or was seen twice"
    return len(follower.seen)


def followed(client):
    """The output of a task while it is written: in parts, and to the end."""
    job = client.submit(order("for i in 1 2 3; do echo $i; sleep 1; done"))
    parts = list(client.follow_output(job))
    assert b"".join(parts) == b"1\n2\n3\n", parts
    assert client.wait(job)["state"] == "completed"


async def side_by_side(live):
    """Two jobs by asyncio, awaited together, and one cancelled."""
    async with aliquot.AsyncClient(str(live.socket)) as client:
        held = await client.submit(order("true", hold=True))
        jobs = [await client.submit(order(f"echo {number}")) for number in (1, 2)]
        ends = await asyncio.gather(*(client.wait(job) for job in jobs))
        assert [end["state"] for end in ends] == ["completed"] * 2, ends
        assert [await client.output(job) for job in jobs] == [b"1\n", b"2\n"]
        await client.cancel(held)
        assert (await client.show(held))["state"] == "cancelled"
        words = [event["event"] async for event in client.events(held)]
        assert len(words) >= 2, words
        names = [node["node"] for node in await client.nodes()]
        return held, names


def main():
    with deployment(nodes=1, node_mib=700) as live:
        with aliquot.Client(str(live.socket)) as client:
            assert client.status()["version"] == client.hello()["version"]
            errors(client)
            job = one_job(client)
            followed(client)
            count = over_a_restart(live, client)
            held, names = asyncio.run(side_by_side(live))
            assert names == [node["node"] for node in client.nodes()]
        print(f"job {job} ran, {count} events followed over a restart, job {held} cancelled by asyncio")


if __name__ == "__main__":
    sys.exit(main())
