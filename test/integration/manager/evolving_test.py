#!/usr/bin/env python3
"""A job of hash chains grows from 1 task to 4 and shrinks to 2 as its profile says, while two other jobs
run; the manager is killed (SIGKILL) while it grows and while it shrinks. Then a user announces that a job
of Linux guests is to shrink: a task that listens ends by itself, one that does not is taken off by force.
A third job announces from inside that it is to grow and to shrink. Every chain is whole, and every exit
status right."""

import sys

from deployment import deployment, wait_until
from workload import UNIT, Work, chain_faults, nothing_left, once_faults, prove

# A manager that has been killed may take half a minute until it acts again.
PROFILE = "8s:1,50s:4,2"
EVOLVING = Work("evolving", tasks=4, cpus=0.2, mib=32, lasts=20)
OTHERS = [Work(f"other{k}", cpus=0.25, mib=32, lasts=4) for k in range(2)]
LISTENS = """case $ALIQUOT_TASK in
2) trap "" TERM ;;
*) trap "echo told; exit 0" TERM ;;
esac
echo begun
while :; do sleep 1; done"""

ANNOUNCES = """trap "echo told; exit 0" TERM
echo begun
if [ "$ALIQUOT_TASK" = 0 ]; then
  aliquot-evolve 1000 && aliquot-evolve 2 || exit 1
  sleep 20; aliquot-evolve 1 3
  sleep 20; exit 0
fi
while :; do sleep 1; done"""


def killed_upon(live, what, line):
    """Kills the manager when its log has the line, and starts it again."""
    wait_until(what, lambda: line in live.log.read_text(errors="replace"), 180, every=0.01)
    live.kill()
    live.start()
    print(f"  killed the manager upon {what}", flush=True)


def states(live, job):
    return [vm["state"] for vm in live.job(job)["vms"]]


def grows_and_shrinks_by_its_profile(live):
    words = ["--profile", PROFILE, "--cpus", EVOLVING.cpus, "--mem", f"{EVOLVING.mib}MiB"]
    job = live.submit(*words, "--hash-chain", f"{EVOLVING.chain()}:{UNIT}")
    others = {work.name: live.submit(*work.words()) for work in OTHERS}
    assert live.job(job)["evolution"]["profile"] == PROFILE, live.job(job)["evolution"]
    killed_upon(live, "growth", f"job_tasks_added job={job} ")
    wait_until("four tasks run", lambda: states(live, job).count("running") == 4, 180, every=0.05)
    killed_upon(live, "a notice", "action=notify ")
    wait_until("two tasks have left", lambda: live.job(job)["tasks_left"] == 2, 120)
    wait_until("it has ended", lambda: live.job(job)["ended_at"], 300)
    ended = live.job(job)
    assert (ended["state"], ended["exit_code"]) == ("completed", 0), ended
    links, faults = chain_faults(live, job, EVOLVING)
    faults += once_faults(live, job, EVOLVING)
    for task in range(EVOLVING.tasks):
        last = live.call("logs", f"{job}.{task}").out.split("\n")[-2]
        if last != ("MICRO left" if task >= 2 else "MICRO done"):
            faults.append(f"task {task} ended with: {last}")
    assert not faults, "\n".join(faults)
    for work in OTHERS:
        wait_until(f"{work.name} has ended", lambda: live.job(others[work.name])["ended_at"], 180)
    print(f"  1, 4 and 2 tasks, {links} links; {prove(live, others, OTHERS)}", flush=True)


def shrinks_by_notice_and_by_force(live):
    words = ["--tasks", 3, "--cpus", 0.3, "--mem", "96MiB", "--grace", "5s"]
    job = live.submit(*words, "--", "sh", "-c", LISTENS)
    begun = lambda: all("begun" in live.call("logs", f"{job}.{task}").out for task in range(3))
    wait_until("all tasks have begun", begun, 240)
    said = live.call("evolve", job, "--tasks", 1, "--in", "20s")
    assert said.code == 0 and "1 task in 20" in said.out, said
    announced = live.job(job)["evolution"]["announced"]
    assert [change["tasks"] for change in announced] == [1], announced
    wait_until("one task is left", lambda: live.job(job)["tasks_left"] == 1, 120)
    vms = live.job(job)["vms"]
    assert [vm["state"] for vm in vms] == ["running", "ended", "ended"], vms
    assert "told" in live.call("logs", f"{job}.1").out
    assert "told" not in live.call("logs", f"{job}.2").out
    told = live.call("why", job).out
    assert "is to have 1 task: uid " in told and "task 2 did not leave" in told, told
    back = live.call("evolve", job, "--tasks", 2)
    assert back.code == 0, back
    wait_until("it has grown", lambda: states(live, job)[3:] == ["running"], 120)
    wait_until("task 3 has begun", lambda: "begun" in live.call("logs", f"{job}.3").out, 120)
    too_many = live.call("evolve", job, "--tasks", 1000)
    assert too_many.code != 0 and "the empty cluster holds" in too_many.err, too_many
    live.call("cancel", job)
    wait_until("it has ended", lambda: live.job(job)["ended_at"], 60)
    assert live.call("logs", f"{job}.3").code == 0, "the output of a task that joined is kept"
    print("  a task left when it was told to, another by force, and a third joined", flush=True)


def announces_from_inside(live):
    words = ["--cpus", 0.3, "--mem", "96MiB", "--", "sh", "-c", ANNOUNCES]
    job = live.submit(*words)
    wait_until("it has grown", lambda: states(live, job)[1:] == ["running"], 240)
    live.kill()
    live.start()
    wait_until("it has ended", lambda: live.job(job)["ended_at"], 240)
    ended = live.job(job)
    assert (ended["state"], ended["exit_code"]) == ("completed", 0), ended
    assert "told" in live.call("logs", f"{job}.1").out
    changes = [e["event"] for e in live.events(job) if e["event"].get("event") == "tasks_changed"]
    said = [(change["tasks"], change["guest"]["number"]) for change in changes if "guest" in change]
    assert said == [(2, 2), (1, 3)], changes
    assert f"announcement_refused job={job} task=0 " in live.log.read_text(errors="replace")
    print("  a job grew and shrank as one of its tasks announced", flush=True)


def main():
    with deployment(nodes=2, node_mib=576, policy="ALIQUOT") as live:
        grows_and_shrinks_by_its_profile(live)
        shrinks_by_notice_and_by_force(live)
        announces_from_inside(live)
        nothing_left(live)
        print("ok", flush=True)


if __name__ == "__main__":
    sys.exit(main())
