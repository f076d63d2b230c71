#!/usr/bin/env python3
"""Two nodes that save what they pause to a disk of their own. A paused job goes on from there, also after
the manager was killed, and only there: while its node is full it waits, though the other is free. A job
that was paused before moves to the other node and back by way of the spool, each time from its newest
image. A node that is confirmed down loses nothing that it keeps, nor does a store that is lost. Where the
disk has no room the job runs on. Nothing is left in the end."""

import shutil
import subprocess
import sys

from agents import Agents
from deployment import BIN, deployment, wait_until
from workload import Work, nothing_left, prove

# A node has room for two of them.
KEPT = Work("kept", mib=64, lasts=30)
FILLERS = [Work(f"filler{i}", cpus=0.3, mib=64, lasts=300) for i in range(2)]
CROWDED = Work("crowded", mib=64, lasts=25)


def place(live, number):
    job = live.job(number)
    return job["nodes"][0]["node"] if job["state"] == "running" else None


def wait_to_run(live, number):
    return wait_until(f"job {number} runs", lambda: place(live, number), 240)


def links(live, number):
    return live.call("logs", number).out.count("MICRO n=")


def grows(live, number, by=3):
    before = links(live, number)
    wait_until(f"the chain of job {number} grows", lambda: links(live, number) >= before + by)


def images(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.glob("*/*.save*"))


def images_everywhere(live, agents):
    return {name: images(agent.saves) for name, agent in agents.by_node.items()} | {
        "spool": images(live.spool)
    }


def only_on(live, agents, node, number):
    """Its image is on the disk of its node and nowhere else."""
    there = {name: [] for name in [*agents.by_node, "spool"]} | {node: [f"{number}/0.save"]}
    assert images_everywhere(live, agents) == there, images_everywhere(live, agents)


def pause(live, number):
    live.ask("hold", number)
    wait_until("it is saved", lambda: live.job(number)["vms"][0]["state"] == "saved", 180)


def why(live, number, reason):
    def answer():
        said = live.ask("why", number)
        return said["reason"] == reason and said

    return wait_until(f"why says {reason} of job {number}", answer, 60)


def start_anew(live, agent, end):
    """Its agent, which `end` ends."""
    end()
    wait_until("its node is suspect", lambda: live.node(agent.name)["state"] == "suspect", 60)
    agent.start()
    wait_until("its node is up again", live.nodes_are_up, 120)


def is_saved_on_its_node_and_survives_a_kill(live, agents, number):
    home = wait_to_run(live, number)
    grows(live, number)
    pause(live, number)
    only_on(live, agents, home, number)
    live.kill()
    live.start()
    wait_until("both nodes are up", live.nodes_are_up, 60)
    start_anew(live, agents[home], agents[home].kill)
    only_on(live, agents, home, number)
    return home


def says_which_side_to_change(live, agents, number, home):
    """The configuration and the agents disagree: no node is used, and nothing is lost."""
    file = live.state / "aliquot.yaml"
    text = file.read_text()
    file.write_text(text.replace("local_saves: on", "local_saves: off"))
    live.reload()
    for name in agents.by_node:
        why_not = "start the agent without --saves"
        wait_until(f"{name} says so", lambda n=name: why_not in (live.node(n)["why"] or ""), 60)
        assert live.node(name)["state"] == "suspect", live.node(name)
    file.write_text(text)
    live.reload()
    wait_until("both nodes are up", live.nodes_are_up, 60)
    only_on(live, agents, home, number)


def waits_for_its_node_alone(live, agents, number, home, other):
    live.ask("node", "drain", other)
    fillers = [live.submit(*work.words()) for work in FILLERS]
    for filler in fillers:
        assert wait_to_run(live, filler) == home
    live.ask("node", "resume", other)
    live.ask("release", number)
    said = why(live, number, "tied")
    assert home in said["text"] and other not in said["text"], said["text"]
    print("why:", said["text"])
    only_on(live, agents, home, number)
    for filler in fillers:
        live.ask("cancel", filler)
    assert wait_to_run(live, number) == home
    nothing = {name: [] for name in [*agents.by_node, "spool"]}
    wait_until("no image is left", lambda: images_everywhere(live, agents) == nothing, 30)


