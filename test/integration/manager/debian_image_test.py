#!/usr/bin/env python3
"""The Debian image of tools/image runs the commands of ordinary users: with their arguments, their number,
their output and their exit status. A task of it is saved, resumed and moved while it counts, and no line is
lost. Files go in and come out. Two tasks talk to each other by MPI and by ssh. A task joins its job, and
ends when the power button tells it to leave. A changed image is refused by name and checksum."""

import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

from access_scene import ATTACKER
from attach_test import COLUMNS, ROWS, Terminal, start_a_shell
from deployment import GUEST, ROOT, deployment, skip, wait_until
from images_test import Scene, said

LARGEST = 300_000_000
LARGE_MIB = 96
COUNT = 300
GUEST_MEMORY = ["--mem", "320MiB", "--cpus", "1"]
WHO = (
    "import os, sys; print(os.getuid(), os.uname().nodename, os.environ['ALIQUOT_TASK'], sys.argv[1:]); "
    "sys.exit(7)"
)
# MPI_COMM_WORLD, MPI_INT and MPI_SUM as MPICH numbers them.
ADDS = """
import ctypes, os
mpi, rank, all = ctypes.CDLL("libmpich.so.12"), ctypes.c_int(), ctypes.c_int()
mpi.MPI_Init(None, None)
mpi.MPI_Comm_rank(0x44000000, ctypes.byref(rank))
mine = ctypes.c_int(rank.value + 20)
mpi.MPI_Allreduce(ctypes.byref(mine), ctypes.byref(all), 1, 0x4C000405, 0x58000003, 0x44000000)
os.write(1, f"{rank.value} {all.value} {os.uname().nodename}\\n".encode())
mpi.MPI_Finalize()
"""
OWN = b"""
import os, sys
print(os.getcwd(), os.stat(".").st_uid, os.environ["A"], len(sys.stdin.read().split()))
"""
# A link that is named is followed, one inside is not; a file has two names; one path is missing. The large
# file takes long enough to be saved while it is handed out.
MAKES = """
mkdir -p out/deep && echo one >out/deep/file && ln -s deep/file out/link && ln out/deep/file out/name
mkfifo out/pipe && ln -s out named && echo two >/tmp/only
head -c 8000000 /dev/urandom >large && sha256sum <large && exit 5
"""
SUMS = ["0 41 task0", "1 41 task1"]
# What ssh to the other task says, which waits for it.
REMOTE = """
if [ $ALIQUOT_TASK = 1 ]; then until [ -e /tmp/seen ]; do sleep 1; done; exit 0; fi
ssh task1 'echo $(id -u) $(uname -n) $ALIQUOT_TASK; touch /tmp/seen'
"""
# Says which names it knows whenever they change, and that it has been told to leave.
LEAVES = r"""
trap "echo told; exit 0" TERM
known=
while :; do
  names=$(sed -n 's/.* \(task[0-9]*\)$/ \1/p' /etc/hosts | tr -d '\n')
  [ "$names" = "$known" ] || echo "names$names"
  known=$names
  sleep 1
done
"""
COUNTS = f"import time\nfor i in range({COUNT}): print(i); time.sleep(0.1)"


def build():
    """The image, built once for this build directory and again when what makes it has changed."""
    image = GUEST.parent / "image/debian.qcow2"
    sources = [ROOT / "tools/image", *(ROOT / "tools/image.d").iterdir()]
    if image.exists() and image.stat().st_mtime > max(file.stat().st_mtime for file in sources):
        return image
    began = time.monotonic()
    built = subprocess.run(
        [ROOT / "tools/image", "debian", image], capture_output=True, text=True, timeout=1500
    )
    if built.returncode != 0 and any(
        why in built.stderr for why in ["error: missing", "apt has no packages", "could not unpack"]
    ):
        skip(f"no image can be built here: {built.stderr.strip()}")
    assert built.returncode == 0, built.stderr
    print(f"built in {time.monotonic() - began:.0f} s", flush=True)
    return image


def ended(live, job, state, seconds=400):
    wait_until(f"job {job} has ended", lambda: live.job(job)["ended_at"], seconds)
    shown = live.job(job)
    assert shown["state"] == state, f"{shown}\n{output(live, job)}"
    return shown


def output(live, job):
    return live.call("logs", job).out


