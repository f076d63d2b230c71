"""The dashboard "scheduler": how decisions come about, what becomes of them, and what they stand on."""

from ha_row import HA_ROW
from health_rows import HEALTH_ROWS
from panels import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PER_MINUTE,
    RATE,
    RED,
    dashboard,
    lines,
    quantiles,
    query,
    some,
    stat,
    steps,
)


def expectation(source):
    """How run times compare with what that source expected: their deciles and the median."""
    buckets = f'rate(aliquot_job_run_time_error_ratio_bucket{{source="{source}"}}[6h])'
    for q, name in ((0.1, "10 % of jobs below"), (0.5, "median"), (0.9, "10 % of jobs above")):
        yield query(f"histogram_quantile({q}, sum by (le) ({buckets}))", name)


DASHBOARD = dashboard(
    "aliquot-scheduler",
    "Aliquot / Scheduler internals",
    "What triggers decisions, how they are carried out, and the health of the manager.",
    [
        [
            (
                4,
                4,
                stat(
                    "Mode",
                    "auto: decisions are carried out; advise: only shown; off: none are taken.",
                    "none",
                    query('max(aliquot_mode{mode="auto"}) * 2 + max(aliquot_mode{mode="advise"})'),
                    steps(RED, (1, ORANGE), (2, GREEN)),
                    mappings=[
                        {
                            "type": "value",
                            "options": {
                                "0": {"text": "off"},
                                "1": {"text": "advise"},
                                "2": {"text": "auto"},
                            },
                        }
                    ],
                ),
            ),
            (
                4,
                4,
                stat(
                    "Period",
                    "Period of the policy in force; policies without a period decide at events only.",
                    "s",
                    query("max(aliquot_reschedule_period_seconds)"),
                ),
            ),
            (
                4,
                4,
                stat(
                    "Since the last decision",
                    "Time since the last lawful plan of the policy in force.",
                    "s",
                    query("time() - max(aliquot_reschedule_last_success_timestamp_seconds)"),
                    decimals=0,
                ),
            ),
            (
                4,
                4,
                stat(
                    "Decision time",
                    "99th percentile of the last ten minutes.",
                    "s",
                    query(
                        "histogram_quantile(0.99, sum by (le) (rate("
                        "aliquot_reschedule_duration_seconds_bucket[10m])))"
                    ),
                    steps(GREEN, (1, ORANGE), (10, RED)),
                ),
            ),
            (
                4,
                4,
                stat(
                    "Plans rejected",
                    "Plans of the last hour that broke a law and were not carried out.",
                    "short",
                    query(
                        'sum(increase(aliquot_reschedule_passes_total{result="rejected"}[1h])) '
                        "or vector(0)"
                    ),
                    steps(GREEN, (1, RED)),
                    decimals=0,
                ),
            ),
            (
                4,
                4,
                stat(
                    "Oscillations",
                    "Virtual machines moved back and jobs paused again in the last hour.",
                    "short",
                    query("sum(increase(aliquot_oscillations_total[1h]))"),
                    steps(GREEN, (100, ORANGE)),
                    decimals=0,
                ),
            ),
        ],
        [
            (
                8,
                8,
                lines(
                    "Time of a decision",
                    "Time from the view to the checked plan.",
                    "s",
                    [*quantiles("aliquot_reschedule_duration_seconds")],
                    log=True,
                ),
            ),
            (
                8,
                8,
                lines(
                    "Decisions",
                    "By what became of them.",
                    PER_MINUTE,
                    [
                        query(
                            f"60 * sum by (result) (rate(aliquot_reschedule_passes_total{RATE}))",
                            "{{result}}",
                        )
                    ],
                    colours={"applied": GREEN, "no_change": GREY, "advised": BLUE, "rejected": RED},
                    stacked=True,
                    decimals=0,
                ),
            ),
            (
                8,
                8,
                lines(
                    "Decisions, by trigger",
                    "A request of an operator, an event, or the period.",
                    PER_MINUTE,
                    [
                        query(
                            "60 * sum by (trigger) (rate("
                            f"aliquot_reschedule_duration_seconds_count{RATE}))",
                            "{{trigger}}",
                        )
                    ],
                    stacked=True,
                    decimals=0,
                ),
            ),
        ],
        [
            (
                12,
                8,
                lines(
                    "Time of actions",
                    "90th percentile of five minutes, by action.",
                    "s",
                    [
                        query(
                            "histogram_quantile(0.9, sum by (le, action) (rate("
                            "aliquot_action_duration_seconds_bucket[5m]))) >= 0",
                            "{{action}}",
                        )
                    ],
                ),
            ),
            (
                12,
                8,
                lines(
                    "Actions that failed",
                    "By action; one per virtual machine. Failed actions are retried.",
                    PER_MINUTE,
                    [
                        query(
                            some(
                                "60 * sum by (action) (rate("
                                f'aliquot_plan_actions_total{{result!="ok"}}{RATE}))',
                                "action",
                                "none",
                            ),
                            "{{action}}",
                        )
                    ],
                    stacked=True,
                    bars=True,
                    decimals=0,
                ),
            ),
        ],
        [
            (
                12,
                8,
                lines(
                    "Run times, as learned",
                    "Run time / what was expected of it by earlier runs, of the completed jobs of the last "
                    "six hours. 1: as expected; lines far from each other: little is known.",
                    "none",
                    [*expectation("learned")],
                    log=True,
                    decimals=1,
                ),
            ),
            (
                12,
                8,
                lines(
                    "Run times, as users say",
                    "Run time / estimate or time limit of its user, of the completed jobs of the last six "
                    "hours. 1: as expected; below: users ask for more time than their jobs take.",
                    "none",
                    [*expectation("user")],
                    log=True,
                    decimals=1,
                ),
            ),
        ],
        *HEALTH_ROWS,
        HA_ROW,
    ],
)
