#!/usr/bin/env python3
"""The energy of nodes is measured by the site's command: one node has counters of RAPL that the test
writes, read as docs/power.md shows it, the other a meter of watts. The counters of nodes, of a job and of
its account follow what is measured; when a meter is gone, the settings count."""

import re
import sys
import threading
import time

from deployment import ROOT, deployment, wait_until
from workload import UNIT, nothing_left

WATTS = {"node1": 400, "node2": 150}
RANGE_UJ = 3_000_000_000  # wraps every 7.5 s
METER = """#!/bin/sh
# What a node of the test draws.
set -eu
if [ "$1" = node1 ]; then exec {rapl} "$1"; fi
echo "watts $(cat {state}/watts.$1)"
"""


def script_of_docs(name, marker):
    """The command of docs/power.md whose second line has the marker."""
    blocks = re.findall(r"(?:^    .*\n|^\n)+", (ROOT / "docs/power.md").read_text(), re.M)
    for block in blocks:
        text = "".join(line[4:] or "\n" for line in block.splitlines(keepends=True)).strip() + "\n"
        for script in text.split("#!/bin/sh\n")[1:]:
            if name in script and marker in script:
                return "#!/bin/sh\n" + script
    raise AssertionError(f"docs/power.md has no {name} with {marker}")


def meters(live):
    rapl = live.state / "rapl_meter"
    script = script_of_docs("power-meter", "energy counters")
    script = script.replace("/sys/class/powercap", f"{live.state}/powercap")
    ssh = 'ssh -o BatchMode=yes -o ConnectTimeout=5 "root@$1" '
    assert ssh in script, script
    rapl.write_text(script.replace(ssh, "sh -c "))
    command = live.state / "power_meter"
    command.write_text(METER.format(rapl=rapl, state=live.state))
    for path in (rapl, command):
        path.chmod(0o755)
    (live.state / "watts.node2").write_text(f"{WATTS['node2']}\n")
    zones = {"intel-rapl:0": "package-0", "intel-rapl:0:0": "core", "intel-rapl:0:1": "dram"}
    for zone, name in zones.items():
        folder = live.state / "powercap" / zone
        folder.mkdir(parents=True)
        (folder / "name").write_text(f"{name}\n")
        (folder / "max_energy_range_uj").write_text(f"{RANGE_UJ}\n")
        (folder / "energy_uj").write_text("0\n")
    watts = ["  idle_watts: 95", "  full_watts: 190"]
    return ["power:", *watts, f"  meter_command: [{command}]", "  meter_interval: 2s"]


class Counters(threading.Thread):
    """Three quarters are drawn by the package, a quarter by its memory; the cores are in the package."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.folder, self.begun, self.ends = folder, time.monotonic(), threading.Event()

    def run(self):
        while not self.ends.wait(0.02):
            drawn = (time.monotonic() - self.begun) * WATTS["node1"] * 1_000_000
            for zone, part in [("intel-rapl:0", 0.75), ("intel-rapl:0:0", 0.5), ("intel-rapl:0:1", 0.25)]:
                path = self.folder / zone / "energy_uj"
                new = path.with_suffix(".new")
                new.write_text(f"{int(drawn * part) % RANGE_UJ}\n")
                new.rename(path)


def nodes(live):
    return {node["node"]: node for node in live.ask("node", "list")["nodes"]}


def rises(figures, over_s):
    """How much each figure rises in a second."""
    before = {what: (time.monotonic(), read()) for what, read in figures.items()}
    time.sleep(over_s)
    risen = {}
    for what, read in figures.items():
        begun, first = before[what]
        risen[what] = (read() - first) / (time.monotonic() - begun)
    return risen


def within(found, expected):
    """The counters of the manager rise once a second."""
    return abs(found - expected) < 0.15 * expected


def all_say(live, by):
    wait_until(f"watts are {by}", lambda: [n["watts_by"] for n in nodes(live).values()] == by, 60)


def main():
    with deployment(nodes=2, node_mib=256, policy="ALIQUOT", more_of=meters) as live:
        counters = Counters(live.state / "powercap")
        counters.start()
        all_say(live, ["measured", "measured"])
        words = ["--cpus", 0.5, "--mem", "64MiB", "--account", "lab", "--hash-chain", f"1000000:{UNIT}"]
        job = live.submit(*words)
        place = wait_until("the job runs", lambda: live.places(job), 120)[0]
        draws = lambda: within(nodes(live)["node1"]["watts"], WATTS["node1"])
        wait_until("node1 draws what is written", draws, 60)
        of_nodes, of_accounts = "aliquot_node_energy_joules_total", "aliquot_account_energy_joules_total"
        expected, figures = {}, {}
        for node, watts in WATTS.items():
            label = f'node="{node}"'
            expected[f"the counter of {node}"] = watts
            figures[f"the counter of {node}"] = lambda l=label: live.metrics(of_nodes).get(l, 0)
        half = WATTS[place] * 0.5 / nodes(live)[place]["cpus"]
        expected["the job, half of its node"] = expected["its account"] = half
        figures["the job, half of its node"] = lambda: live.job(job)["cpu"]["energy_joules"]
        figures["its account"] = lambda: live.metrics(of_accounts).get('account="lab"', 0)
        for what, found in rises(figures, 25).items():
            print(f"{what}: {found:.0f} W, where {expected[what]:.0f} W are drawn", flush=True)
            assert within(found, expected[what]), what
        assert "W measured" in live.call("top").out, live.call("top").out
        (live.state / "watts.node2").unlink()
        all_say(live, ["measured", "table"])
        assert "W partly measured" in live.call("top").out
        assert "node_not_measured node=node2" in live.log.read_text(errors="replace")
        (live.state / "watts.node2").write_text("160\n")
        all_say(live, ["measured", "measured"])
        counters.ends.set()
        live.call("cancel", job)
        wait_until("the job has ended", lambda: live.job(job)["ended_at"], 60)
        nothing_left(live)
        print("ok", flush=True)


if __name__ == "__main__":
    sys.exit(main())
