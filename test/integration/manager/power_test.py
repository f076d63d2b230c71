#!/usr/bin/env python3
"""Idle nodes are switched off by the site's command, and are back when a job needs them.

Of three nodes two go off, and their silence is no fault. A job of three tasks boots them, and starts no
later than power.boot_time after it was submitted. The manager is killed while nodes go off, and while they
boot: all ends as if it had not been. A node that does not boot is down, and says why; when it is switched
on by hand, the job that waits for it runs."""

import re
import sys

from deployment import ROOT, deployment, wait_until
from workload import Work, nothing_left, prove

BOOT_S = 20
HOOK = """#!/bin/sh
# {verb} NODE: the power of a node of the local cluster. Waits while the file `hold` is there.
set -eu
export ALIQUOT_LOCALCLUSTER={cluster}
echo "{verb} $1" >> {state}/{verb}.log
while [ -e {state}/hold ]; do sleep 0.05; done
if [ -e {state}/broken.$1 ]; then echo "the outlet of $1 does not answer"; exit 1; fi
said=$({localcluster} {word} "${{1#node}}" 2>&1) || case $said in
  *"is not running"* | *"runs already"*) ;;
  *) echo "$said"; exit 1 ;;
esac
echo "{verb} done"
"""


def power(live):
    """The settings, and the commands that they name."""
    words = {"off": "kill", "on": "start"}
    for verb, word in words.items():
        path = live.state / f"power_{verb}"
        path.write_text(
            HOOK.format(
                verb=verb,
                word=word,
                state=live.state,
                cluster=live.cluster,
                localcluster=ROOT / "tools/localcluster",
            )
        )
        path.chmod(0o755)
    return [
        "power:",
        "  rule: aliquot",
        f"  boot_time: {BOOT_S}s",
        "  minimum_on: 0s",
        "  reserve: 1",
        "  caution: 0",
        "  idle_watts: 190",  # idle for boot_time, a node has drawn what a boot costs
        "  full_watts: 190",
        "  asleep_watts: 0",
        f"  off_command: [{live.state}/power_off]",
        f"  on_command: [{live.state}/power_on]",
        f"  boot_limit: {BOOT_S}s",
    ]


def powers(live):
    return {node["node"]: node["power"] for node in live.ask("node", "list")["nodes"]}


def asleep(live):
    return sorted(name for name, state in powers(live).items() if state == "off")


def two_are_off(live):
    return wait_until("two nodes are off", lambda: len(asleep(live)) == 2 and asleep(live), 180)


def calls(live, verb):
    log = live.state / f"{verb}.log"
    return log.read_text().count("\n") if log.exists() else 0


def wide(name, lasts=5):
    return Work(name, tasks=3, mib=96, lasts=lasts)


def runs(live, number):
    return wait_until("it runs on three nodes", lambda: len(live.places(number) or []) == 3, 240)


def sleep_and_wake(live, ids):
    off = two_are_off(live)
    for node in live.ask("node", "list")["nodes"]:
        assert node["state"] == "up" and node["silent_s"] is None, node
    said = live.call("why", off[0]).out
    assert f"{off[0]} is off since" in said and "the other nodes carry the load" in said, said
    ids["first"] = live.submit(*wide("first").words())
    runs(live, ids["first"])
    events = live.events()
    submitted = next(e["at_s"] for e in events if e["event"].get("event") == "submitted")
    booted = [
        e["at_s"]
        for e in events
        if e["event"].get("event") == "power_changed" and e["event"]["power"] == "on"
    ]
    print(f"the last node was on {max(booted) - submitted:.1f} s after the job was submitted")
    assert len(booted) == 2 and max(booted) - submitted <= BOOT_S, (submitted, booted)
    said = {node: live.call("why", node).out for node in off}
    learned = {node: re.search(r"expected to boot in (\S+), by its last boots", said[node]) for node in off}
    assert all(learned.values()), said
    print("  and they are expected to boot in", [found.group(1) for found in learned.values()])
    changes = [e["event"] for e in events if e["event"].get("event") == "node_changed"]
    silence = [change for change in changes if change["state"] != "up"]
    assert not silence, f"its silence was taken for a fault: {silence}"


def kill_while(live, what, ready):
    """Kills and starts the manager while the command of a node is held up."""
    hold = live.state / "hold"
    hold.touch()
    verb = "off" if what == "going_off" else "on"
    before = calls(live, verb)
    result = ready()
    wait_until(f"a command says {verb}", lambda: calls(live, verb) > before, 180)
    assert what in powers(live).values(), powers(live)
    live.kill()
    before = calls(live, verb)
    live.start()
    wait_until(f"the new manager says {verb} again", lambda: calls(live, verb) > before, 60)
    assert what in powers(live).values(), powers(live)
    hold.unlink()
    return result


def survive_kills(live, ids):
    kill_while(live, "going_off", lambda: None)
    two_are_off(live)
    submit = lambda: live.submit(*wide("second").words())
    ids["second"] = kill_while(live, "waking", submit)
    runs(live, ids["second"])


def fail_to_boot(live, ids):
    """The outlet of one node is broken. Its job waits until the node is switched on by hand."""
    broken = two_are_off(live)[0]
    (live.state / f"broken.{broken}").touch()
    ids["third"] = live.submit(*wide("third").words())
    wait_until(f"{broken} is down", lambda: live.node(broken)["state"] == "down", 120)
    node = live.node(broken)
    assert node["power"] == "on", node
    for words in ["has not booted", "power.boot_limit", "does not answer", "look at its console"]:
        assert words in node["why"], node["why"]
    started = live.localcluster("start", broken.removeprefix("node"))
    assert started.returncode == 0, started.stderr
    wait_until(f"{broken} is up", lambda: live.node(broken)["state"] == "up", 120)
    runs(live, ids["third"])


def fail_to_go_off(live):
    """The job ends, and the command that switches nodes off fails: they stay on, and are left alone for a
    while."""
    before = calls(live, "off")
    for node in (1, 2, 3):
        (live.state / f"broken.node{node}").touch()
    wait_until("a command failed", lambda: "node_not_off" in live.log.read_text(errors="replace"), 180)
    wait_until("all are on", lambda: set(powers(live).values()) == {"on"}, 60)
    assert calls(live, "off") <= before + 2, "it is tried again at once"
    name = next(n["node"] for n in live.ask("node", "list")["nodes"] if "could not" in n["power_why"])
    assert "does not answer" in live.call("why", name).out


def main():
    with deployment(nodes=3, node_mib=256, more_of=power) as live:
        ids = {}
        sleep_and_wake(live, ids)
        survive_kills(live, ids)
        fail_to_boot(live, ids)
        fail_to_go_off(live)
        for name, number in ids.items():
            wait_until(f"{name} ends", lambda n=number: live.job(n)["ended_at"], 300)
        print("ok:", prove(live, ids, [wide(name) for name in ids]))
        nothing_left(live)


if __name__ == "__main__":
    sys.exit(main())
