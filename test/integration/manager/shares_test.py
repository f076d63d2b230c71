#!/usr/bin/env python3
"""Shares on real nodes: a task of an ordinary user has a directory of an NFS server, with the ids of the
user and no others, whatever ids its guest takes. It goes on after a live migration, a save and a restore
on another node, a death of the relay and one of the server: nothing that it wrote is lost. Its guest
reaches nothing but the server by that way. When the jobs have ended, no process, device or table is
left."""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import time

from deployment import GUEST, ROOT, deployment, skip, wait_until

NODES = 3  # the last one is the NFS server, and unknown to the manager
SERVER = "10.77.0.13"
USER, OTHER = "games", "man"  # every Debian has them
LEASE_S = 10  # for which the server keeps what a client has open, if it hears nothing
SMALL = ["--cpus", "0.25"]
GANESHA = """
NFS_CORE_PARAM {{ Protocols = 4; Enable_NLM = false; Enable_RQUOTA = false; }}
NFSv4 {{ Minor_Versions = 1; Lease_Lifetime = {lease}; Grace_Period = 5; Only_Numeric_Owners = true;
  RecoveryBackend = fs; RecoveryRoot = "{state}/recovery"; UseGetpwnam = true; }}
EXPORT_DEFAULTS {{ SecType = sys; PrivilegedPort = true; Squash = No_Root_Squash;
  Attr_Expiration_Time = 0; }}
EXPORT {{ Export_Id = 1; Path = {state}/home; Pseudo = /home; Access_Type = RW; FSAL {{ Name = VFS; }} }}
EXPORT {{ Export_Id = 2; Path = {state}/data; Pseudo = /data; Access_Type = RW; FSAL {{ Name = VFS; }} }}
"""
# Numbers, into a file that is opened for each and one that stays open, until the server's side says that it
# is enough. What a file says is asked for at every open.
WRITER = """
echo I am $(id -u) here
exec 3>>/site/home/held
i=0; while [ "$(cat /site/home/state)" = go ]; do
  i=$((i + 1)); echo $i >>/site/home/lines; echo $i >&3; echo $i; sleep 0.5
done
"""
# Its root takes the ids of others, and tries what else the node has on that interface.
INTRUDER = f"""
echo other:x:{pwd.getpwnam(OTHER).pw_uid}:1::/:/bin/sh >>/etc/passwd
echo own:x:{pwd.getpwnam(USER).pw_uid}:1::/:/bin/sh >>/etc/passwd
for file in of-other of-root; do
  cat /site/home/$file && echo root reads $file
  su other -c "cat /site/home/$file" && echo the other reads $file
  su own -c "cat /site/home/$file" && echo the user reads $file
done 2>/dev/null
su other -c 'cat /site/home/of-user' # by the id of the guest it could not
chown {pwd.getpwnam(OTHER).pw_uid} /site/home/of-user 2>/dev/null && echo gave a file away
cat /site/data/note
touch /site/data/new 2>/dev/null && echo wrote to what is mounted read-only
ip address add 10.77.0.200/24 dev eth0
for address in 10.77.0.1 10.77.0.11 10.77.0.12 {SERVER}; do
  ping -c 1 -W 1 $address >/dev/null && echo reached $address
  nc -w 1 $address 2049 </dev/null 2>/dev/null && echo connected to $address
done
for address in fe80::1 ff02::1; do # its own address answers, too
  ping6 -c 2 -W 1 -I eth0 $address | grep -q 'from fe80::1:' && echo reached $address
done
nc -w 1 fe80::1%eth0 7000 </dev/null 2>/dev/null && echo connected to port 7000
echo done trying
"""


