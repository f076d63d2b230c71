#!/usr/bin/env python3
"""Jobs with checkpoints lose VMs: the manager is killed, then the QEMU of one of the two VMs of a hash
chain and that of a Linux job, then the manager comes back. The jobs go on from their checkpoints, all VMs
of a job from the same one. They have lost no more served time than was at risk, and nothing of their
output: the chains are recomputed here, the lines of the Linux job counted."""

import os
import pathlib
import re
import signal
import sys

from deployment import deployment, wait_until
from workload import UNIT, Work, chain_faults

INTERVAL_S = 5
CHAIN = Work("chain", tasks=2, mib=64, lasts=30)
LINES = 1200
LOG = (
    f"i=0; while [ $i -lt {LINES} ]; do i=$((i + 1)); echo line $i; echo $i >> /tmp/log; sleep 0.05; done; "
    "wc -l < /tmp/log; tail -n 1 /tmp/log"
)


def submit(live, *words):
    job = live.submit("--checkpoint", f"{INTERVAL_S}s", *words)
    wait_until(f"job {job} runs", lambda: live.job(job)["state"] == "running", 240)
    return job


def wait_for_checkpoint(live, job, number):
    def made():
        row = live.job(job)
        assert not row["ended_at"], f"job {job} ended before its checkpoint: too little work in it"
        kept = row["checkpoint"]["kept"]
        return kept and kept[-1]["number"] >= number

    wait_until(f"job {job} has checkpoint {number}", made, 300)


def files_of(live, job):
    return [path.name for path in (live.spool / str(job)).glob("checkpoint-*")]


def kill_vm(live, job, task):
    names = [name for node in (1, 2) for name in live.domains(node)]
    name = next(name for name in names if name.startswith(f"aliquot-{job}.{task}-"))
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if f"guest={name}," in words:
            os.kill(int(entry.name), signal.SIGKILL)
            return
    raise AssertionError(f"no process of {name}")


def go_on(live, job, before):
    """From its newest checkpoint of before, or from one that was under way then."""
    wait_until(
        f"job {job} has been restored",
        lambda: "rollback" in [entry["turn"] for entry in live.ask("why", job)["history"]],
        120,
    )
    wait_until(f"job {job} runs again", lambda: live.job(job)["state"] == "running", 240)
    assert {vm["incarnation"] for vm in live.job(job)["vms"]} == {1}, "it began anew instead of going on"
    back = [entry for entry in live.ask("why", job)["history"] if entry["turn"] == "rollback"]
    assert len(back) == 1, back
    used = int(re.search(r"goes on from checkpoint (\d+)", back[0]["text"]).group(1))
    newest = before["checkpoint"]["kept"][-1]
    assert used >= newest["number"], (back, newest)
    risk, interval = before["checkpoint"]["at_risk_s"], before["checkpoint"]["interval_s"]
    assert risk <= interval + before["checkpoint"]["took_s"] + 1, before["checkpoint"]
    print(
        f"job {job}: {before['virtual_s']:.1f} s served, at most {risk:.1f} s of them lost; interval "
        f"{interval:.1f} s, pause {before['checkpoint']['pause_s']:.2f} s, checkpoint {used}",
        flush=True,
    )


def main():
    with deployment(nodes=2, node_mib=576) as live:
        chain = submit(live, *CHAIN.words())
        linux = submit(live, "--mem", "96MiB", "--cpus", "0.5", "--", "sh", "-c", LOG)
        for job in (chain, linux):
            wait_for_checkpoint(live, job, 1)
        assert "at risk" in live.call("show", chain).out, live.call("show", chain).out
        assert "checkpoints: Checkpoint" in live.call("why", chain).out, live.call("why", chain).out
        manifests = sum(name.endswith("manifest") for name in files_of(live, chain))
        assert 1 <= manifests <= 3, files_of(live, chain)
        before = {job: live.job(job) for job in (chain, linux)}
        live.kill()
        for job in (chain, linux):
            kill_vm(live, job, 0)
        live.start()
        for job in (chain, linux):
            go_on(live, job, before[job])
        for job in (chain, linux):
            wait_until(f"job {job} ends", lambda j=job: live.job(j)["ended_at"], 400)
            row = live.job(job)
            assert (row["state"], row["exit_code"]) == ("completed", 0), (row["state"], row["note"])
        links, faults = chain_faults(live, chain, CHAIN)
        assert not faults and links == CHAIN.chain() * CHAIN.tasks, (links, faults)
        said = [line for line in live.call("logs", linux).out.split("\n") if line]
        expected = [f"line {i}" for i in range(1, LINES + 1)] + [str(LINES)] * 2
        assert said == expected, f"{len(said)} lines that are not the {len(expected)} expected"
        for job in (chain, linux):
            wait_until("its checkpoints are removed", lambda j=job: not files_of(live, j), 60)
        print(f"ok: {links} links of {UNIT} steps recomputed, {LINES} lines: none lost or repeated")


if __name__ == "__main__":
    sys.exit(main())
