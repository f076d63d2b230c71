"""Nothing was lost: every link of every hash chain is computed again on this machine, and the primes that
the Linux guests counted are counted again."""

import concurrent.futures
import os
import re
import subprocess

from workload import UNIT, primes_below


def prove_chain(cluster, job, number):
    """(links recomputed, faults) of all tasks of one job."""
    links, faults = 0, []
    for task in range(job.part.tasks):
        console = cluster.console(number, task)
        audit = [cluster.binaries / "aliquot-chain", console, str(UNIT), str(job.links)]
        done = subprocess.run(audit, capture_output=True, text=True, timeout=120)
        found = re.search(r"recomputed (\d+)", done.stdout)
        links += int(found.group(1)) if found else 0
        if done.returncode != 0:
            faults.append(f"chain of {job.name}.{task}: {(done.stdout + done.stderr).strip()}")
    return links, faults


def count_primes(cluster, number, tasks):
    """The sum of what the tasks say they found."""
    found = 0
    for task in range(tasks):
        log = subprocess.run(
            [cluster.binaries / "aliquot", "logs", f"{number}.{task}"],
            capture_output=True,
            text=True,
            timeout=60,
        ).stdout
        said = re.search(r"range=.* count=(\d+)", log)
        found += int(said.group(1)) if said else 0
    return found


def prove(cluster, ids, jobs):
    """(lines to show, faults)."""
    links, wanted, faults, lines = 0, 0, [], []
    chains = [job for job in jobs if job.links]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        audits = list(pool.map(lambda job: prove_chain(cluster, job, ids[job.name]), chains))
    for job, (done, wrong) in zip(chains, audits):
        wanted, links, faults = wanted + job.links * job.part.tasks, links + done, faults + wrong
    for job in (job for job in jobs if job.primes):
        found, expected = count_primes(cluster, ids[job.name], job.part.tasks), primes_below(job.primes)
        lines.append(
            f"{job.name}: {found:,} primes below {job.primes:,} counted in {job.part.tasks} Linux guests, "
            f"{expected:,} here"
        )
        if found != expected:
            faults.append(f"the guests of {job.name} counted other primes than this machine")
    lines.append(f"hash chains: {links:,} of {wanted:,} links recomputed here, {wanted - links:,} lost")
    if links != wanted:
        faults.append(f"{wanted - links} links of the hash chains are missing")
    return lines, faults
