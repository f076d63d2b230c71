"""Verifies that no work was lost: computes every link of every hash chain again on the host, and counts
again the primes that the Linux guests counted."""

import concurrent.futures
import os
import re
import subprocess

from jobs import UNIT, primes_below

PATIENCE_S = 1800


def verify_chain(cluster, job, number):
    """(links recomputed, faults) of all tasks of one job."""
    links, faults = 0, []
    for task in range(job.shape.tasks):
        console = cluster.console(number, task)
        audit = [cluster.binaries / "aliquot-chain", console, str(UNIT), str(job.links)]
        done = subprocess.run(audit, capture_output=True, text=True, timeout=PATIENCE_S)
        found = re.search(r"recomputed (\d+)", done.stdout)
        links += int(found.group(1)) if found else 0
        if done.returncode != 0:
            faults.append(f"chain of {job.name}.{task}: {(done.stdout + done.stderr).strip()}")
    return links, faults


def count_primes(cluster, number, tasks):
    """The sum of the counts that the tasks printed."""
    found = 0
    for task in range(tasks):
        printed = re.search(r"range=.* count=(\d+)", cluster.logs(number, task))
        found += int(printed.group(1)) if printed else 0
    return found


def verify(cluster, numbers, jobs):
    """(lines to show, faults)."""
    links, wanted, faults, lines = 0, 0, [], []
    chains = [job for job in jobs if job.links]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        audits = list(pool.map(lambda job: verify_chain(cluster, job, numbers[job.name]), chains))
    for job, (done, wrong) in zip(chains, audits):
        wanted, links, faults = wanted + job.links * job.shape.tasks, links + done, faults + wrong
    for job in (job for job in jobs if job.primes):
        found = count_primes(cluster, numbers[job.name], job.shape.tasks)
        expected = primes_below(job.primes)
        lines.append(
            f"{job.name}: {found:,} primes below {job.primes:,} counted in {job.shape.tasks} Linux guests, "
            f"{expected:,} here"
        )
        if found != expected:
            faults.append(f"the guests of {job.name} counted other primes than this machine")
    lines.append(f"hash chains: {links:,} of {wanted:,} links recomputed here, {wanted - links:,} lost")
    if links != wanted:
        faults.append(f"{wanted - links} links of the hash chains are missing")
    return lines, faults
