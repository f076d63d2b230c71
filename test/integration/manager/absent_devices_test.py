#!/usr/bin/env python3
"""Devices whose hardware is not there, on real libvirt and QEMU: the node says so when it is asked, a VM
that is to hold one fails with libvirt's own reason and leaves nothing behind, all else goes on."""

import sys

from deployment import deployment, wait_until
from workload import Work, nothing_left, prove

PCI = "0000:7f:1f.7"
UUID = "4b20d080-1b54-4048-85b3-a6a62d165c01"
DEVICES = f'["GPU@{PCI}", "SLICE@mdev:{UUID}", "KIND*2@mdev:nvidia-474"]'


def told_by(live):
    """What libvirt says of the node's devices, and what it cannot find."""
    found = live.ask("node", "probe", "node1")
    assert found["devices_unknown"] is None, found
    by_place = {device["place"] or device["sort"]: device for device in found["devices"]}
    for place in [PCI, f"mdev:{UUID}"]:
        assert by_place[place]["why_not"] == "libvirt does not find it on the node", by_place
    assert "2 of 2 configured have not been made" in by_place["mdev:nvidia-474"]["why_not"]
    text = live.call("node", "probe", "node1").out
    assert PCI in text and "libvirt does not find it" in text, text
    print(text, flush=True)
    slots = live.ask("node", "show", "node1")["slots"]
    assert [slot["place"] for slot in slots] == [PCI, f"mdev:{UUID}"], slots
    refused = live.call(
        "submit", "--gpus", 1, "--gpu-model", "KIND", "--mem", "32MiB", "--hash-chain", "5:9"
    )
    assert refused.code != 0 and "KIND" in refused.err, "none of this type has been made"


def fails_cleanly(live, jobs):
    """By and by, each with the hypervisor's reason; the row keeps what was asked for and held."""
    wait_until(
        "the jobs have failed",
        lambda: all(live.job(number)["state"] == "failed" for number, _ in jobs.values()),
        120,
    )
    for slot, (model, (number, mark)) in enumerate(jobs.items()):
        row = live.job(number)
        print(f"{model} failed as it should: {row['note']}", flush=True)
        assert "cannot create a VM" in row["note"] and mark in row["note"], row
        assert row["asks"]["gpu_model"] == model, row
        assert row["devices"] == [{"node": "node1", "slots": [slot]}], row
    free = [slot["parts_free"] for slot in live.ask("node", "show", "node1")["slots"]]
    assert free == [1000, 1000], free


def main():
    policy = "HYBRID(IPSCHED,DYNMCB8-ASAP-PER-4+match)"
    with deployment(nodes=1, node_mib=512, policy=policy, devices=DEVICES) as live:
        told_by(live)
        work = Work("beside", cpus=0.5, mib=64, links=40)
        beside = live.submit(*work.words())
        asking = ["--gpus", 1, "--mem", "32MiB", "--hash-chain", "5:1000", "--gpu-model"]
        marks = {"GPU": "PCI", "SLICE": "ediated"}
        fails_cleanly(live, {m: (live.submit(*asking, m), mark) for m, mark in marks.items()})
        wait_until("the other job has ended", lambda: not live.ask("list")["jobs"], 200)
        print("ok:", prove(live, {"beside": beside}, [work]))
        wait_until("the node is empty", lambda: not live.domains(1), 30)
        nothing_left(live)


if __name__ == "__main__":
    sys.exit(main())