def submit(s, *words):
    done = s.bob.call("submit", "--parsable", *GUEST_MEMORY, "--image", "debian", *words)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def run_and_fail(s):
    """What a command gets and what becomes of it; one of two does not even start."""
    words = ["it's", "$(id) \\n", ""]
    began = time.monotonic()
    job, absent = submit(s, "--", "python3", "-c", WHO, *words), submit(s, "--", "no-such-program")
    seed = s.live.spool / str(job) / "0.seed"
    wait_until("it has a seed", seed.exists, 60)
    assert ended(s.live, job, "failed")["exit_code"] == 7, s.live.job(job)
    assert output(s.live, job) == f"{ATTACKER} task0 0 {words}\n", output(s.live, job)
    print(f"a command ended within {time.monotonic() - began:.0f} s of its submission", flush=True)
    wait_until("its seed is removed", lambda: not seed.exists(), 60)
    assert ended(s.live, absent, "failed")["exit_code"] == 127, s.live.job(absent)
    assert "no-such-program" in output(s.live, absent)
    print("exit statuses 7 and 127 are what they were", flush=True)


def runs(live, job):
    """The node that it runs on, or nothing while it is on its way."""
    shown = live.job(job)
    assert not shown["ended_at"], f"it has ended already: {shown}\n{output(live, job)}"
    vm = shown["vms"][0]
    return vm["node"] if vm["state"] == "running" and vm["doing"] is None else None


def save_and_move(s):
    live = s.live
    job = submit(s, "--", "python3", "-uc", COUNTS)
    wait_until("it counts", lambda: "\n" in output(live, job), 400)
    said(s.bob.call("hold", job), 0)
    wait_until("it is saved", lambda: live.job(job)["vms"][0]["state"] == "saved", 120)
    assert (live.spool / str(job) / "0.seed").exists(), "a saved task keeps its seed"
    said(s.bob.call("release", job), 0)
    node = wait_until("it runs again", lambda: runs(live, job), 120)
    live.ask("node", "drain", node, "--mode", "migrate")
    other = wait_until("it was moved", lambda: (at := runs(live, job)) != node and at, 240)
    assert ended(live, job, "completed")["exit_code"] == 0
    live.ask("node", "resume", node)
    actions = [event["event"].get("action") for event in live.events(job)]
    assert "save" in actions and "migrate" in actions, actions
    lines = output(live, job).split()
    assert lines == [str(i) for i in range(COUNT)], f"its console is not whole: {lines}"
    print(f"saved, resumed, moved from {node} to {other}: {COUNT} lines, none lost", flush=True)


def bring_files(s):
    """A program of the user's own, in a directory of its own, with a variable and standard input."""
    program = s.put("own.py", b"#!/usr/bin/env python3\n" + OWN)
    program.chmod(0o755)
    text = s.put("text", b"three words here\n")
    job = submit(s, "--stage-in", program, "--stdin", text, "--env", "A=it's $B", "--", "./own.py")
    ended(s.live, job, "completed")
    assert output(s.live, job) == f"/job {ATTACKER} it's $B 3\n", output(s.live, job)
    print("a program of the user's own runs where its files are", flush=True)


