#!/usr/bin/env python3
"""Memory that jobs do not use is lent to others on nodes that the manager reaches through their agents
alone: all that lending_test shows of nodes without. An agent that is killed and started anew leaves what
is lent as it is."""

import sys

from agents import Agents
from deployment import deployment, wait_until
from lending_test import (
    TERMS,
    check_programs,
    keeps_what_is_lent_through_a_move_and_a_kill,
    lends_and_takes_back,
)
from workload import nothing_left


def start_anew(live, agent):
    agent.kill()
    wait_until("its node is suspect", lambda: live.node(agent.name)["state"] == "suspect", 60)
    agent.start()
    wait_until("its node is up again", live.nodes_are_up, 60)


def main():
    check_programs()
    agents = Agents()
    try:
        with deployment(reach=agents.reach, **TERMS) as live:
            lends_and_takes_back(live)
            keeps_what_is_lent_through_a_move_and_a_kill(live, lambda node: start_anew(live, agents[node]))
            nothing_left(live)
            print("ok", flush=True)
    finally:
        agents.stop()


if __name__ == "__main__":
    sys.exit(main())
