"""The dashboard "overview": What the cluster does, what jobs get, what waits."""

from panels import (
    BLUE,
    CORES,
    GREEN,
    GREY,
    ORANGE,
    PER_HOUR,
    PURPLE,
    RATE,
    RED,
    dashboard,
    lines,
    query,
    some,
    stat,
    steps,
)


used = f"sum(rate(aliquot_vm_cpu_seconds_total{RATE}))"
DASHBOARD = dashboard(
    "aliquot-overview",
    "Aliquot / Overview",
    "The state of the cluster, the shares that jobs get, and the jobs that wait.",
    [
        [
            (
                4,
                4,
                stat(
                    "Running jobs",
                    "Jobs whose virtual machines run.",
                    "short",
                    query('sum(aliquot_jobs{state="running"})'),
                ),
            ),
            (
                4,
                4,
                stat(
                    "Pending jobs",
                    "Jobs that wait or are paused, including held jobs.",
                    "short",
                    query('sum(aliquot_jobs{state=~"waiting|paused|held"})'),
                ),
            ),
            (
                4,
                4,
                stat(
                    "Longest wait",
                    "Longest time for which a job that is not held has now been waiting "
                    "or paused.",
                    "s",
                    query("max(aliquot_job_longest_wait_seconds)"),
                    steps(GREEN, (3600, ORANGE), (14400, RED)),
                ),
            ),
            (
                4,
                4,
                stat(
                    "Smallest yield",
                    "CPU given / CPU needed, minimum over the running jobs.",
                    "percentunit",
                    query("min(aliquot_job_yield_min_ratio)"),
                    steps(RED, (0.1, ORANGE), (0.3, GREEN)),
                    decimals=0,
                ),
            ),
            (
                4,
                4,
                stat(
                    "Nodes up",
                    "Nodes that accept jobs, and all nodes of the configuration.",
                    "percentunit",
                    query("sum(aliquot_node_up) / count(aliquot_node_up)"),
                    steps(RED, (0.5, ORANGE), (1, GREEN)),
                    decimals=0,
                ),
            ),
            (
                4,
                4,
                stat(
                    "Actions failing",
                    "Jobs with an action that has failed at least three times in a row.",
                    "short",
                    query("sum(aliquot_failing_jobs)"),
                    steps(GREEN, (1, RED)),
                ),
            ),
        ],
        [
            (
                12,
                9,
                lines(
                    "Jobs",
                    "Jobs that have not ended, by state.",
                    "short",
                    [query("sum by (state) (aliquot_jobs)", "{{state}}")],
                    stacked=True,
                    decimals=0,
                    colours={
                        "running": GREEN,
                        "paused": BLUE,
                        "waiting": ORANGE,
                        "held": GREY,
                        "in_flight": PURPLE,
                        "unreachable": RED,
                    },
                ),
            ),
            (
                12,
                9,
                lines(
                    "CPU: needed, promised, granted, used",
                    "Needed: by all jobs that are not held, at full speed. Promised: by the plan in force. "
                    "Granted: by the caps that hypervisors acknowledged. Used: by the virtual CPUs.",
                    CORES,
                    [
                        query("sum(aliquot_node_cpu_capacity_cores)", "capacity"),
                        query("sum(aliquot_account_cpu_needed_cores)", "needed"),
                        query("sum(aliquot_account_cpu_promised_cores)", "promised"),
                        query("sum(aliquot_node_cpu_granted_cores)", "granted"),
                        query(used, "used"),
                    ],
                    colours={
                        "capacity": GREY,
                        "needed": ORANGE,
                        "promised": BLUE,
                        "granted": PURPLE,
                        "used": GREEN,
                    },
                    decimals=0,
                ),
            ),
        ],
        [
            (
                8,
                8,
                lines(
                    "Yield of running jobs",
                    "CPU given / CPU needed: smallest, mean, and an upper bound on the smallest over all "
                    "placements of the same jobs.",
                    "percentunit",
                    [
                        query("min(aliquot_job_yield_min_ratio)", "smallest"),
                        query("avg(aliquot_job_yield_avg_ratio)", "mean"),
                        query("max(aliquot_job_yield_bound_ratio)", "smallest at best"),
                    ],
                    max=1,
                ),
            ),
            (
                8,
                8,
                lines(
                    "Why jobs do not run",
                    "Jobs that wait or are paused, by reason; `aliquot why JOB` explains "
                    "one job.",
                    "short",
                    [
                        query(
                            some(
                                "sum by (reason) (aliquot_pending_jobs)", "reason", "nobody waits"
                            ),
                            "{{reason}}",
                        )
                    ],
                    stacked=True,
                    decimals=0,
                ),
            ),
            (
                8,
                8,
                lines(
                    "Stretch",
                    "Bounded stretch (turnaround / time alone): of jobs that ended within half an "
                    "hour, and the worst so far of those that have not.",
                    "none",
                    [
                        query(
                            "histogram_quantile(0.5, sum by (le) (increase("
                            "aliquot_job_stretch_ratio_bucket[30m])))",
                            "ended, median",
                        ),
                        query(
                            "histogram_quantile(0.95, sum by (le) (increase("
                            "aliquot_job_stretch_ratio_bucket[30m])))",
                            "ended, 95th percentile",
                        ),
                        query("max(aliquot_job_stretch_so_far_max_ratio)", "worst so far"),
                    ],
                    decimals=1,
                ),
            ),
        ],
        [
            (
                12,
                8,
                lines(
                    "Actions on virtual machines",
                    "Completed actions per minute; one per virtual machine.",
                    "none",
                    [
                        query(
                            f"60 * sum by (action) (rate(aliquot_plan_actions_total{RATE})) > 0",
                            "{{action}}",
                        )
                    ],
                    stacked=True,
                    decimals=0,
                ),
            ),
            (
                12,
                8,
                lines(
                    "Jobs submitted and ended",
                    "Over the last ten minutes.",
                    PER_HOUR,
                    [
                        query("3600 * sum(rate(aliquot_jobs_submitted_total[10m]))", "submitted"),
                        query(
                            "3600 * sum by (result) (rate(aliquot_jobs_finished_total[10m]))",
                            "{{result}}",
                        ),
                    ],
                    decimals=0,
                    colours={
                        "submitted": BLUE,
                        "completed": GREEN,
                        "failed": RED,
                        "cancelled": GREY,
                        "timed_out": ORANGE,
                    },
                ),
            ),
        ],
    ],
)
