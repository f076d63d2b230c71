"""The lower rows of the dashboard "scheduler": gains of decisions, and the health of the manager."""

from panels import PER_MINUTE, RATE, lines, quantiles, query

HEALTH_ROWS = [
    [
        (
            5,
            8,
            lines(
                "Gain of plans",
                "CPU given / (given + taken), of decisions that changed shares. 1: no job lost CPU; "
                "0.5: gains equal losses.",
                "none",
                [
                    query(
                        f"histogram_quantile({q}, sum by (le) (rate(aliquot_plan_gain_ratio_bucket[10m])))",
                        name,
                    )
                    for q, name in ((0.1, "10th percentile"), (0.5, "median"))
                ],
                decimals=1,
                max=1,
            ),
        ),
        (
            5,
            8,
            lines(
                "CPU given and taken",
                "By decisions that were carried out, summed over jobs. Given minus taken is the net gain "
                "of plans.",
                "suffix: cores/min",
                [
                    query(f"60 * sum(rate(aliquot_plan_given_cores_total{RATE}))", "given"),
                    query(f"60 * sum(rate(aliquot_plan_taken_cores_total{RATE}))", "taken"),
                ],
                decimals=0,
            ),
        ),
        (
            5,
            8,
            lines(
                "Oscillations",
                "Per ten minutes: decisions that undid one of the last hour.",
                "none",
                [query("sum by (kind) (increase(aliquot_oscillations_total[10m]))", "{{kind}}")],
                decimals=0,
            ),
        ),
        (
            5,
            8,
            lines(
                "Store: time to disk",
                "Time from passing a step to the store until it was durable.",
                "s",
                [*quantiles("aliquot_store_commit_duration_seconds")],
                log=True,
            ),
        ),
        (
            4,
            8,
            lines(
                "Store: size",
                "The database and its write-ahead log; above 0: its disk is full, and nothing is stored.",
                "bytes",
                [
                    query("sum(aliquot_store_size_bytes)", "size"),
                    query("sum(aliquot_store_blocked)", "disk full"),
                ],
            ),
        ),
    ],
    [
        (
            18,
            7,
            lines(
                "Spool",
                "Free space, the reserve that memory images and submitted files leave alone, what ended "
                "jobs keep, and the image store. Free space near the reserve: no job can be paused.",
                "bytes",
                [
                    query("min(aliquot_spool_free_bytes)", "free"),
                    query("max(aliquot_spool_reserve_bytes)", "reserve"),
                    query("sum(aliquot_spool_ended_jobs_bytes)", "of ended jobs"),
                    query("sum(aliquot_image_bytes)", "disk images"),
                ],
            ),
        ),
        (
            6,
            7,
            lines(
                "Disk images",
                "Of the image store, by name. Two names may have one content.",
                "short",
                [query("sum(aliquot_images)", "images")],
                decimals=0,
            ),
        ),
    ],
    [
        (
            6,
            8,
            lines(
                "Requests of the job API",
                "By method; and what clients of other machines ask and are refused.",
                PER_MINUTE,
                [
                    query(
                        f"60 * sum by (method) (rate(aliquot_rpc_requests_total{RATE}))",
                        "{{method}}",
                    ),
                    query(
                        f"60 * sum by (origin) (rate(aliquot_rpc_origin_total{RATE}))",
                        "{{origin}}",
                    ),
                    query(
                        f"60 * sum by (cause) (rate(aliquot_rpc_remote_refused_total{RATE}))",
                        "refused: {{cause}}",
                    ),
                    query(f"60 * sum(rate(aliquot_audit_lost_total{RATE}))", "audit records lost"),
                ],
                decimals=0,
            ),
        ),
        (
            6,
            8,
            lines(
                "Time to an answer of the job API",
                "Time from reading a request to its answer; changes wait for the disk.",
                "s",
                [*quantiles("aliquot_rpc_request_duration_seconds")],
                log=True,
            ),
        ),
        (
            4,
            8,
            lines(
                "Clock",
                "Wall clock minus the manager's monotonic clock: a jump means that the wall clock was set.",
                "s",
                [query("max(aliquot_clock_offset_seconds)", "offset")],
                signed=True,
                custom={"axisSoftMin": -1, "axisSoftMax": 1},
            ),
        ),
        (
            4,
            8,
            lines(
                "CPU of the manager",
                "CPU time of the process, relative to one core.",
                "percentunit",
                [query(f"sum(rate(process_cpu_seconds_total{RATE}))", "used")],
            ),
        ),
        (
            4,
            8,
            lines(
                "Memory of the manager",
                "Resident.",
                "bytes",
                [query("sum(process_resident_memory_bytes)", "resident")],
            ),
        ),
    ],
]
