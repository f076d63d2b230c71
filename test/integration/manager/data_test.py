#!/usr/bin/env python3
"""Data in and out of jobs, as ordinary users: the README's example of a Python script, from submit to
fetch; environment, working directory and standard input; result files of tasks that fail, and that are
saved while they hand them out. What the user may not read is not staged in, what leads out of a directory
is neither packed nor unpacked, and only the owner and operators fetch."""

import hashlib
import os
import pathlib
import re
import shlex
import shutil
import stat
import sys

from access_scene import ATTACKER, SHADOW, VICTIM, User
from deployment import BIN, deployment, wait_until

ROOT = pathlib.Path(__file__).parents[3]
NOT_FOUND, REFUSED, CONFLICT, FORBIDDEN, USAGE = 3, 4, 5, 7, 2
QUICK = ["--mem", "96MiB", "--cpus", "0.5"]


class Scene:
    def __init__(self, live):
        self.live = live
        os.chmod(live.state, 0o755)
        shutil.copy(BIN / "aliquot", live.state)
        self.alice, self.bob = User(live, VICTIM), User(live, ATTACKER)
        self.home = live.state / "alice"
        shutil.copytree(ROOT / "tools/guest/examples/report", self.home)
        for path in [self.home, *self.home.rglob("*")]:
            os.chown(path, VICTIM, VICTIM)

    def put(self, name, content):
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        for each in [path, path.parent]:
            os.chown(each, VICTIM, VICTIM)
        return path

    def call(self, *words, user=None):
        return (user or self.alice).run(self.live.state / "aliquot", *words, cwd=self.home)

    def says(self, code, *words, part="", user=None):
        done = self.call(*words, user=user)
        said = done.stdout + done.stderr
        assert done.returncode == code, f"{words}: {done.returncode}, not {code}: {said}"
        assert part in said, f"{words}: does not say '{part}': {said}"
        return done

    def submit(self, *words):
        return int(self.says(0, "submit", "--parsable", *words).stdout)

    def ended(self, job, state):
        wait_until(f"job {job} has ended", lambda: self.live.job(job)["ended_at"], 240)
        shown = self.live.job(job)
        console = self.live.call("logs", job).out
        assert shown["state"] == state, f"{shown['state']}: {shown['note']}: {console}"
        return console

    def refused(self, code, *words, part):
        self.says(code, "submit", "--hold", *QUICK, *words, "--", "true", part=part)


def example_of_readme():
    """Its commands, each with what it says there."""
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"(?:^    .*\n)+", text, re.M)
    block = next(b for b in blocks if "--stage-in report.py" in b)
    parts = re.sub(r"\\\n\s*", "", re.sub("^    ", "", block, flags=re.M)).split("$ ")[1:]
    return [(shlex.split(part.partition("\n")[0]), part.partition("\n")[2]) for part in parts]


def the_example(s):
    (submit, submitted), (fetch, fetched), (show, summary) = example_of_readme()
    assert submit[:2] == ["aliquot", "submit"] and fetch[:3] == ["aliquot", "fetch", "7"], fetch
    said = s.says(0, *submit[1:]).stdout
    job = int(said.split()[-1])
    assert said == submitted.replace("7", str(job)), said
    assert s.ended(job, "completed") == "2 stations\n"
    text = s.says(0, "show", job).stdout
    for word in ["UNIT=kelvin", "/job", "input.csv, 55B", "summary.txt, plots"]:
        assert word in text, f"show does not say {word}: {text}"
    fetch[2] = str(job)
    said = s.says(0, *fetch[1:]).stdout
    assert said == fetched, said
    results = s.home / fetch[fetch.index("--to") + 1]
    assert show == ["cat", f"{results.name}/summary.txt"], show
    assert (results / "summary.txt").read_text() == summary
    assert len((results / "plots/south.txt").read_text().splitlines()) == 3
    assert (results / "summary.txt").stat().st_uid == VICTIM
    s.says(CONFLICT, *fetch[1:], part="--force")
    s.says(0, *fetch[1:], "--force")
    print("the example of the README: " + summary.splitlines()[0])
    return job


