#!/usr/bin/env python3
"""Every verb of the command line on a live manager: jobs of all kinds through all their states, what is
said of them, what is refused and with which exit code, and metrics that promtool accepts. Which verbs there
are is what the program says: one that is not called here fails the test."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request

from boot_disk import disk
from deployment import BIN, deployment, wait_until
from key_words import keys_and_audit
from slurm_page import slurm
from workload import UNIT, Work, chain_faults, nothing_left

OK, JOB_FAILED, USAGE, NOT_FOUND, REFUSED, CONFLICT, UNREACHABLE, FORBIDDEN = 0, 1, 2, 3, 4, 5, 6, 7
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
LONG = ["--hash-chain", f"100000:{UNIT}", "--mem", "32MiB"]
JOB_FILE = """tasks: 2
cpus: 0.5
mem: 96MiB
name: filed
command: [sh, -c, "echo task $ALIQUOT_TASK of $ALIQUOT_TASKS; for i in 1 2 3; do echo $i; sleep 1; done"]
"""


class Session:
    def __init__(self, live):
        self.live, self.words, self.called = live, 0, set()

    def say(self, expected, *words, part="", **more):
        """The answer to a call, which must have this exit code and say this; with -o json it must parse."""
        answer = self.live.call(*words, **more)
        self.words += 1
        told = [str(word) for word in words]
        self.called |= {*told, *map(" ".join, zip(told, told[1:]))}
        said = answer.out + answer.err
        assert answer.code == expected, f"{words}: exit {answer.code}, not {expected}: {said}"
        assert part in said, f"{words}: does not say '{part}': {said}"
        if "json" in words:
            json.loads(answer.out)
        return answer

    def state(self, job):
        return self.live.job(job)["state"]

    def explains(self, job, *reasons):
        """What is said of the job at this moment has one of these reasons, and a sentence to it."""
        why = self.live.ask("why", job)
        self.words += 1
        assert why["reason"] in reasons, why
        assert len(why["text"].split()) > 5 and "unknown" not in why["text"], why
        return why["text"]

    def becomes(self, job, *states):
        wait_until(f"job {job} is {states}", lambda: self.state(job) in states, 120)


def submissions(s):
    """All ways to submit, and what --wait makes of the end."""
    dry = s.say(OK, "submit", "--dry-run", *LONG)
    assert dry.out and not s.live.ask("list")["jobs"], "a dry run submitted a job"
    s.say(OK, "submit", "--wait", "--mem", "32MiB", "--hash-chain", f"3:{UNIT}")
    task_failures(s)
    file = s.live.state / "job.yaml"
    file.write_text(JOB_FILE)
    filed = int(s.say(OK, "submit", "--parsable", "-f", file).out)
    once = [
        s.say(OK, "submit", "--parsable", "--key", "the-same", *LONG[:1], f"3:{UNIT}").out
        for _ in range(2)
    ]
    assert once[0] == once[1], f"one key, two jobs: {once}"
    chain = Work("chain", tasks=2, mib=32, links=20)
    number = s.live.submit(*chain.words())
    followed = s.say(OK, "logs", "-f", f"{filed}.1", timeout=120).out
    assert followed == "task 1 of 2\n1\n2\n3\n", followed
    for job in [filed, int(once[0]), number]:
        s.becomes(job, "completed")
    assert s.say(OK, "logs", f"{filed}.0").out == "task 0 of 2\n1\n2\n3\n"
    links, faults = chain_faults(s.live, number, chain)
    assert links == 40 and not faults, faults
    return filed


def task_failures(s):
    """One of two tasks fails at once; the other is ended with it, or goes on where that was asked for."""
    two = ["submit", "--wait", "--tasks", 2, "--mem", "96MiB"]
    for word, span_s in [("fail", 600), ("continue", 2)]:
        tasks = f"[ $ALIQUOT_TASK = 1 ] && exit 5; sleep {span_s}; echo whole"
        asked = ["--on-task-failure", word, "--name", word, "--max-cpus", 1]
        s.say(JOB_FAILED, *two, *asked, "--", "sh", "-c", tasks, timeout=180)
        job = next(j for j in s.live.ask("list", "--all")["jobs"] if j["name"] == word)
        assert (job["state"], job["exit_code"]) == ("failed", 5), job
        went_on = s.say(OK, "logs", f"{job['job']}.0").out == "whole\n"
        assert went_on == (word == "continue"), f"{word}: the other task {went_on=}"
    s.say(
        USAGE, *two, "--on-task-failure", "ignore", "--", "true", part="neither fail nor continue"
    )
    s.say(USAGE, *two, "--max-cpus", "0.5", "--", "true", part="--max-cpus")
    s.say(REFUSED, "submit", "--max-cpus", 9, "--", "true", part="lower --max-cpus")


def states(s):
    """A job through its states, with what `why` says in each, and cancelled in each of them."""
    held = s.live.submit("--hold", *LONG)
    s.say(OK, "why", held, part="held")
    deferred = s.live.submit("--after", f"ok:{held}", "--begin", "now+2h", *LONG)
    s.say(OK, "why", deferred, part=f"waits for job {held} to complete. It begins in")
    s.say(OK, "cancel", held)
    running = s.live.submit(*LONG)
    s.becomes(running, "running")
    s.say(OK, "why", running)
    s.say(OK, "hold", running)
    wait_until("it is saved", lambda: s.live.job(running)["vms"][0]["state"] == "saved")
    s.say(OK, "why", running, part="held")
    s.say(OK, "release", running)
    s.say(CONFLICT, "release", running, part="not held")
    s.becomes(running, "running")
    console = s.live.spool / str(running) / "0.log"
    size = console.stat().st_size
    wait_until("it goes on where it was", lambda: console.stat().st_size > size + 100)
    wide = s.live.submit(
        "--tasks", 2, "--cpus", 1, "--mem", "400MiB", "--hash-chain", f"100000:{UNIT}"
    )
    s.becomes(wide, "running")
    waiting = s.live.submit("--mem", "400MiB", "--hash-chain", f"100000:{UNIT}")
    said = s.explains(waiting, "memory", "waiting_for_tick", "lower_priority", "in_flight")
    assert "asks for" in said or "It is starting" in said, said
    s.say(OK, "cancel", waiting)
    s.say(OK, "cancel", wide)
    s.say(OK, "hold", running)
    wait_until("it is saved again", lambda: s.live.job(running)["vms"][0]["state"] == "saved")
    s.say(OK, "cancel", running)
    for job in [held, running, wide, waiting]:
        s.becomes(job, "cancelled")
        s.say(OK, "why", job)
        s.say(CONFLICT, "cancel", job, part="ended already")
    early = s.live.submit(*LONG)
    s.explains(early, "in_flight", "running_at_full_yield", "sharing_cpu")
    s.say(OK, "cancel", early)  # while its VM is being made
    s.becomes(early, "cancelled")


def needs(s):
    """A job that needs more, and less, while it runs: its cap follows."""
    job = s.live.submit("--cpus", "0.5", "--max-cpus", 1, *LONG)
    s.becomes(job, "running")

    def quota(needed):
        return s.live.job(job)["cpus"] == needed and s.live.job(job)["vms"][0]["cap"] == 1

    s.say(OK, "set", job, "--cpus", 1, part=f"job {job}: a task needs 1 core")
    wait_until("it has all it needs", lambda: quota(1))
    s.say(OK, "why", job, part="has changed its need from 0.5 to 1 core")
    s.say(OK, "set", job, "--cpus", "0.25", "-o", "json")
    wait_until("it has all it needs", lambda: quota(0.25))
    s.say(REFUSED, "set", job, "--cpus", "1.5", part="may need at most 1 core")
    s.say(USAGE, "set", job, "--cpus", "much", part="--cpus")
    s.say(OK, "evolve", job, "--tasks", 1, "--in", "1h", part=f"job {job}: it is to have 1 task in ")
    s.say(OK, "evolve", job, "--tasks", 1, "-o", "json")
    s.say(REFUSED, "evolve", job, "--tasks", 1000, part="the empty cluster holds")
    s.say(USAGE, "evolve", job, "--tasks", 0, part="--tasks")
    s.say(OK, "cancel", job)
    s.say(CONFLICT, "set", job, "--cpus", 1, part="already")


def arrays(s):
    array = s.live.submit("--hold", "--array", "0-3%2", *LONG)
    s.say(OK, "list", part=f"{array}[0-3%2]")
    s.say(OK, "why", array, part="held")
    s.say(OK, "release", array)
    s.say(OK, "list", "--array", array, "-o", "json")
    s.say(OK, "why", array, part="2 are to come")
    s.say(NOT_FOUND, "show", f"{array}[3]", part="has not been made")
    s.say(OK, "cancel", f"{array}[1-3]", part="3 members cancelled")
    first = s.live.ask("show", f"{array}[0]")["job"]
    s.becomes(first, "running")
    s.say(CONFLICT, "requeue", array, part="is an array")
    s.say(OK, "requeue", f"{array}[0]", part="starts anew")
    wait_until("it runs anew", lambda: s.live.job(first)["reruns"] == 1, 120)
    s.becomes(first, "running")
    s.say(OK, "cancel", array)
    s.becomes(array, "cancelled")
    lines = s.live.cluster / "batch"
    lines.write_text("\n".join(["--hold " + " ".join(LONG)] * 3))
    jobs = s.say(OK, "submit", "--parsable", "--batch", lines).out.split()
    assert len(jobs) == 3, jobs
    s.say(CONFLICT, "requeue", jobs[0], part="has not begun")
    s.say(OK, "cancel", *jobs)
    lines.write_text("--hold " + " ".join(LONG) + "\n--tasks 0 " + " ".join(LONG))
    s.say(USAGE, "submit", "--batch", lines, part="batch:2: --tasks")


def errors(s):
    s.say(NOT_FOUND, "set", 4711, "--cpus", 1, part="4711")
    s.say(NOT_FOUND, "evolve", 4711, "--tasks", 2, part="4711")
    for word in ["show", "why", "cancel", "hold", "release", "requeue", "logs", "fetch", "attach"]:
        s.say(NOT_FOUND, word, 4711, part="4711")
    s.say(NOT_FOUND, "node", "show", "node9", part="node9")
    s.say(NOT_FOUND, "node", "probe", "node9", part="node9")
    s.say(OK, "node", "orphans", part="no orphans")
    s.say(OK, "node", "orphans", "--reclaim", "-o", "json")
    s.say(USAGE, "frobnicate")
    s.say(USAGE, "submit", "--tasks", "0", *LONG)
    s.say(USAGE, "submit", "--mem", "lots", *LONG[:2])
    s.say(USAGE, "submit", "--hash-chain", "many", part="BLOCKS:UNIT")
    wide = s.live.call("submit", "--tasks", 1000000, *LONG)
    assert wide.code in (USAGE, REFUSED), f"a million tasks: {wide.code} {wide.out}{wide.err}"
    bad = s.live.call("policy", "set", "DYNMCB9")
    assert bad.code in (USAGE, REFUSED) and "DYNMCB8" in bad.err, f"{bad.code} {bad.err}"
    s.say(UNREACHABLE, "--server", s.live.state / "nowhere.sock", "list")


def forbidden(s):
    """Another user may look, and may neither operate nor touch what is not theirs."""
    copy = s.live.state / "aliquot"  # where anybody may run it
    shutil.copy(BIN / "aliquot", copy)
    os.chmod(copy, 0o755)
    job = s.live.submit("--hold", *LONG)
    for words in [
        ["policy", "set", "FCFS"],
        ["account", "set", "lab", "--jobs", "4"],
        ["account", "reset", "lab"],
        ["mode", "set", "off"],
        ["period", "set", "9"],
        ["cancel", job],
    ]:
        done = subprocess.run(
            [*NOBODY, copy, *map(str, words)],
            env=s.live.environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (
            done.returncode == FORBIDDEN
        ), f"nobody: {words}: {done.returncode} {done.stdout}{done.stderr}"
        s.words += 1
    s.say(OK, "cancel", job)


def settings(s):
    for mode in ["off", "advise", "auto"]:
        s.say(OK, "mode", "set", mode)
        s.say(OK, "mode", "show", part=mode)
    s.say(OK, "policy", "set", "DYNMCB8-ASAP-PER-9+match", part="PER-9+match")
    s.say(OK, "period", "set", "7")
    s.say(OK, "policy", "show", part="PER-7+match")
    s.say(OK, "policy", "show", part="set by user id 0")
    s.say(OK, "period", "reset", part="as configured")
    s.say(OK, "policy", "set", "FCFS")
    s.say(OK, "policy", "reset", part="PER-5+match")
    s.say(OK, "mode", "set", "advise")
    s.say(OK, "mode", "reset", part="auto")
    s.say(OK, "account", "set", "lab", "--jobs", "4", "--user-cpu", "1.5", part="each user: cpu 1.5")
    s.say(OK, "account", "list", part="jobs 0 of 4")
    s.say(OK, "account", "show", "lab", "-o", "json")
    s.say(OK, "account", "reset", "lab", part="no limits of its own")


def nodes(s):
    """Nodes by command; another test does this with jobs on them."""
    s.say(OK, "node", "add", "node3", "--uri", "qemu:///system", "--dry-run", part="would be added")
    s.say(CONFLICT, "node", "add", "node2", "--uri", "qemu:///system", part="already")
    s.say(OK, "node", "rename", "node2", "other", part="renamed to other")
    s.say(OK, "node", "rename", "other", "node2", "-o", "json")
    s.say(OK, "node", "remove", "node2", "--dry-run", part="would be removed")
    s.say(NOT_FOUND, "node", "remove", "node9", part="node9")
    s.say(OK, "node", "accept-host", "node1", "--dry-run")
    s.say(CONFLICT, "node", "confirm-down", "node1", part="answers")
    s.say(OK, "node", "drain", "node2", "--dry-run")
    s.say(OK, "node", "drain", "node2", "--mode", "wait")
    s.say(OK, "node", "resume", "node2")
    s.say(CONFLICT, "node", "resume", "node2", part="not being drained")
    s.say(OK, "node", "drain", "node2", "--deadline", "2h", "--then", "stay", "--dry-run")
    s.say(OK, "node", "drain", "node2", "--at", "now+2h", part="is to be drained from")
    s.say(OK, "node", "show", "node2", part="to be drained (migrate) from")
    s.say(OK, "node", "resume", "node2")
    s.say(OK, "node", "maintain", "node2", "--mode", "save", "--command", "true", timeout=240)
    s.say(USAGE, "node", "maintain", "node2", part="--command COMMAND, or --pause")
    s.say(OK, "plan", "--save", s.live.state / "plan.json", part="aliquot plan --apply")
    s.say(OK, "plan", "--what-if", "node-down=node2", part="what if node-down=node2")
    s.say(OK, "plan", "--what-if", "add-node=like:node1", "--what-if", "period=60", "-o", "json")
    s.say(NOT_FOUND, "plan", "--what-if", "drain=node9", part="node9")
    s.say(USAGE, "plan", "--what-if", "nodedown=node2", part="write node-down=NODE")


def maintenance(s):
    """Windows that begin after the test; another test sees them begin."""
    window = ["--nodes", "node2", "--from", "now+2h", "--to", "now+4h"]
    s.say(OK, "maintenance", "add", "ram", *window, "--dry-run", part="would be planned: ram of node2")
    s.say(OK, "maintenance", "add", "ram", *window, "--lead", "1h", part="empty from")
    s.say(CONFLICT, "maintenance", "add", "disks", *window, part="window ram has node node2")
    s.say(OK, "maintenance", "list", part="ram   planned")
    s.say(OK, "maintenance", "remove", "ram", part="is removed")
    s.say(NOT_FOUND, "maintenance", "remove", "ram", part="no maintenance window")
    s.say(OK, "maintenance", "list", part="no maintenance is planned")
    s.say(OK, "motd", "set", "all well", part="set by uid")
    s.say(OK, "motd", "show", part="all well")
    s.say(OK, "motd", "clear", part="no message of the day")
    for verb in ["status", "step-down"]:
        s.say(REFUSED, "ha", verb, part="this manager is the only one")


def results(s):
    words = ["--env", "A=one", "--stdin", "/etc/hostname", "--stage-out", "made", "--mem", "96MiB"]
    s.say(OK, "submit", "--wait", "--name", "made", *words, "--", "sh", "-c", "echo $A > made")
    job = next(j for j in s.live.ask("list", "--all")["jobs"] if j["name"] == "made")["job"]
    s.say(OK, "show", job, part="A=one")
    folder = s.live.state / "fetched"
    s.say(OK, "fetch", job, "--to", folder, part="task 0: 1 file, 4B")
    assert (folder / "made").read_text() == "one\n"
    s.say(CONFLICT, "fetch", job, "--to", folder, part="--force")
    s.say(OK, "fetch", f"{job}.0", "--to", folder, "--force", "-o", "json")
    s.say(USAGE, "fetch", "made", part="no job number")


def knowledge(s):
    known = s.live.state / "known.csv"
    s.say(OK, "knowledge", "list", part="nothing is known yet")
    s.say(OK, "knowledge", "export", "--to", known, part="wrote")
    known.write_text(known.read_text() + "cfd,1000,50,6,90000000,268435456\n")
    s.say(OK, "knowledge", "import", known, part="took in 1 entries")
    s.say(OK, "knowledge", "list", part="cfd")
    for words in (["list"], ["export"]):
        s.say(OK, "knowledge", *words, "-o", "json")
    s.say(OK, "knowledge", "import", known, "-o", "json")
    known.write_text("cfd\n")
    s.say(USAGE, "knowledge", "import", known, part="line 1: give the header")
    s.say(OK, "knowledge", "forget", "cfd", "-o", "json")
    s.say(NOT_FOUND, "knowledge", "forget", "cfd", part="nothing is known")


def predictions(s):
    known = s.live.state / "run_times.csv"
    s.say(OK, "predictions", "list", part="CLASS")
    s.say(OK, "predictions", "export", "--to", known, part="wrote")
    s.say(OK, "predictions", "import", known, part="classes of jobs")
    for words in (["list"], ["export"]):
        s.say(OK, "predictions", *words, "-o", "json")
    s.say(OK, "predictions", "import", known, "-o", "json")
    known.write_text("level\n")
    s.say(USAGE, "predictions", "import", known, part="line 1: give the header")
    s.say(OK, "predictions", "forget", os.getuid(), "-o", "json")
    s.say(NOT_FOUND, "predictions", "forget", os.getuid(), part="nothing is known")


def images(s):
    folder = s.live.state / "images"
    folder.mkdir()
    (folder / "small.img").write_bytes(disk(1000))
    s.say(OK, "image", "list", part="image add")
    s.say(OK, "image", "add", folder / "small.img", part="added image small")
    s.say(OK, "image", "add", folder / "small.img", "--name", "again", "-o", "json")
    for words in [["list"], ["show", "small"]]:
        s.say(OK, "image", *words, part="small")
        s.say(OK, "image", *words, "-o", "json")
    s.say(NOT_FOUND, "image", "show", "none", part="image list")
    s.say(USAGE, "submit", "--image", folder / "small.img", part="aliquot image add")
    s.say(OK, "image", "remove", "small", part="small")
    s.say(OK, "image", "remove", "again", "-o", "json")


def every_verb(s):
    """Those that the completion script knows, which is made of the table of verbs."""
    paths = re.findall(r'^    "([a-z ]+)"\) found=', s.say(OK, "completion").out, re.M)
    groups = {path.split()[0] for path in paths if " " in path}
    missed = set(paths) - groups - s.called
    assert len(paths) > 20 and not missed, f"verbs that this test does not call: {missed}"


def json_everywhere(s, job):
    """Every answer of the manager; `cancel`, `hold` and the like answer elsewhere in this test."""
    for words in [
        ["list"],
        ["list", "--all"],
        ["show", job],
        ["usage", job],
        ["usage", "--all"],
        ["why", job],
        ["events"],
        ["events", job],
        ["status"],
        ["plan"],
        ["policy", "show"],
        ["period", "show"],
        ["mode", "show"],
        ["node", "list"],
        ["node", "show", "node1"],
        ["--timeout", "100", "node", "probe", "node1"],
        ["accounts"],
        ["top"],
        ["version"],
        ["config", "check", s.live.state / "aliquot.yaml"],
        ["db", "check", s.live.state / "store/aliquot.db"],
    ]:
        s.say(OK, *words, "-o", "json", timeout=120)
        s.say(OK, *words, timeout=120)
    s.say(OK, "watch", job)
    s.say(OK, "sim", "--help", part="run")


def over_http(s, path):
    return urllib.request.urlopen(
        f"http://127.0.0.1:{s.live.settings['port']}{path}", timeout=20
    ).read()


def metrics(s):
    """And nothing of the jobs beside them, for the status page is off here."""
    assert b"/metrics /healthz /readyz" in over_http(s, "/"), "no list of what there is"
    try:
        over_http(s, "/api/v1/status")
        raise AssertionError("the status page answers though it is off")
    except urllib.error.HTTPError as refused:
        assert refused.code == 404, refused
    text = over_http(s, "/metrics")
    assert b"\naliquot_" in text, "no metrics of ours"
    assert re.search(rb'aliquot_build_info\{libvirt="\d+\.\d+\.\d+"', text), "no version of libvirt"
    if not shutil.which("promtool"):
        return print("promtool is not installed: the metrics were not checked")
    done = subprocess.run(
        ["promtool", "check", "metrics"], input=text, capture_output=True, timeout=60
    )
    assert done.returncode == 0 and not done.stderr, f"promtool: {done.stdout}{done.stderr}"
    return print(f"promtool accepts {len(text)} bytes of metrics")


def main():
    more = {"api": ["  socket_mode: 0666"], "page": "off", "roots": ["images"]}
    with deployment(nodes=2, node_mib=512, port=9761, **more) as live:
        os.chmod(live.state, 0o755)
        session = Session(live)
        filed = submissions(session)
        print("submissions: as they should be", flush=True)
        states(session)
        print("states: as they should be", flush=True)
        needs(session)
        arrays(session)
        errors(session)
        forbidden(session)
        settings(session)
        nodes(session)
        maintenance(session)
        for verbs in (images, knowledge, predictions, keys_and_audit):
            verbs(session)
        results(session)
        slurm(session, LONG)
        json_everywhere(session, filed)
        metrics(session)
        every_verb(session)
        live.wait_until_empty(1, 2)
        nothing_left(live)
        print(f"ok: {session.words} calls of the command line")


if __name__ == "__main__":
    sys.exit(main())
