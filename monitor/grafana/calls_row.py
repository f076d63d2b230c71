"""Rows of the dashboard "nodes": how exact caps are, and what libvirt's calls cost."""

from panels import PER_MINUTE, RATE, lines, query, some

NODE = 'node=~"$node"'

CALLS_ROW = [
    (
        6,
        8,
        lines(
            "Accuracy of caps",
            "CPU used / CPU granted over the time in which virtual machines would have taken "
            "more: below 1, others had the processor.",
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
            "Mean, by kind of call: an action on a virtual machine, or a question to a node.",
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
            "By kind of call and of error; timeout: the deadline was missed.",
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
            "Mean time that a guest stood still while it was moved; 0: none was.",
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
            "Of all kinds; one node alone points at that node, all of them at the network or the manager.",
            PER_MINUTE,
            [
                query(
                    some(
                        "60 * sum by (node) (rate("
                        f"aliquot_node_call_failures_total{{{NODE}}}{RATE}))",
                        "node",
                        "none",
                    ),
                    "{{node}}",
                )
            ],
            decimals=0,
        ),
    ),
]
