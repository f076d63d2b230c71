#!/usr/bin/env python3
"""VMs on a node that belong to no job. What those of another program hold is given to no job, and they are
not touched. Those of this cluster that no job knows are charged too, listed, and destroyed on an operator's
word alone."""

import sys
from deployment import GUEST, deployment, wait_until


DOMAIN = """<domain type='qemu'>
  <name>{name}</name>
  <metadata>{metadata}</metadata>
  <memory unit='MiB'>{mib}</memory><vcpu>1</vcpu>
  <cputune><period>100000</period><quota>25000</quota></cputune>
  <os><type arch='x86_64' machine='pc'>hvm</type><kernel>{kernel}</kernel></os>
  <on_poweroff>destroy</on_poweroff>
  <devices><controller type='usb' model='none'/><memballoon model='none'/></devices>
</domain>
"""
OURS = (
    "<aliquot:vm xmlns:aliquot='urn:aliquot:vm:1' cluster='{cluster}' job='{job}' task='0' "
    "incarnation='1' epoch='1'/>"
)


def make(live, name, metadata, mib):
    xml = live.state / f"{name}.xml"
    xml.write_text(
        DOMAIN.format(name=name, metadata=metadata, mib=mib, kernel=GUEST / "hashchain.elf")
    )
    live.virsh(1, "create", xml, "--paused")


def node(live):
    return live.ask("node", "show", "node1")


def holds(live, vms, mib):
    wait_until(
        f"{vms} other VMs with {mib} MiB",
        lambda: (n := node(live))["other_vms"] == vms
        and n["other_memory_bytes"] == mib << 20
        and abs(n["other_cpus"] - 0.25 * vms) < 0.001,
        60,
    )


def others_are_charged(live, whole):
    make(live, "aliquot-probe-0", "", 64)  # stands for seconds only, within the node's reserve
    make(live, "theirs", "", 200)
    holds(live, 1, 200)
    assert node(live)["memory_bytes"] == whole - (200 << 20), node(live)
    assert abs(node(live)["cpus"] - 0.75) < 0.001, node(live)
    assert live.metrics("aliquot_node_other_vms") == {'node="node1"': 1}
    # 240 MiB fit the node, not what is left of it.
    job = live.submit("--cpus", "0.5", "--mem", "240MiB", "--", "true")
    small = live.submit("--cpus", "0.5", "--mem", "96MiB", "--", "true")
    wait_until("what fits is run", lambda: live.job(small)["ended_at"])
    assert not live.job(job)["nodes"], live.job(job)
    assert "1" in live.call("node", "list", "-o", "wide").out
    live.kill()
    live.start()
    holds(live, 1, 200)
    assert not live.job(job)["nodes"], live.job(job)
    assert "theirs" in live.domains(1), "it was touched"
    live.virsh(1, "destroy", "theirs")
    holds(live, 0, 0)
    live.virsh(1, "destroy", "aliquot-probe-0")
    wait_until("the job ends", lambda: live.job(job)["ended_at"])
    assert live.job(job)["exit_code"] == 0, live.job(job)


def orphans_are_listed(live):
    cluster = (live.spool / "cluster.id").read_text().strip()
    ended = live.submit("--cpus", "0.5", "--mem", "96MiB", "--", "true")
    wait_until("a job ends", lambda: live.job(ended)["ended_at"])
    make(live, "orphan", OURS.format(cluster=cluster, job=ended), 64)
    make(live, "unheard", OURS.format(cluster=cluster, job=999), 32)
    found = wait_until(
        "both are listed",
        lambda: len(all := live.ask("node", "orphans")["orphans"]) == 2 and all,
        60,
    )
    holds(live, 2, 96)
    because = {vm["name"]: vm["because"] for vm in found}
    assert because["orphan"] == "its job has ended", because
    assert "older than the VM" in because["unheard"], because
    wait_until(
        "the metric says so",
        lambda: live.metrics("aliquot_node_orphan_vms") == {'node="node1"': 2},
        30,
    )
    live.kill()
    live.start()
    wait_until("also after a restart", lambda: len(live.ask("node", "orphans")["orphans"]) == 2, 60)
    said = live.call("node", "orphans", "--reclaim", "--dry-run")
    assert said.code == 0 and "would destroy these 2" in said.out, said.out + said.err
    assert len(live.domains(1)) == 2, "a dry run destroyed something"


def orphans_are_reclaimed(live):
    running = live.submit("--cpus", "0.2", "--mem", "32MiB", "--hash-chain", "100000:20000000")
    wait_until("a job runs", lambda: live.job(running)["state"] == "running")
    done = live.ask("node", "orphans", "--reclaim")
    assert done["destroyed"] == 2, done
    wait_until("they are gone", lambda: len(live.domains(1)) == 1, 30)
    holds(live, 0, 0)
    assert live.job(running)["state"] == "running", live.job(running)
    assert "no orphans" in live.call("node", "orphans").out
    assert "orphan_destroyed" in live.log.read_text()
    live.call("cancel", running)
    wait_until("the node is empty", lambda: not live.domains(1), 60)


def main():
    with deployment(nodes=1, node_mib=400, policy="GREEDY") as live:
        wait_until("the node is up", lambda: live.ask("status")["nodes"]["up"] == 1)
        others_are_charged(live, node(live)["memory_bytes"])
        orphans_are_listed(live)
        orphans_are_reclaimed(live)


if __name__ == "__main__":
    sys.exit(main())