def only_for_its_owner(s, job):
    for file in (s.live.spool / str(job)).iterdir():
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, f"{file} is open to others"
    s.says(NOT_FOUND, "fetch", job, user=s.bob, part="no result files for you")
    assert "kelvin" not in s.says(0, "show", job, "-o", "json", user=s.bob).stdout
    assert "summary" not in s.says(0, "show", job, "-o", "json", user=s.bob).stdout
    s.says(FORBIDDEN, "logs", job, user=s.bob)
    fetched = s.live.call("fetch", f"{job}.0", "--to", s.live.state / "operator")
    assert fetched.code == 0, fetched.err
    assert (s.live.state / "operator/summary.txt").exists()
    print("another user learns nothing of it; an operator may fetch it")


def environment(s):
    s.put("words.txt", b"one\ntwo\n")
    s.put("deep/inner/file", b"deep")
    (s.home / "deep/link").symlink_to("inner/file")
    s.live.environment["PASSED"] = "from here"
    say = 'pwd; cat; echo "$PASSED, $OTHER"; cat deep/link; echo; ls -l deep/inner | wc -l'
    words = ["--env", "PASSED", "--env", "OTHER=a b", "--env", "OTHER=the last", "--stdin", "words.txt"]
    job = s.submit(*QUICK, *words, "--stage-in", "deep", "--workdir", "/data/run", "--", "sh", "-c", say)
    told = s.ended(job, "completed")
    assert told == "/data/run\none\ntwo\nfrom here, the last\ndeep\n2\n", told
    file = s.put("job.yaml", b"mem: 96MiB\nenv: [A=1, B=2]\nstage-in: [words.txt]\n"
                 b"command: [sh, -c, 'echo $A$B; cat words.txt']\n")
    assert s.ended(s.submit("-f", file), "completed") == "12\none\ntwo\n"
    print("environment, working directory, standard input, links and job files")


def scripts(s):
    """With lines for submit, as with sbatch; what the command line says replaces them."""
    head = "#!/bin/sh\n# a comment\n#ALIQUOT --mem 96MiB --tasks 2\n\n#ALIQUOT --env 'A=a b'\n"
    s.put("script.sh", (head + 'echo "$A $ALIQUOT_TASKS $1"\n').encode()).chmod(0o755)
    told = s.ended(s.submit("--tasks", 1, "script.sh", "more"), "completed")
    assert told == "a b 1 more\n", told
    job = s.submit("--hold", "./script.sh")
    assert s.live.job(job)["tasks"] == 2
    s.says(0, "cancel", job)
    for name, text, part in [
        ("unknown", "#ALIQUOT --taks 4\n", "unknown:3: "),
        ("value", "#ALIQUOT --name x\n#ALIQUOT --tasks many\n", "value:4: --tasks: "),
        ("late", "true\n#ALIQUOT --tasks 4\n", "late:4: stands below"),
        ("quote", "#ALIQUOT x\n", "quote:3: "),
    ]:
        s.put(name, f"#!/bin/sh\n\n{text}".encode()).chmod(0o755)
        s.says(USAGE, "submit", name, part=part)
    s.put("plain.sh", head.encode()).chmod(0o644)
    s.says(FORBIDDEN, "submit", "plain.sh", part="chmod +x")
    print("a script with lines for submit")