class Server:
    """nfs-ganesha on the last node."""

    def __init__(self, live):
        self.live, self.state = live, live.state / "nfs"
        for part in ["home", "data", "recovery"]:
            (self.state / part).mkdir(parents=True)
        self.state.chmod(0o755)
        live.state.chmod(0o755)  # the user's command line passes through
        self.home = self.state / "home"
        for part in ["home", "data"]:
            os.chown(self.state / part, pwd.getpwnam(USER).pw_uid, pwd.getpwnam(USER).pw_gid)
        self.put("home/state", "go\n")
        self.put("data/note", "note of the site\n")
        for owner, name in [(OTHER, "of-other"), ("root", "of-root"), (USER, "of-user")]:
            self.put(f"home/{name}", f"secret {name}\n", owner)
        (self.state / "ganesha.conf").write_text(GANESHA.format(state=self.state, lease=LEASE_S))
        self.process = None

    def put(self, name, text, owner="root"):
        path = self.state / name
        path.write_text(text)
        os.chown(path, pwd.getpwnam(owner).pw_uid, pwd.getpwnam(owner).pw_gid)
        path.chmod(0o600 if owner != "root" or "of-" in name else 0o644)

    def start(self):
        conf = self.state / "ganesha.conf"
        self.process = subprocess.Popen(
            [ROOT / "tools/localcluster", "exec", str(NODES), "ganesha.nfsd", "-F", "-f", conf]
            + ["-L", self.state / "log", "-p", self.state / "pid", "-N", "NIV_EVENT"],
            env=self.live.environment,
            stdin=subprocess.DEVNULL,
        )
        wait_until("the NFS server answers", self.listens, 60)

    def listens(self):
        return ":2049" in self.live.localcluster("exec", NODES, "ss", "-Hltn", "sport = :2049").stdout

    def kill(self):
        mark = str(self.state / "ganesha.conf")
        for pid in pids_of("ganesha.nfsd", mark):
            os.kill(pid, signal.SIGKILL)
        self.process.wait(30)

    def lines(self):
        written = self.home / "lines"
        return written.read_text().split("\n")[:-1] if written.exists() else []


def pids_of(program, word):
    """The processes, as this machine counts, of a program with this word on its command line."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue
        if words[0].endswith(program) and word in words:
            found.append(int(entry.name))
    return found


def as_user(live, *words, mem="96MiB"):
    prefix = ["setpriv", "--reuid", USER, "--regid", USER, "--clear-groups"]
    answer = live.call("submit", "--parsable", "--mem", mem, *SMALL, *words, prefix=prefix)
    assert answer.code == 0, f"submit {words}: {answer.code} {answer.err.strip()}"
    return int(answer.out)


def refused(live, words, *options):
    said = live.call("submit", *SMALL, *options, "--", "true")
    assert said.code != 0 and words in said.err, f"{options}: {said.code} {said.err}"


def output(live, job):
    return live.call("logs", job).out.split("\n")[:-1]


def left_behind(live):
    look = "ip -o link show | grep aqn; nft list tables | grep aqn; pgrep -a aliquot-share"
    found = [live.localcluster("exec", i, "sh", "-c", look).stdout for i in range(1, NODES + 1)]
    return [each for each in found if each.strip()]


def dropped(live, job):
    """Packets of the job's VM that the rules of its node have dropped."""
    for node in range(1, NODES):
        said = live.localcluster("exec", node, "nft", "list", "table", "netdev", f"aqn{job:x}_0").stdout
        if said:
            words = said.split()
            return int(words[words.index("packets") + 1])
    raise AssertionError("no node has rules for the job")


def progress(live, server, what):
    before = len(server.lines())
    wait_until(f"more is written {what}", lambda: len(server.lines()) > before + 2, 240)
    print(f"ok: it writes {what};", len(server.lines()), "lines", flush=True)


def intrude(live):
    """Tries all it can, beside the writer."""
    job = as_user(live, "--share", "home", "--share", "data", "--", "sh", "-c", INTRUDER + "sleep 10000")
    wait_until("the intruder has tried all", lambda: "done trying" in output(live, job), 300)
    assert output(live, job) == ["secret of-user", "note of the site", "done trying"], output(live, job)
    count = dropped(live, job)
    assert count > 5, f"the rules have dropped {count} packets: too little was tried"
    live.call("cancel", job)
    print("ok: no other id is had, and nothing else is reached;", count, "packets dropped", flush=True)


def migrate(live, job):
    from_node = live.places(job)[0]
    live.call("node", "drain", from_node, "--mode", "migrate")
    wait_until("the task has moved", lambda: (at := live.places(job)) and from_node not in at, 240)
    live.call("node", "resume", from_node)


def save_and_restore_elsewhere(live, job):
    from_node = live.places(job)[0]
    live.call("hold", job)
    wait_until("it is saved", lambda: {v["state"] for v in live.job(job)["vms"]} == {"saved"}, 240)
    time.sleep(1.5 * LEASE_S)  # no state to wait for: the server forgets the client in this time
    live.call("node", "drain", from_node, "--mode", "wait")
    live.call("release", job)
    wait_until("it runs elsewhere", lambda: (at := live.places(job)) and from_node not in at, 240)
    live.call("node", "resume", from_node)


