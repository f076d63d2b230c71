#!/usr/bin/env python3
"""A job with a network grows from 1 task to 3 on real nodes, is saved and restored, shrinks to 2 and
grows again. Every task reaches all others by name, those that it was started with and those that came
later, and loses the names of those that have left. The manager is killed (SIGKILL) when it has added tasks,
and when it has told one to leave. Nothing of the network is left on any node."""

import sys
import time

from agents import Agents
from deployment import deployment, wait_until
from evolving_test import killed_upon, states
from network_test import left_behind, lines

NODES = 2
# Says which names it knows whenever they change, and once of each name that it answers.
LOOKS = """
trap "echo told; exit 0" TERM
known= reached=" "
while :; do
  names=$(awk '$2 ~ /^task[0-9]+$/ { printf " %s", $2 }' /etc/hosts)
  [ "$names" = "$known" ] || echo "names$names"
  known=$names
  for each in $names; do
    case $reached in *" $each "*) continue ;; esac
    ping -c 1 -W 1 $each >/dev/null && reached="$reached$each " && echo "reached $each"
  done
  sleep 1
done
"""


def names(live, job, task):
    """The names that the task knows now, by number."""
    said = [line for line in lines(live, job, task) if line.startswith("names")]
    return [int(word.removeprefix("task")) for word in said[-1].split()[1:]] if said else []


def know_each_other(live, job, tasks, what):
    begun = time.monotonic()
    for task in tasks:
        wait_until(f"task {task} knows {tasks} {what}", lambda: names(live, job, task) == tasks, 180)
        reached = [f"reached task{other}" for other in tasks]
        wait_until(
            f"task {task} reaches {tasks} {what}",
            lambda: all(line in lines(live, job, task) for line in reached),
            180,
        )
    print(f"ok: {tasks} reach each other {what}, {time.monotonic() - begun:.0f} s later", flush=True)


def evolve(live, job, tasks):
    said = live.call("evolve", job, "--tasks", tasks)
    assert said.code == 0, said


def scenes(agents):
    settings = ["network:", "  jobs: on-request"]
    with deployment(nodes=NODES, node_mib=400, policy="ALIQUOT", more=settings, reach=agents.reach) as live:
        words = ["--mem", "96MiB", "--cpus", "0.25", "--network", "job", "--grace", "60s"]
        job = live.submit(*words, "--", "sh", "-c", LOOKS)
        know_each_other(live, job, [0], "alone")
        evolve(live, job, 3)
        killed_upon(live, "growth", f"job_tasks_added job={job} ")
        wait_until("three tasks run", lambda: states(live, job) == ["running"] * 3, 240)
        know_each_other(live, job, [0, 1, 2], "after it has grown")
        print("  they run on", live.places(job), flush=True)
        live.call("hold", job)
        wait_until("all are saved", lambda: set(states(live, job)) == {"saved"}, 180)
        live.call("release", job)
        wait_until("all run again", lambda: states(live, job) == ["running"] * 3, 180)
        evolve(live, job, 2)
        killed_upon(live, "a notice", "action=notify ")
        wait_until("two tasks are left", lambda: live.job(job)["tasks_left"] == 2, 180)
        know_each_other(live, job, [0, 1], "after it has shrunk")
        assert "told" in lines(live, job, 2), lines(live, job, 2)
        evolve(live, job, 3)
        know_each_other(live, job, [0, 1, 3], "after it has grown again")
        assert names(live, job, 2) == [0, 1, 2], "a task that has left is told of nothing any more"
        live.call("cancel", job)
        wait_until("nothing is left behind", lambda: not left_behind(live, NODES), 60)
        print("ok: nothing is left on the nodes", flush=True)


def main():
    agents = Agents()
    try:
        scenes(agents)
    finally:
        agents.stop()


if __name__ == "__main__":
    sys.exit(main())
