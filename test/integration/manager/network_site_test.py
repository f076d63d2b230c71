#!/usr/bin/env python3
"""The network of the site, and bandwidth, on real nodes. A VM on the site's bridge has its address by DHCP,
keeps it over a live migration, a save and a restore, and cannot send under another MAC address; a node that
has no such bridge is named. A task with --net sends at that rate and no faster, also after it was migrated
and saved; what the nodes do not have is refused."""

import re
import statistics
import sys

from deployment import deployment, wait_until

NODES = 2
SMALL = ["--mem", "96MiB", "--cpus", "0.25"]
LIMIT_KBIT = 1500
# Prints the rate at which each megabyte has come to task 1, as that has counted it.
SEND = """
if [ $ALIQUOT_TASK = 1 ]; then exec nc -ll -p 7000 -e wc -c; fi
now() { cut -d' ' -f1 /proc/uptime; }
sleep 3
while :; do
  begin=$(now); bytes=$(dd if=/dev/zero bs=64k count=15 2>/dev/null | nc task1 7000)
  echo "$begin $(now) ${bytes:-0}" | awk '$3 == 983040 { printf "%d kbit/s\\n", $3 / 125 / ($2 - $1) }'
done
"""
# Tells its addresses, counts so many answers of the site's gateway, and asks on under a MAC address that is
# not its own.
ASK = """
ip -4 -o address show dev eth0 | awk '{ print "address", $4 }'
cat /sys/class/net/eth0/address
i=0; while [ $i -lt $1 ]; do ping -c 1 -W 2 10.77.0.1 >/dev/null && i=$((i + 1)) && echo $i; sleep 0.3; done
ip link set eth0 down; ip link set eth0 address 06:00:00:77:00:00; ip link set eth0 up
ping -c 3 -W 1 10.77.0.1 >/dev/null && echo reached under a wrong address
echo done
"""
DHCP = """interface site0
start 10.77.0.100
end 10.77.0.150
max_leases 40
lease_file /tmp/leases
option subnet 255.255.255.0
option router 10.77.0.1
"""


def lines(live, job, task=0):
    return live.call("logs", f"{job}.{task}").out.split("\n")[:-1]


def refused(live, words, *options):
    said = live.call("submit", *SMALL, *options, "--", "true")
    assert said.code != 0 and words in said.err, f"{options}: {said.code} {said.err}"


def place(live, job):
    """The nodes of its VMs if all of them run and nothing is under way."""
    vms = live.job(job)["vms"]
    quiet = all(vm["state"] == "running" and vm["doing"] is None for vm in vms)
    return [vm["node"] for vm in vms] if quiet else None


def move_and_save(live, job, goes_on):
    """Its first task is migrated, then the job is saved and restored; after each, `goes_on` is called."""
    from_node = wait_until("it runs", lambda: place(live, job), 60)[0]
    live.call("node", "drain", from_node, "--mode", "migrate")
    wait_until("it has moved", lambda: (at := place(live, job)) and from_node not in at, 180)
    live.call("node", "resume", from_node)
    goes_on("after a live migration")
    live.call("hold", job)
    wait_until("it is saved", lambda: {vm["state"] for vm in live.job(job)["vms"]} == {"saved"}, 180)
    live.call("release", job)
    wait_until("it runs again", lambda: place(live, job), 180)
    goes_on("after a save and a restore")


def make_bridge(live, node):
    """As sites have it: the node's own address is on the bridge, and its cable in it."""
    address = f"10.77.0.{10 + node}/24"
    script = (
        "ip link add site0 type bridge forward_delay 0 && ip link set eth0 master site0 && "
        f"ip address del {address} dev eth0 && ip address add {address} dev site0 && ip link set site0 up"
    )
    made = live.localcluster("exec", node, "sh", "-c", script)
    assert made.returncode == 0, made.stderr


def name_the_node_without_bridge(live):
    live.call("node", "drain", "node1", "--mode", "wait")
    job = live.submit(*SMALL, "--network", "site", "--", "true")
    what = "the node node2 has no bridge site0"
    note = wait_until(
        "the node is named", lambda: what in (said := live.job(job)["note"]) and said, 90
    )
    live.call("cancel", job)
    live.call("node", "resume", "node1")
    wait_until("the job has ended", lambda: live.job(job)["ended_at"], 60)
    print("ok: a node without the bridge is named:", note, flush=True)


