#!/usr/bin/env python3
"""The policy changes through all nine names while jobs run, wait and come: each name is in force when it
was set, the last also after a restart, and every job completes whole, each task once."""

import sys
import time

from deployment import deployment, wait_until
from workload import Work, nothing_left, prove

NAMES = [
    "FCFS",
    "EASY",
    "GREEDY",
    "GREEDY-PMTN",
    "GREEDY-PMTN-MIGR",
    "DYNMCB8",
    "DYNMCB8-PER-4",
    "DYNMCB8-ASAP-PER-4",
    "DYNMCB8-STRETCH-PER-4",
]
SECONDS_EACH = 4


def main():
    with deployment(nodes=2, node_mib=512, policy="DYNMCB8-ASAP-PER-4+match") as live:
        works, ids = [], {}
        for i, name in enumerate(NAMES):
            work = Work(
                f"job{i}",
                tasks=1 + i % 2,
                cpus=0.5 + 0.25 * (i % 3),
                mib=64 + 48 * (i % 4),
                links=40,
            )
            works.append(work)
            ids[work.name] = live.submit(*work.words())
            live.call("policy", "set", name)
            assert live.ask("policy", "show")["policy"] == name, f"{name} is not in force"
            time.sleep(SECONDS_EACH)
            states = [live.job(n)["state"] for n in ids.values()]
            print(f"{name:<24}" + " ".join(states), flush=True)
        live.stop()
        live.start()
        kept = live.ask("policy", "show")["policy"]
        assert kept == NAMES[-1], f"after a restart of the manager the policy is {kept}"
        wait_until("every job has ended", lambda: not live.ask("list")["jobs"], 400)
        print("ok:", prove(live, ids, works))
        live.wait_until_empty(1, 2)
        nothing_left(live)


if __name__ == "__main__":
    sys.exit(main())
