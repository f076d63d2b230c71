#!/usr/bin/env python3
"""The commands by which docs/xen.md makes a Debian machine a node of Xen, run with an emulated dom0 as that
machine; then a job runs on it. Skipped where no emulated dom0 has been built."""

import pathlib
import re
import shutil
import subprocess
import sys

from agents import free_port
from deployment import BIN, GUEST, ROOT, deployment, wait_until
from mixed_cluster_test import check_dom0

DOM0 = GUEST.parent / "xen-dom0"
MARK = "<!-- run by test/integration/manager/xen_setup_test.py -->"
# What the emulated dom0 is, instead of becoming it: its packages, its Xen, how that is booted.
BOOTS = ("apt-get install ", "mkdir -p /var/log/xen/console ", "echo 'GRUB_CMDLINE_XEN=")


def documented():
    """The commands of the manager's machine, of the node, and of the manager's machine again."""
    section = (ROOT / "docs/xen.md").read_text().split(MARK)[1].split("\n## ")[0]
    blocks = re.findall(r"(?:^    .*\n)+", section, flags=re.M)
    commands = [[line.strip() for line in block.splitlines()] for block in blocks]
    assert sum(map(len, commands)) == 10, commands
    return commands


def said_by(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60).stdout


def owner_of(library):
    """The package of a library; of a merged /usr, dpkg knows one of the two paths."""
    real = str(pathlib.Path(library).resolve())
    for path in [library, real, library.removeprefix("/usr"), real.removeprefix("/usr")]:
        if found := said_by("dpkg", "-S", path):
            return found.split(":")[0]
    raise AssertionError(f"no package has {library}")


def check_libraries(install):
    """What is installed brings every library that the agent needs."""
    asked = [word for word in install.split()[2:] if not word.startswith("-")]
    kinds = ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"]
    listed = said_by("apt-cache", "depends", "--recurse", *[f"--no-{kind}" for kind in kinds], *asked)
    brought = {line.strip() for line in listed.splitlines() if line[:1].isalnum()}
    for library in re.findall(r"=> (/\S+)", said_by("ldd", BIN / "aliquot-node-xen")):
        owner = owner_of(library)
        assert owner in brought, f"the agent needs {library}: {owner} is missing in {install}"


def check_boot(commands):
    """The emulated dom0 is made of these packages and booted in this way."""
    check_libraries(commands[0])
    built, booted = (ROOT / "tools/xen/build").read_text(), (ROOT / "tools/xen/run").read_text()
    for package in re.findall(r"xen-[a-z]+-4\.17\S*", commands[0]):
        assert package.replace("4.17", "$xen_version") in built, f"tools/xen/build has no {package}"
    init = (DOM0 / "root/etc/init.d/xen").read_text()
    assert "XENCONSOLED_ARGS" in init, "Debian's Xen does not read XENCONSOLED_ARGS"
    assert "xenconsoled --log=guest" in (ROOT / "tools/xen/dom0-init").read_text()
    for option in re.search(r'XEN="(.*?)"', commands[2])[1].split():
        name = option.split("=")[0]
        assert name in booted, f"tools/xen/run boots Xen without {name}"


def unit_command(live):
    """What systemd would run; the spool is where the test has it."""
    unit = (live.state / "n1/aliquot-node.service").read_text()
    assert "EnvironmentFile=/etc/aliquot/node.env" in unit
    command = re.search(r"^ExecStart=(.*)$", unit, flags=re.M)[1]
    return command.replace("/var/lib/aliquot/spool", str(live.spool))


def of_the_node(live, commands, manager_key):
    """The script of the node, after it has booted."""
    done = {
        "mkdir -p /var/lib/aliquot/spool": f"test -d {live.spool}",  # this machine's, at the same path
        "systemctl enable": f". /etc/aliquot/node.env && export MANAGER && exec {unit_command(live)}",
    }
    lines = [f"cd {live.state}/n1", "export PATH=/usr/local/bin:$PATH"]
    lines += ["mkdir -p /etc/systemd/system /usr/local/bin"]  # Debian has them
    # What the agent uses: the process keeps its number when it becomes the agent.
    looks = f"cat /proc/$$/stat /proc/$$/status /proc/uptime >{live.state}/n1/use.new"
    lines += [f"( while {looks}; do mv {live.state}/n1/use.new {live.state}/n1/use; sleep 1; done ) &"]
    for command in commands:
        other = next((by for begin, by in done.items() if command.startswith(begin)), None)
        lines.append((other or command.replace("MANAGERS-KEY", manager_key)) + " || exit 1")
        if "aliquot-node keys" in command:
            lines.append(f"aliquot-node public-key /etc/aliquot/node.keys >{live.state}/n1/key")
    return "\n".join(lines)


