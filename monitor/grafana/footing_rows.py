"""The lower rows of the dashboard "scheduler": what decisions gained, and what the manager stands on."""

from panels import PER_MINUTE, RATE, lines, quantiles, query

FOOTING_ROWS = [
    [
        (
            5,
            8,
            lines(
                "Gain of plans",
                "CPU given / (given + taken), of decisions in force that changed shares. 1: nobody lost "
                "any; 0.5: what some got, others lost.",
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
                "By decisions in force, added up over the jobs they changed. Given less taken is what "
                "plans gained.",
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
                "Per ten minutes: decisions that undid one not an hour old.",
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
                "From handing a step to the store until it was durable.",
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
                "The database and what is written ahead of it.",
                "bytes",
                [query("sum(aliquot_store_size_bytes)", "size")],
            ),
        ),
    ],
    [
        (
            6,
            8,
            lines(
                "Requests of the job API",
                "By method.",
                PER_MINUTE,
                [
                    query(
                        f"60 * sum by (method) (rate(aliquot_rpc_requests_total{RATE}))",
                        "{{method}}",
                    )
                ],
                decimals=0,
            ),
        ),
        (
            6,
            8,
            lines(
                "Time to an answer of the job API",
                "From reading a request to its answer; what changes something waits for the disk.",
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
                "Wall clock less the manager's own: a step means that the wall clock was set.",
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
                "Used by the process, of one core.",
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