def moves_there_and_back(live, agents, number, home, other):
    for leaves, goes_to in [(home, other), (other, home)]:
        grows(live, number)
        live.ask("node", "drain", leaves)
        wait_until(f"it is on {goes_to}", lambda to=goes_to: place(live, number) == to, 240)
        live.ask("node", "resume", leaves)
        grows(live, number)
        assert not any(images_everywhere(live, agents).values()), images_everywhere(live, agents)


def is_not_lost_with_its_node(live, agents, number, home, other):
    """Its node is confirmed down, and the manager starts anew: no other node can say what became of it."""
    pause(live, number)
    agents[home].stop()
    wait_until("its node is down", lambda: live.node(home)["state"] in ("suspect", "down"), 60)
    live.ask("node", "confirm-down", home)
    live.kill()
    live.start()
    wait_until("the other is up", lambda: live.node(other)["state"] == "up", 60)
    other_job = live.submit("--cpus", 0.2, "--mem", "96MiB", "--", "true")
    wait_until("another job ends", lambda: live.job(other_job)["ended_at"], 240)
    assert not live.job(number)["ended_at"], live.job(number)
    agents[home].start()
    wait_until("its node is up again", live.nodes_are_up, 120)
    live.ask("release", number)
    assert wait_to_run(live, number) == home


def comes_back_with_a_new_store(live, number, home):
    """The store is lost while it is paused: a new one is made from what the nodes have."""
    pause(live, number)
    live.kill()
    shutil.rmtree(live.state / "store")
    rebuilt = subprocess.run(
        [BIN / "aliquotd", "--config", live.state / "aliquot.yaml", "--rebuild-from-nodes"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert rebuilt.returncode == 0, rebuilt.stderr
    assert f"1 VM saved on {home}" in rebuilt.stdout, rebuilt.stdout
    live.start()
    assert wait_to_run(live, number) == home


def runs_on_where_the_disk_is_small(live, agents):
    """Of a gibibyte that stays free a small disk has none."""
    number = live.submit(*CROWDED.words())
    home = wait_to_run(live, number)
    agent = agents[home]
    disk, small = agent.saves, live.state / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", small], check=True, timeout=20)
    try:
        agent.saves = small
        start_anew(live, agent, agent.stop)
        live.ask("hold", number)
        said = why(live, number, "save_space")
        assert str(small) in said["text"], said["text"]
        print("why:", said["text"])
        grows(live, number)
        live.ask("release", number)
        wait_until("it ends", lambda: live.job(number)["ended_at"], 240)
        agent.saves = disk
        start_anew(live, agent, agent.stop)
    finally:
        subprocess.run(["umount", "-l", small], check=True, timeout=20)
    return number


def main():
    agents = Agents(local_saves=True)
    try:
        with deployment(nodes=2, node_mib=256, reach=agents.reach) as live:
            ids = {KEPT.name: live.submit(*KEPT.words())}
            kept = ids[KEPT.name]
            home = is_saved_on_its_node_and_survives_a_kill(live, agents, kept)
            other = next(name for name in agents.by_node if name != home)
            says_which_side_to_change(live, agents, kept, home)
            waits_for_its_node_alone(live, agents, kept, home, other)
            moves_there_and_back(live, agents, kept, home, other)
            is_not_lost_with_its_node(live, agents, kept, home, other)
            comes_back_with_a_new_store(live, kept, home)
            wait_until("it ends", lambda: live.job(kept)["ended_at"], 400)
            ids[CROWDED.name] = runs_on_where_the_disk_is_small(live, agents)
            print("ok:", prove(live, ids, [KEPT, CROWDED]))
            live.wait_until_empty(1, 2)
            nothing_left(live)
            left = {path.name for agent in agents.by_node.values() for path in agent.saves.iterdir()}
            assert left == {"saves.id"}, left
            marks = list(live.spool.glob("*/*.kept"))
            assert not marks, marks
    finally:
        agents.stop()


if __name__ == "__main__":
    sys.exit(main())