def boot(live, script, port):
    (live.state / "n1/script").write_text(f"{{ {script}\n}} >{live.state}/n1/log 2>&1\n")
    words = [ROOT / "tools/xen/run", DOM0, "--share", live.state, "--forward", f"127.0.0.1:{port}=9760"]
    words += ["--console", live.state / "console", "--seconds", 900]
    words += ["--program", BIN / "aliquot-node-xen"]  # for its libraries, which apt-get would have brought
    with open(live.state / "xen-run", "wb") as log:
        return subprocess.Popen(
            [*map(str, words), "--", f"rm /usr/bin/aliquot-node-xen; . {live.state}/n1/script"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def on_the_managers_machine(live, commands):
    """Its first commands; returns the manager's key."""
    keys, copy = commands
    made = keys.replace("aliquot-node", f"{BIN}/aliquot-node", 1).replace("/etc/aliquot", str(live.state))
    key = subprocess.run(made, shell=True, capture_output=True, text=True, check=True).stdout.strip()
    words = copy.split()
    assert words[:2] == ["scp", "-r"] and words[-1] == "root@n1:", copy
    (live.state / "n1").mkdir()
    for source in words[2:-1]:
        path = GUEST.parent / source.removeprefix("build/release/")
        path = path if path.exists() else ROOT / source
        target = live.state / "n1" / path.name
        shutil.copytree(path, target) if path.is_dir() else shutil.copy(path, target)
    return key


def with_what_is(live, port, add):
    """The command that adds the node, with the emulated machine's address, key and size."""
    sizes = {"n1:9760": f"127.0.0.1:{port}", "16GiB": "1152MiB", "--cores 4": "--cores 1"}
    for documented_as, here in sizes.items():
        assert documented_as in add, add
        add = add.replace(documented_as, here)
    return add.replace("NODES-KEY", (live.state / "n1/key").read_text().strip())


def said(live):
    return (live.state / "n1/log").read_text(errors="replace") if (live.state / "n1/log").exists() else ""


def served(live, machine):
    assert machine.poll() is None, f"the machine has ended: {(live.state / 'xen-run').read_text()}"
    return " serves libxl " in said(live)


def use_of_agent(live):
    """Seconds of CPU, MiB that are resident, seconds since the machine has booted."""
    text = (live.state / "n1/use").read_text()
    after_name = text.splitlines()[0].rsplit(")", 1)[1].split()
    cpu = (int(after_name[11]) + int(after_name[12])) / 100
    return cpu, int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024, float(text.splitlines()[-1].split()[0])


def print_use(live):
    """Of an emulated processor, which is ten to thirty times slower than this machine's."""
    before = use_of_agent(live)
    wait_until("half a minute has passed there", lambda: use_of_agent(live)[2] > before[2] + 30, 120)
    cpu, resident, now = use_of_agent(live)
    share = 100 * (cpu - before[0]) / (now - before[2])
    print(f"the idle agent: {share:.2f} % of the emulated core, {resident:.1f} MiB resident", flush=True)


def end(machine):
    subprocess.run(["pkill", "-TERM", "-s", str(machine.pid)], check=False, timeout=20)
    machine.wait(60)


def main():
    check_dom0()
    before, node, after = documented()
    check_boot(node[:3])
    assert all(command.startswith(begin) for command, begin in zip(node[:3], BOOTS, strict=True)), node
    with deployment(nodes=1) as live:
        key = on_the_managers_machine(live, before)
        live.stop()
        live.start()  # the keys of the manager are read at its start
        port = free_port()
        machine = boot(live, of_the_node(live, node[3:], key), port)
        try:
            wait_until("the agent serves", lambda: served(live, machine), 400)
            added = live.call(*with_what_is(live, port, after[0]).split()[1:])
            assert added.code == 0, added.err
            wait_until("n1 is up", lambda: live.node("n1")["state"] == "up", 120)
            probed = live.call("node", "probe", "n1").out
            print(probed, live.call("node", "list").out, sep="\n", flush=True)
            words = ["Xen 4.", "scheduler credit2", "guests pv", "pools Pool-0 of 2 CPUs", "of memory free"]
            assert all(word in probed for word in words), probed
            number = live.submit("--hypervisor", "xen", "--", "echo", "hello")
            job = wait_until("the job ends", lambda: (j := live.job(number))["ended_at"] and j, 400)
            assert job["exit_code"] in (None, 0) and job["state"] == "completed", job
            assert job["nodes"] == [] or job["nodes"][0]["node"] == "n1", job
            output = live.call("logs", number).out
            assert "hello" in output, output
            print_use(live)
            print("ok: ten commands make a node, and a job has run on it")
        except AssertionError:
            print(said(live), flush=True)
            raise
        finally:
            end(machine)


if __name__ == "__main__":
    sys.exit(main())