def kill_relay(job):
    pids = pids_of("aliquot-share", f"aqn{job:x}.0")
    assert len(pids) >= 2, f"the relay and its supervisor: {pids}"
    os.kill(max(pids), signal.SIGKILL)
    wait_until("the relay is started again", lambda: len(pids_of("aliquot-share", f"aqn{job:x}.0")) >= 2)


def restart(server):
    server.kill()
    before = len(server.lines())
    server.start()
    assert len(server.lines()) == before, "something wrote while the server was down"


def run(live, server):
    refused(live, "this site has no share `hoem`; it has home, data, gone", "--share", "hoem")
    refused(live, "a share can be had on nodes of libvirt only", "--share", "home", "--hypervisor", "xen")
    refused(live, "no checkpoint can be made of a job with shares", "--share", "home", "--checkpoint", "9s")
    job = as_user(live, "--share", "home", "--", "sh", "-c", WRITER)
    assert live.job(job)["shares"] == [{"share": "home", "path": "/site/home", "read_only": False}]
    assert "home at /site/home" in live.call("show", job).out
    progress(live, server, "where the server has it")
    intrude(live)
    for change in [
        (lambda: migrate(live, job), "after a live migration"),
        (lambda: save_and_restore_elsewhere(live, job), "after a restore on another node"),
        (lambda: kill_relay(job), "after its relay was killed"),
        (lambda: restart(server), "after the server was killed and started again"),
    ]:
        change[0]()
        progress(live, server, change[1])
    server.put("home/state", "stop\n")
    wait_until("the job ends", lambda: live.job(job)["ended_at"], 120)
    assert live.job(job)["state"] == "completed", live.job(job)
    lines = server.lines()
    assert lines == [str(i + 1) for i in range(len(lines))], lines
    assert (server.home / "held").read_text().split("\n")[:-1] == lines, "the file that stayed open"
    assert output(live, job) == ["I am 0 here", *lines], output(live, job)[-5:]
    owner = (server.home / "lines").stat().st_uid
    assert owner == pwd.getpwnam(USER).pw_uid, f"the file belongs to {owner}"
    print(f"ok: all {len(lines)} lines are there, and belong to {USER}", flush=True)


def in_an_image(live):
    """A command in a disk image has the user's number, and the server knows it by the same credential."""
    image = GUEST.parent / "image/debian.qcow2"
    if not image.exists():
        print("not tried: a disk image, for there is no", image, "(target debian-image)", flush=True)
        return
    (live.state / "images").mkdir()
    shutil.copy(image, live.state / "images")
    added = live.call("image", "add", live.state / "images/debian.qcow2", timeout=120)
    assert added.code == 0, added.err
    tried = "cat /site/home/of-user /site/home/of-root; echo from an image >/site/home/w/made"
    options = ["--share", "home", "--workdir", "/site/home/w", "--image", "debian"]
    job = as_user(live, *options, "--", "sh", "-c", tried, mem="256MiB")
    wait_until("the job in the image ends", lambda: live.job(job)["ended_at"], 300)
    said = output(live, job)
    assert said[-2:] == ["secret of-user", "cat: /site/home/of-root: Permission denied"], said
    made = live.state / "nfs/home/w/made"
    assert made.read_text() == "from an image\n" and made.stat().st_uid == pwd.getpwnam(USER).pw_uid
    print("ok: a command in a disk image has the share", flush=True)


def fails_without(live):
    """A share that is not there ends the task, and says why."""
    job = as_user(live, "--share", "gone", "--", "echo", "started")
    wait_until("the task fails", lambda: live.job(job)["ended_at"], 240)
    said = "\n".join(output(live, job))
    assert "/gone is not mounted at /site/gone: No such file or directory" in said, said
    assert live.job(job)["exit_code"] == 127 and "started" not in said, live.job(job)
    print("ok: a share that is not there is named", flush=True)


def main():
    if not shutil.which("ganesha.nfsd"):
        skip("nfs-ganesha is not installed")
    shares = [f"{name}={SERVER}:/{name}:/site/{name}" for name in ["home", "data", "gone"]]
    shares[1] += ":ro"
    settings = [f"shares: {shares}".replace("'", '"')]
    access = ["  socket_mode: 0666"]
    with deployment(
        nodes=NODES, hidden=1, node_mib=500, policy="ALIQUOT", api=access, roots=["images"], more=settings
    ) as live:
        server = Server(live)
        server.start()
        try:
            run(live, server)
            fails_without(live)
            in_an_image(live)
            wait_until("nothing is left behind", lambda: not left_behind(live), 60)
            print("ok: nothing is left on the nodes")
        finally:
            server.kill()


if __name__ == "__main__":
    sys.exit(main())
