"""Rows of the dashboard "nodes": cap accuracy and libvirt calls."""

from panels import PER_MINUTE, RATE, lines, query, some

NODE = 'node=~"$node"'
FAILED = f"60 * sum by (node) (rate(aliquot_node_call_failures_total{{{NODE}}}{RATE}))"
# Under names of their own; without agents there are none.
REFUSED = (
    f"label_replace(60 * sum by (node) (rate(aliquot_node_messages_refused_total{{{NODE}}}{RATE})), "
    '"node", "$1: messages of its agent", "node", "(.*)")'
)

CALLS_ROW = [
    (
        6,
        8,
        lines(
            "Accuracy of caps",
            "CPU used / CPU granted while virtual CPUs were never idle; below 1: something else "
            "ran on the processor.",
            "percentunit",
            [
                query(
                    f"sum(rate(aliquot_vm_cpu_busy_seconds_total{{{NODE}}}{RATE})) / (sum(rate("
                    f"aliquot_vm_cpu_busy_granted_seconds_total{{{NODE}}}{RATE})) > 0)",
                    "used / granted",
                )
            ],
        ),
    ),
    (
        6,
        8,
        lines(
            "Time of libvirt's calls",
            "Mean, by call: an action on a virtual machine, or a query of a node.",
            "s",
            [
                query(
                    some(
                        f"sum by (call) (rate(aliquot_libvirt_call_duration_seconds_sum{RATE})) / "
                        "(sum by (call) (rate("
                        f"aliquot_libvirt_call_duration_seconds_count{RATE})) > 0)",
                        "call",
                        "none",
                    ),
                    "{{call}}",
                )
            ],
            custom={"axisSoftMax": 1},
        ),
    ),
    (
        6,
        8,
        lines(
            "Libvirt's calls that failed",
            "By call and error; timeout: the deadline was missed.",
            PER_MINUTE,
            [
                query(
                    some(
                        "60 * sum by (call, error) (rate("
                        f"aliquot_libvirt_call_failures_total{RATE}))",
                        "call",
                        "none",
                    ),
                    "{{call}} {{error}}",
                )
            ],
            decimals=0,
        ),
    ),
    (
        6,
        8,
        lines(
            "Downtime of migrations",
            "Mean downtime of a guest during a migration; 0: no migration.",
            "s",
            [
                query(
                    f"sum(rate(aliquot_migration_downtime_seconds_sum{RATE})) / (sum(rate("
                    f"aliquot_migration_downtime_seconds_count{RATE})) > 0) or vector(0)",
                    "downtime",
                )
            ],
            custom={"axisSoftMax": 0.1},
        ),
    ),
]

CALLS_BY_NODE_ROW = [
    (
        12,
        8,
        lines(
            "Time of libvirt's calls, by node",
            "Mean over all kinds of calls to the node.",
            "s",
            [
                query(
                    some(
                        f"sum by (node) (rate(aliquot_node_call_seconds_total{{{NODE}}}{RATE})) / "
                        f"(sum by (node) (rate(aliquot_node_calls_total{{{NODE}}}{RATE})) > 0)",
                        "node",
                        "none",
                    ),
                    "{{node}}",
                )
            ],
            custom={"axisSoftMax": 0.1},
        ),
    ),
    (
        12,
        8,
        lines(
            "Libvirt's calls that failed, by node",
            "All calls, and messages of nodes' agents that were not understood. "
            "Failures on one node indicate a fault of the node, on all nodes of the network.",
            PER_MINUTE,
            [query(some(f"({FAILED} or {REFUSED})", "node", "none"), "{{node}}")],
            decimals=0,
        ),
    ),
]

CHECKPOINTS_ROW = [
    (
        8,
        8,
        lines(
            "Pauses for checkpoints",
            "Mean time for which a job stands still for a checkpoint; 0: none was made.",
            "s",
            [
                query(
                    f"sum(rate(aliquot_checkpoint_pause_seconds_sum{RATE})) / (sum(rate("
                    f"aliquot_checkpoint_pause_seconds_count{RATE})) > 0) or vector(0)",
                    "pause",
                )
            ],
            custom={"axisSoftMax": 1},
        ),
    ),
    (
        8,
        8,
        lines(
            "Checkpoints made, and VMs restored from one",
            "Restores follow the loss of a node.",
            PER_MINUTE,
            [
                query(f"60 * sum(rate(aliquot_checkpoint_pause_seconds_count{RATE}))", "checkpoints"),
                query(f"60 * sum(rate(aliquot_checkpoint_restores_total{RATE}))", "restores"),
            ],
            decimals=0,
        ),
    ),
    (
        8,
        8,
        lines(
            "Skew between the tasks of a job",
            "From the first to the last VM that is suspended, or released, 99th percentile; 0: none was.",
            "s",
            [
                query(
                    "histogram_quantile(0.99, sum by (le, action) (rate("
                    f"aliquot_job_skew_seconds_bucket{RATE}))) >= 0 or on(action) 0 * max by (action) ("
                    "aliquot_job_skew_seconds_count)",
                    "{{action}}",
                )
            ],
            custom={"axisSoftMax": 1},
        ),
    ),
]