def most_memory_mib(live):
    status = pathlib.Path(f"/proc/{live.manager.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) >> 10


def bring_much(s):
    """More than a message holds, by way of a file that the manager copies, with progress on a terminal."""
    live, folder = s.live, s.folder / "bob"
    (folder / "data").mkdir(parents=True)
    content = os.urandom(1 << 20) * LARGE_MIB
    (folder / "data/large").write_bytes(content)
    for path in [folder, folder / "data", folder / "data/large"]:
        os.chown(path, ATTACKER, ATTACKER)
    words = ["submit", "--parsable", *GUEST_MEMORY, "--stage-in", folder / "data"]
    here = {"cwd": folder}
    aliquot, command = live.state / "aliquot", ["--", "sha256sum", "data/large"]
    refused = s.bob.run(aliquot, *words, *command, **here)
    said(refused, 2, "give --mem", "or run it in a disk image (--image)")
    refused = s.bob.run(aliquot, *words, "--image", "debian", *command, cwd="/")
    said(refused, 4, "files.roots", "set TMPDIR")
    before = most_memory_mib(live)
    line = shlex.join(map(str, [aliquot, *words, "--image", "debian", *command]))
    begun = time.monotonic()
    shown = s.bob.run("script", "-qec", line, "/dev/null", **here)
    is_at_once = time.monotonic() - begun < 2  # then the copy may be over before it is looked at
    assert shown.returncode == 0, shown.stdout
    assert re.search(rf"packing the input files: [0-9.]+M of {LARGE_MIB}M", shown.stdout), shown.stdout
    assert "sending: " in shown.stdout or is_at_once, shown.stdout
    assert [path.name for path in folder.iterdir()] == ["data"], "the packed file is left behind"
    used = most_memory_mib(live) - before
    assert used < LARGE_MIB // 2, f"the manager has taken {used} MiB for {LARGE_MIB} MiB of input files"
    job = int(re.findall(r"\d+", shown.stdout)[-1])
    ended(live, job, "completed")
    digest = hashlib.sha256(content).hexdigest()
    assert output(live, job) == f"{digest}  data/large\n", output(live, job)
    held = s.bob.run(aliquot, *words, "--hold", "--image", "debian", *command, **here)
    assert held.returncode == 0, held.stderr
    (folder / "data/large").write_bytes(content[::-1])
    refused = s.bob.run(aliquot, *words, "--image", "debian", *command, **here)
    said(refused, 4, "limits.max_stage_in_per_user")
    s.bob.call("cancel", held.stdout.strip())
    (folder / "data/more").write_bytes(content)
    refused = s.bob.run(aliquot, *words, "--image", "debian", *command, **here)
    said(refused, 4, "limits.max_stage_in")
    print(f"{LARGE_MIB} MiB of input files reach a command, {used} MiB in the manager", flush=True)


def hand_out(s):
    """Result files, of a command that fails, also when the task is saved while it hands them out."""
    live = s.live
    paths = ["out", "named", "/tmp/only", "large", "nothing"]
    words = [word for path in paths for word in ["--stage-out", path]]
    job = submit(s, *words, "--", "sh", "-c", MAKES)
    sent = live.spool / str(job) / "0.results"
    wait_until("it hands out", lambda: sent.exists() and sent.stat().st_size > 0, 400)
    s.bob.call("hold", job)
    resting = {"saved", "ended"}
    wait_until("it is saved, or has ended", lambda: live.job(job)["vms"][0]["state"] in resting, 240)
    state, length = live.job(job)["vms"][0]["state"], sent.stat().st_size
    s.bob.call("release", job)
    assert ended(live, job, "failed")["exit_code"] == 5
    told = output(live, job)
    for line in ["--stage-out nothing: No such file", "--stage-out out/pipe: neither a file"]:
        assert line in told, told
    folder = live.state / "bob"
    folder.mkdir()
    os.chown(folder, ATTACKER, ATTACKER)
    said(s.bob.call("fetch", job, "--to", folder / "results"), 3, "nothing was not there")
    got = folder / "results"
    assert (got / "out/link").is_symlink() and (got / "out/link").read_text() == "one\n"
    for name in ["out/name", "named/deep/file", "named/name"]:
        assert not (got / name).is_symlink() and (got / name).read_text() == "one\n", name
    assert not (got / "named").is_symlink() and not (got / "out/pipe").exists()
    assert (got / "tmp/only").read_text() == "two\n"
    assert (got / "tmp/only").stat().st_uid == ATTACKER
    assert hashlib.sha256((got / "large").read_bytes()).hexdigest() in told, told
    print(f"result files are fetched; {state} with {length} bytes sent", flush=True)
    too_much = ["sh", "-c", "head -c 99999 /dev/zero >a"]
    small = submit(s, "--stage-out", ".", "--stage-out-max", "64KiB", "--", *too_much)
    ended(live, small, "completed")
    assert "more than the 65536 that may be handed out" in output(live, small), output(live, small)
    said(s.bob.call("fetch", small, "--to", folder / "none"), 4, "more than the job may hand out")
    print("more than a job may hand out is not handed out", flush=True)


def pass_messages(s):
    """Two tasks, each in a VM of its own, add up their ranks over the network of the job: MPICH, by ssh."""
    job = submit(s, "--tasks", "2", "--mpi", "--", "python3", "-c", ADDS)
    assert ended(s.live, job, "completed")["network"]["first"] == "10.211.0.1"
    assert sorted(output(s.live, f"{job}.0").split("\n")[:-1]) == SUMS, output(s.live, f"{job}.0")
    there = submit(s, "--tasks", "2", "--network", "job", "--", "sh", "-c", REMOTE)
    ended(s.live, there, "completed")
    assert output(s.live, f"{there}.0") == f"{ATTACKER} task1 1\n", output(s.live, f"{there}.0")
    print("two tasks pass messages by MPI, and commands by ssh", flush=True)


def attach(s):
    """A shell beside the command: its user, its variables, its directory."""
    job = submit(s, "--env", "GREETING=hello", "--", "sh", "-c", "sleep 900; echo over")
    wait_until("it runs", lambda: runs(s.live, job), 120)
    terminal = Terminal(s.live, job, ATTACKER)
    try:
        start_a_shell(terminal)
        terminal.type(b'echo "at $PWD: $GREETING, $(id -u)"\r')
        # The prompt may come after the keys that it asks for: then the answer stands behind it.
        terminal.says(rf"at /home/aliquot: hello, {ATTACKER}")
        terminal.type(b"stty size; pkill sleep\r")
        terminal.says(rf"{ROWS} {COLUMNS}")
    finally:
        terminal.close()
    ended(s.live, job, "completed")
    print("a terminal has a shell that is as the command", flush=True)


def tamper(s, image):
    content = image.read_bytes()
    damaged = s.tamper(content)
    note = ended(s.live, submit(s, "--", "true"), "failed")["note"]
    for word in ["the image debian has changed", damaged, "aliquot image add"]:
        assert word in note, note
    print("a changed image is refused by name and checksum", flush=True)


def grow_and_shrink(s):
    """A task joins the network of its job; it is told to leave by the power button, and ends by itself."""
    live = s.live
    job = submit(s, "--network", "job", "--grace", "300s", "--", "sh", "-c", LEAVES)
    lines = lambda task: live.call("logs", f"{job}.{task}").out.split("\n")[:-1]
    wait_until("task 0 runs", lambda: lines(0) == ["names task0"], 400)
    said(s.bob.call("evolve", job, "--tasks", 2), 0)
    wait_until("task 1 knows both", lambda: lines(1) == ["names task0 task1"], 400)
    wait_until("task 0 knows both", lambda: lines(0)[1:] == ["names task0 task1"], 60)
    said(s.bob.call("evolve", job, "--tasks", 1), 0)
    began = time.monotonic()
    wait_until("task 1 has left", lambda: live.job(job)["tasks_left"] == 1, 200)
    assert "told" in lines(1), lines(1)
    print(f"a task left {time.monotonic() - began:.0f} s after it was to, of a grace of 300 s", flush=True)
    wait_until("task 0 is alone", lambda: lines(0)[2:] == ["names task0"], 60)
    said(s.bob.call("cancel", job), 0)
    wait_until("the job has ended", lambda: live.job(job)["ended_at"], 60)


def main():
    settings = {
        "api": ["  socket_mode: 0666"],
        "hypervisor": ['  qemu_group: ""'],  # the nodes' QEMU runs as root
        "roots": ["images"],
        "more": [
            *["limits:", "  max_stage_in: 128MiB", "  max_stage_in_per_user: 150MiB"],
            *["network:", "  jobs: on-request"],
            *["images:", "  max_size: 300MiB", "  max_total: 400MiB"],
        ],
    }
    with deployment(nodes=2, node_mib=512, policy="GREEDY", **settings) as live:
        image = build()
        size = image.stat().st_size
        assert size < LARGEST, f"{size} bytes"
        scene = Scene(live)
        file = scene.put("debian.qcow2", pathlib.Path(image).read_bytes())
        said(scene.alice.call("image", "add", file), 0, "added image debian")
        run_and_fail(scene)
        save_and_move(scene)
        bring_files(scene)
        bring_much(scene)
        hand_out(scene)
        pass_messages(scene)
        grow_and_shrink(scene)
        attach(scene)
        tamper(scene, image)
        print(f"ok: the Debian image, {size >> 20} MiB, runs, is saved, moves and is checked")


if __name__ == "__main__":
    sys.exit(main())
