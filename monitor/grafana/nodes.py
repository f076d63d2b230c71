"""The dashboard "nodes": What each node has, has promised, and whether its caps bite."""

from calls_row import CALLS_BY_NODE_ROW, CALLS_ROW, CHECKPOINTS_ROW, NODE
from panels import (
    BLUE,
    CORES,
    GREEN,
    ORANGE,
    RATE,
    RED,
    YELLOW,
    bars,
    dashboard,
    lines,
    query,
    stat,
    steps,
    table,
    variable,
)


def states(which):
    return f'sum(aliquot_node_state{{{NODE},state=~"{which}"}})'


def services(which):
    return f'sum(aliquot_node_service{{{NODE},service=~"{which}"}})'


used, granted = (
    f"rate(aliquot_vm_cpu_{what}seconds_total{{{NODE}}}{RATE})" for what in ("", "granted_")
)
share = f"({used} / ({granted} > 0))"
DASHBOARD = dashboard(
    "aliquot-nodes",
    "Aliquot / Nodes",
    "The capacity of each node, how much of it is promised, and whether its caps are effective.",
    [
        [
            (4, 4, stat("Up", "Nodes that take jobs.", "short", query(states("up")))),
            (
                4,
                4,
                stat(
                    "Draining",
                    "Nodes that keep their jobs and get no further ones.",
                    "short",
                    query(services("draining")),
                    steps(GREEN, (1, ORANGE)),
                ),
            ),
            (
                4,
                4,
                stat(
                    "No answer",
                    "Nodes that do not answer: suspect, down or fenced.",
                    "short",
                    query(states("suspect|down|fenced")),
                    steps(GREEN, (1, RED)),
                ),
            ),
            (
                4,
                4,
                stat(
                    "CPU promised",
                    "By the plan in force / capacity, over the nodes chosen.",
                    "percentunit",
                    query(
                        f"sum(aliquot_node_cpu_allocated_ratio{{{NODE}}} * "
                        f"aliquot_node_cpu_capacity_cores{{{NODE}}}) / "
                        f"sum(aliquot_node_cpu_capacity_cores{{{NODE}}})"
                    ),
                    decimals=0,
                ),
            ),
            (
                4,
                4,
                stat(
                    "Memory promised",
                    "Held by jobs / what jobs may have.",
                    "percentunit",
                    query(
                        f"sum(aliquot_node_memory_allocated_bytes{{{NODE}}}) / "
                        f"sum(aliquot_node_memory_capacity_bytes{{{NODE}}})"
                    ),
                    decimals=0,
                ),
            ),
            (
                4,
                4,
                stat(
                    "Virtual machines",
                    "That run.",
                    "short",
                    query(f"sum(aliquot_node_vms{{{NODE}}})"),
                ),
            ),
        ],
        [
            (
                12,
                11,
                bars(
                    "CPU promised, by node",
                    "By the plan in force / capacity of the node.",
                    "percentunit",
                    query(f"sort_desc(aliquot_node_cpu_allocated_ratio{{{NODE}}})", "{{node}}"),
                    steps(GREEN, (0.7, BLUE), (0.99, ORANGE)),
                    max=1,
                    decimals=0,
                ),
            ),
            (
                12,
                11,
                bars(
                    "Memory promised, by node",
                    "Held by jobs / what jobs may have.",
                    "percentunit",
                    query(
                        f"sort_desc(aliquot_node_memory_allocated_bytes{{{NODE}}} / "
                        f"aliquot_node_memory_capacity_bytes{{{NODE}}})",
                        "{{node}}",
                    ),
                    steps(GREEN, (0.7, BLUE), (0.95, ORANGE)),
                    max=1,
                    decimals=0,
                ),
            ),
        ],
        [
            (
                12,
                8,
                lines(
                    "CPU used / CPU granted",
                    "By node. Near 1: the caps are used up; above 1.1 for "
                    "long, they do not bite. The spread over the nodes chosen.",
                    "percentunit",
                    [
                        query(f"max({share})", "largest"),
                        query(f"quantile(0.5, {share})", "median"),
                        query(f"min({share})", "smallest"),
                    ],
                ),
            ),
            (
                12,
                8,
                lines(
                    "Held back",
                    "CPU that virtual CPUs were ready to use and did not get: stolen (something else ran "
                    "on the processor) or throttled by their own cap.",
                    CORES,
                    [
                        query(
                            f"sum(rate(aliquot_vm_cpu_throttled_seconds_total{{{NODE}}}{RATE}))",
                            "throttled",
                        ),
                        query(
                            f"sum(rate(aliquot_vm_cpu_delay_seconds_total{{{NODE}}}{RATE}))",
                            "stolen",
                        ),
                    ],
                ),
            ),
        ],
        [
            (
                8,
                8,
                lines(
                    "VMs of others",
                    "VMs that belong to no job: of other programs, and orphans, which are VMs of this "
                    "cluster that no job knows.",
                    "short",
                    [
                        query(f"sum(aliquot_node_other_vms{{{NODE}}})", "all"),
                        query(f"sum(aliquot_node_orphan_vms{{{NODE}}})", "orphans"),
                    ],
                    decimals=0,
                ),
            ),
            (
                8,
                8,
                lines(
                    "Held by VMs of others",
                    "Part of the nodes chosen that is given to no job for them.",
                    "percentunit",
                    [
                        query(
                            f"sum(aliquot_node_other_memory_bytes{{{NODE}}}) / "
                            f"(sum(aliquot_node_other_memory_bytes{{{NODE}}}) + "
                            f"sum(aliquot_node_memory_capacity_bytes{{{NODE}}}))",
                            "memory",
                        ),
                        query(
                            f"sum(aliquot_node_other_cpu_cores{{{NODE}}}) / "
                            f"(sum(aliquot_node_other_cpu_cores{{{NODE}}}) + "
                            f"sum(aliquot_node_cpu_capacity_cores{{{NODE}}}))",
                            "CPU",
                        ),
                    ],
                ),
            ),
            (
                8,
                8,
                lines(
                    "Changes by other programs",
                    "VMs of jobs that were moved, paused or destroyed, or that got another cap, an hour.",
                    "short",
                    [
                        query(
                            'sum by (change) (increase(aliquot_foreign_changes_total'
                            '{job=~"$job",instance=~"$instance"}[1h]))',
                            "{{change}}",
                        )
                    ],
                ),
            ),
        ],
        CALLS_ROW,
        CALLS_BY_NODE_ROW,
        CHECKPOINTS_ROW,
        [
            (
                12,
                9,
                lines(
                    "CPU used, by node",
                    "By the virtual CPUs, in the node's own cores.",
                    CORES,
                    [query(used, "{{node}}")],
                    stacked=True,
                    decimals=0,
                ),
            ),
            (
                12,
                9,
                lines(
                    "State of nodes",
                    "Number of nodes in each state.",
                    "short",
                    [query(f"sum by (state) (aliquot_node_state{{{NODE}}})", "{{state}}")],
                    stacked=True,
                    decimals=0,
                    colours={"up": GREEN, "suspect": ORANGE, "down": RED, "fenced": YELLOW},
                ),
            ),
        ],
        [
            (
                8,
                9,
                lines(
                    "Power drawn, by node",
                    "By the watts of the settings, the power of the node and the CPU that the plan gives.",
                    "watt",
                    [query(f"rate(aliquot_node_energy_joules_total{{{NODE}}}{RATE})", "{{node}}")],
                    stacked=True,
                    decimals=0,
                ),
            ),
            (
                8,
                9,
                lines(
                    "Power charged, by account",
                    "What the accounts' jobs are charged, on all nodes: by the CPU that the plan gives "
                    "them. Idle CPU and nodes that sleep are charged to no account.",
                    "watt",
                    [
                        query(
                            f"sum by (account) (rate(aliquot_account_energy_joules_total{RATE}))",
                            "{{account}}",
                        )
                    ],
                    stacked=True,
                    decimals=0,
                ),
            ),
            (
                8,
                9,
                lines(
                    "Power of nodes",
                    "Number of nodes that are on, go off, are off or boot (waking).",
                    "short",
                    [query(f"sum by (power) (aliquot_node_power_state{{{NODE}}})", "{{power}}")],
                    stacked=True,
                    decimals=0,
                    colours={"on": GREEN, "going_off": ORANGE, "off": BLUE, "waking": YELLOW},
                ),
            ),
        ],
        [
            (
                8,
                8,
                lines(
                    "Until the next maintenance window",
                    "Time to its start; nothing where none is planned.",
                    "s",
                    [query("max(aliquot_maintenance_next_start_timestamp_seconds > 0) - time()", "left")],
                ),
            ),
            (
                8,
                8,
                lines(
                    "Nodes in a maintenance window",
                    "Nodes that are to be empty now, and nodes that are drained, for that or otherwise.",
                    "short",
                    [
                        query("max(aliquot_maintenance_nodes)", "in a window"),
                        query(services("draining"), "draining"),
                    ],
                    decimals=0,
                ),
            ),
            (
                8,
                8,
                lines(
                    "Moves that wait",
                    "VMs to be moved while as many are under way as may be at a time (budget), and VMs of "
                    "jobs that have been moved lately (cool_down).",
                    "short",
                    [query("sum by (cause) (aliquot_moves_waiting)", "{{cause}}")],
                    decimals=0,
                ),
            ),
        ],
        [
            (
                24,
                14,
                table(
                    "Nodes",
                    "All of it as of now.",
                    [
                        ("CPU", f"aliquot_node_cpu_capacity_cores{{{NODE}}}"),
                        (
                            "CPU promised",
                            f"aliquot_node_cpu_allocated_ratio{{{NODE}}} * "
                            f"aliquot_node_cpu_capacity_cores{{{NODE}}}",
                        ),
                        ("CPU granted", f"aliquot_node_cpu_granted_cores{{{NODE}}}"),
                        ("Memory", f"aliquot_node_memory_capacity_bytes{{{NODE}}}"),
                        ("Memory promised", f"aliquot_node_memory_allocated_bytes{{{NODE}}}"),
                        ("Memory lent", f"aliquot_node_memory_lent_bytes{{{NODE}}}"),
                        ("Memory of guests that tell", f"aliquot_node_memory_told_bytes{{{NODE}}}"),
                        ("Memory that they use", f"aliquot_node_memory_used_bytes{{{NODE}}}"),
                        ("VMs", f"aliquot_node_vms{{{NODE}}}"),
                        ("Takes jobs", f"aliquot_node_up{{{NODE}}}"),
                        ("Held by another cluster", f"aliquot_node_other_cluster{{{NODE}}}"),
                    ],
                    "node",
                    {
                        "CPU": CORES,
                        "CPU promised": CORES,
                        "CPU granted": CORES,
                        "Memory": "bytes",
                        "Memory promised": "bytes",
                        "Memory lent": "bytes",
                        "Memory of guests that tell": "bytes",
                        "Memory that they use": "bytes",
                        "VMs": "short",
                        "Takes jobs": "bool_yes_no",
                        "Held by another cluster": "bool_yes_no",
                    },
                ),
            ),
        ],
    ],
    [variable("node", "Node", "aliquot_node_up", '{job=~"$job",instance=~"$instance"}')],
)