def what_may_not_go_in(s):
    (s.home / "shadow").symlink_to(SHADOW)
    s.put("out/plain", b"x")
    (s.home / "out/leads").symlink_to("../input.csv")
    s.put("absolute/plain", b"x")
    (s.home / "absolute/leads").symlink_to(SHADOW)
    s.put("pipes/plain", b"x")
    os.mkfifo(s.home / "pipes/pipe")
    with open(s.put("huge", b""), "wb") as huge:
        huge.truncate(1 << 40)
    s.put("large", bytes(30 << 20))
    s.refused(FORBIDDEN, "--stage-in", SHADOW, part="only what you may read")
    s.refused(FORBIDDEN, "--stage-in", "shadow", part="only what you may read")
    s.refused(FORBIDDEN, "--stdin", "shadow", part="only what you may read")
    s.refused(REFUSED, "--stage-in", "out", part="out/leads is a link to ../input.csv")
    s.refused(REFUSED, "--stage-in", "absolute", part="leads out of")
    s.refused(REFUSED, "--stage-in", "pipes", part="neither a file nor a directory")
    s.refused(REFUSED, "--stage-in", "/", part="is no input")
    s.refused(REFUSED, "--stage-in", "huge", part="more than the")
    s.refused(USAGE, "--stage-in", "large", part="give --mem 168MiB or more")
    s.refused(NOT_FOUND, "--stage-in", "nothing", part="cannot read nothing")
    s.refused(USAGE, "--stage-in", "input.csv", "--stage-in", "./input.csv", part="another file")
    s.refused(USAGE, "--env", "UNSET_HERE", part="no variable")
    s.refused(USAGE, "--env", "ALIQUOT_TASK=7", part="the manager's own")
    s.refused(USAGE, "--env", "1=2", part="is no NAME=VALUE")
    s.refused(USAGE, "--workdir", "/a/../proc", part="without ..")
    s.refused(USAGE, "--workdir", "/proc/self", part="the guest's own")
    s.refused(USAGE, "--stage-out", "../x", part="without ..")
    s.refused(REFUSED, "--stage-out", "x", "--stage-out-max", "1GiB", part="limits.max_stage_out")
    s.refused(USAGE, "--stage-out", "x", "--hypervisor", "xen", part="nodes of libvirt only")
    s.says(REFUSED, "submit", *QUICK, "--hash-chain", "1:1", "--env", "A=1", part="for a command")
    assert all(job["ended_at"] for job in s.live.ask("list", "--all")["jobs"]), "a job was accepted"
    print("what the user may not read, links out of a directory, and what does not fit are refused")


def results_of_several_tasks(s):
    """They fail, one without one of the files. The job is held while a task hands out 3 MiB."""
    work = (
        'mkdir -p out/deep; echo "task $ALIQUOT_TASK" > out/deep/name; ln -s deep/name out/link;'
        "dd if=/dev/urandom of=big bs=1M count=3 2>/dev/null; sha256sum < big | cut -c1-64;"
        "[ $ALIQUOT_TASK = 0 ] && echo here > /tmp/only; exit 5"
    )
    wanted = ["--stage-out", "out", "--stage-out", "./big", "--stage-out", "/tmp/only"]
    job = s.submit(*QUICK, "--tasks", 2, "--on-task-failure", "continue", *wanted, "--", "sh", "-c", work)
    sent = s.live.spool / str(job) / "0.results"
    wait_until("it hands out", lambda: sent.exists() and sent.stat().st_size > 1000, 240)
    s.says(CONFLICT, "fetch", f"{job}.0", part="has not ended")
    s.says(0, "hold", job)
    wait_until(
        "it is saved, or has ended",
        lambda: {vm["state"] for vm in s.live.job(job)["vms"]} <= {"saved", "ended"},
        240,
    )
    held = s.live.job(job)["vms"]
    length = sent.stat().st_size
    s.says(0, "release", job)
    s.ended(job, "failed")
    done = s.says(NOT_FOUND, "fetch", job, "--to", "both", part="/tmp/only was not there")
    assert f"task 1 of job {job}: /tmp/only" in done.stderr, done.stderr
    for task in [0, 1]:
        folder = s.home / "both" / str(task)
        told = s.live.call("logs", f"{job}.{task}").out
        digest = hashlib.sha256((folder / "big").read_bytes()).hexdigest()
        assert digest in told, f"task {task}: {digest} is not in {told}"
        assert (folder / "out/link").read_text() == f"task {task}\n"
        assert ("--stage-out /tmp/only: No such file" in told) == (task == 1), told
    assert (s.home / "both/0/tmp/only").read_text() == "here\n"
    states = [vm["state"] for vm in held]
    print(f"results of two tasks; held with {length} bytes of task 0 sent: {states}")
    return states, length


