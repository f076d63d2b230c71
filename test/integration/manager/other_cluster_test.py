"""A node on which a VM of another cluster runs: it is not used, is said to be so, and the VM is not
touched; when the VM is gone, the node is used again."""

import time

from deployment import GUEST, deployment, wait_until


DOMAIN = """<domain type='qemu'>
  <name>aliquot-7.0-1-abcdef</name>
  <metadata><aliquot:vm xmlns:aliquot='urn:aliquot:vm:1' cluster='0123456789abcdef' job='7' task='0'
    incarnation='1' epoch='1'/></metadata>
  <memory unit='MiB'>32</memory><vcpu>1</vcpu>
  <os><type arch='x86_64' machine='pc'>hvm</type><kernel>{kernel}</kernel></os>
  <on_poweroff>destroy</on_poweroff>
  <devices><controller type='usb' model='none'/><memballoon model='none'/></devices>
</domain>
"""


def states(live):
    return {node["node"]: node["state"] for node in live.ask("node", "list")["nodes"]}


def metric(live):
    return list(live.metrics("aliquot_node_other_cluster").values())


def foreign(live):
    return "aliquot-7.0-1-abcdef" in live.domains(1)


def main():
    with deployment(nodes=1) as live:
        wait_until("the node is up", lambda: set(states(live).values()) == {"up"})
        assert metric(live) == [0]
        xml = live.state / "foreign.xml"
        xml.write_text(DOMAIN.format(kernel=GUEST / "hashchain.elf"))
        made = live.localcluster("virsh", 1, "create", xml, "--paused")
        assert made.returncode == 0, made.stderr
        wait_until("the node is not used", lambda: set(states(live).values()) == {"suspect"}, 30)
        wait_until("the metric says so", lambda: metric(live) == [1], 10)
        said = [event for event in live.events() if "another cluster" in str(event)]
        assert said, "no event says why"
        live.kill()
        live.start()
        wait_until("nor after a restart", lambda: metric(live) == [1], 30)
        assert set(states(live).values()) == {"suspect"}
        job = live.submit("--cpus", "0.5", "--mem", "128MiB", "--", "true")
        time.sleep(7)  # longer than a period: it would have been placed
        assert not live.job(job)["nodes"], live.job(job)
        assert foreign(live), "the VM of the other cluster was touched"
        live.localcluster("virsh", 1, "destroy", "aliquot-7.0-1-abcdef")
        done = wait_until(
            "the job ends on the node",
            lambda: (found := live.job(job))["ended_at"] and found,
        )
        assert done["exit_code"] == 0, done
        print("held, left alone, used again")


if __name__ == "__main__":
    main()