def start_dhcp(live):
    settings = live.state / "udhcpd.conf"
    settings.write_text(DHCP)
    started = live.localcluster("exec", 1, "sh", "-c", f"touch /tmp/leases; busybox udhcpd {settings}")
    assert started.returncode == 0, started.stderr


def use_the_site(live):
    name_the_node_without_bridge(live)
    make_bridge(live, 2)
    start_dhcp(live)
    job = live.submit(*SMALL, "--network", "site", "--", "sh", "-c", ASK, "ask", 60)
    wait_until("the gateway answers", lambda: len(lines(live, job)) > 4, 120)
    address, mac = lines(live, job)[:2]
    assert address.startswith("address 10.77.0.1"), address
    assert mac == f"06:00:00:{job:02x}:00:00", mac
    assert live.job(job)["network"]["bridge"] == "site0", live.job(job)["network"]

    def goes_on(when):
        before = len(lines(live, job))
        wait_until(f"the gateway answers {when}", lambda: len(lines(live, job)) > before + 2, 120)
        print(f"ok: {address} reaches the site {when}", flush=True)

    move_and_save(live, job, goes_on)
    wait_until("the job ends", lambda: live.job(job)["ended_at"], 300)
    said = lines(live, job)
    assert said[-1] == "done" and "reached under a wrong address" not in said, said[-3:]
    left = [live.localcluster("exec", n, "nft", "list", "tables").stdout for n in range(1, NODES + 1)]
    assert "aqs" not in "".join(left), left
    print("ok: under another MAC address it reaches nothing; its rules are gone", flush=True)


def rates(live, job):
    return [int(m[1]) for m in re.finditer(r"(\d+) kbit/s", "\n".join(lines(live, job)))]


def limit(live):
    words = ["--mem", "96MiB", "--cpus", "0.5", "--tasks", 2, "--network", "job"]
    free = live.submit(*words, "--", "sh", "-c", SEND)
    wait_until("pieces arrive", lambda: len(rates(live, free)) >= 3, 180)
    without = statistics.median(rates(live, free))
    live.call("cancel", free)
    wait_until("the job has ended", lambda: live.job(free)["ended_at"], 60)
    job = live.submit(*words, "--net", f"{LIMIT_KBIT}kbit", "--", "sh", "-c", SEND)
    assert "at most 1500kbit" in live.call("show", job).out, live.call("show", job).out

    def goes_on(when):
        before = len(rates(live, job))
        wait_until(f"pieces arrive {when}", lambda: len(rates(live, job)) >= before + 3, 180)
        newest = statistics.median(rates(live, job)[before:])
        assert LIMIT_KBIT / 3 < newest < 1.25 * LIMIT_KBIT, f"{newest} kbit/s {when}"
        print(f"ok: {newest:.0f} kbit/s {when}, of {LIMIT_KBIT}; without a limit {without:.0f}", flush=True)

    goes_on("at first")
    assert without > 2 * LIMIT_KBIT, f"{without} kbit/s without a limit: the limit shows nothing"
    move_and_save(live, job, goes_on)
    live.call("cancel", job)
    wait_until("the job has ended", lambda: live.job(job)["ended_at"], 60)


def count(live):
    """Each node has 400 MiB and 10 Mbit: 4 Mbit are charged 160 MiB."""
    net = ["--network", "job", "--net"]
    refused(live, "the node with the most, node", *net, "20Mbit")
    refused(live, "holds 4 such tasks, not 5", "--tasks", 5, *net, "4Mbit")
    refused(live, "--net goes with a network", "--network", "none", "--net", "4Mbit")
    first = live.submit(*SMALL, "--tasks", 4, "--hold", *net, "4Mbit", "--", "true")
    live.call("cancel", first)
    print("ok: bandwidth that the nodes do not have is refused", flush=True)


def main():
    settings = ["network:", "  jobs: on-request", "  site: site0"]

    def with_bandwidth(_, nodes):
        return re.sub(r"^( +)uri: .*$", r"\g<0>\n\1bandwidth: 10Mbit", nodes, flags=re.M)

    with deployment(
        nodes=NODES, node_mib=400, policy="ALIQUOT", more=settings, reach=with_bandwidth
    ) as live:
        make_bridge(live, 1)
        count(live)
        use_the_site(live)
        limit(live)


if __name__ == "__main__":
    sys.exit(main())