def too_large(s):
    work = "head -c 200000 /dev/zero > big"
    words = ["--stage-out", "big", "--stage-out-max", "100KiB"]
    job = s.submit(*QUICK, *words, "--", "sh", "-c", work)
    assert "more than the 102400" in s.ended(job, "completed")
    s.says(REFUSED, "fetch", job, part="more than the job may hand out")
    none = s.submit(*QUICK, "--", "true")
    s.ended(none, "completed")
    s.says(NOT_FOUND, "fetch", none, part="--stage-out")
    print("more than a job may hand out is not handed out")
    return job


def newc(entries):
    out = b""
    for name, mode, content in [*entries, ("TRAILER!!!", 0, b"")]:
        fields = [0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        out += b"070701" + b"".join(b"%08X" % f for f in fields) + name.encode() + b"\0"
        out += bytes(-len(out) % 4) + content
        out += bytes(-len(out) % 4)
    return out


def hostile_results(s, job):
    """What a guest could send that does not keep to the contract, with the right checksum."""
    file, link, folder = 0o100644, 0o120777, 0o040755
    cases = {
        "up": [("../escaped", file, b"x")],
        "middle": [("a/../../escaped", file, b"x")],
        "absolute": [("/tmp/escaped", file, b"x")],
        "empty": [("", file, b"x")],
        "link": [("a", link, b"/etc"), ("a/escaped", file, b"x")],
        "link up": [("a", link, b"..")],
        "by way of a link": [("d/l", link, b".."), ("m", link, b"d/l/../../x")],
        "a device": [("null", 0o020666, b"")],
        "twice": [("a", file, b"x"), ("a", link, b"b")],
    }
    sent = s.live.spool / str(job) / "0.results"
    for name, entries in cases.items():
        archive = newc([("good", file, b"good"), *entries])
        write_results(sent, archive)
        s.says(REFUSED, "fetch", job, "--to", "hostile", "--force", part="nothing was unpacked")
        assert not (s.home / "hostile").exists(), name
    write_results(sent, newc([("big", folder, b""), ("a/b", file | 0o6111, b"x"), ("l", link, b"a/b")]))
    s.says(0, "fetch", job, "--to", "mild")
    assert stat.S_IMODE((s.home / "mild/a/b").stat().st_mode) & 0o7000 == 0, "set-user-id came through"
    (s.home / "trap").mkdir()
    os.chown(s.home / "trap", VICTIM, VICTIM)
    (s.home / "trap/a").symlink_to("/tmp")
    s.says(REFUSED, "fetch", job, "--to", "trap", "--force", part="cannot write")
    archive = newc([("good", file, b"good")])
    sent.write_bytes(archive + b"aliquot-stage-out 1 sha256 " + b"0" * 64 + b"\n")
    s.says(REFUSED, "fetch", job, "--to", "hostile", part="SHA-256")
    sent.write_bytes(archive)
    s.says(CONFLICT, "fetch", job, "--to", "hostile", part="not whole")
    assert not (s.home / "hostile").exists()
    for escaped in [s.live.state / "escaped", s.home / "escaped", pathlib.Path("/tmp/escaped")]:
        assert not escaped.exists(), escaped
    print(f"{len(cases) + 3} hostile archives are refused")


def write_results(path, archive):
    digest = hashlib.sha256(archive).hexdigest()
    path.write_bytes(archive + f"aliquot-stage-out 1 sha256 {digest}\n".encode())


def main():
    settings = {"api": ["  socket_mode: 0666"], "hypervisor": ['  qemu_group: ""']}
    with deployment(nodes=1, node_mib=576, policy="GREEDY", **settings) as live:
        scene = Scene(live)
        only_for_its_owner(scene, the_example(scene))
        environment(scene)
        scripts(scene)
        what_may_not_go_in(scene)
        results_of_several_tasks(scene)
        hostile_results(scene, too_large(scene))
        print("ok: data goes in and comes out, and nothing else")


if __name__ == "__main__":
    sys.exit(main())
