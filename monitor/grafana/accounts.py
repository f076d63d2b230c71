"""The dashboard "accounts": What each account needs, is promised and uses."""

from panels import (
    CORES,
    GREEN,
    ORANGE,
    RATE,
    RED,
    bars,
    dashboard,
    lines,
    query,
    stat,
    steps,
    table,
    variable,
)

WHO = 'account=~"$account"'


def cores(what):
    return f"aliquot_account_cpu_{what}_cores{{{WHO}}}"


def rate(what):
    return f"rate(aliquot_account_cpu_{what}seconds_total{{{WHO}}}{RATE})"


fairness = f"aliquot_account_fairness_ratio{{{WHO}}}"
DASHBOARD = dashboard(
    "aliquot-accounts",
    "Aliquot / Accounts and fairness",
    "CPU that each account needs, is promised and uses, and how fair the shares are.",
    [
        [
            (
                4,
                4,
                stat(
                    "Accounts",
                    "Accounts with jobs now or within the last ten minutes.",
                    "short",
                    query(f"count({cores('needed')})"),
                ),
            ),
            (
                5,
                4,
                stat(
                    "Least served",
                    "Smallest fairness: (promised / needed CPU of the account) / (the same of all "
                    "accounts together).",
                    "none",
                    query(f"min({fairness})"),
                    steps(RED, (0.3, ORANGE), (0.7, GREEN)),
                    decimals=2,
                ),
            ),
            (
                5,
                4,
                stat(
                    "Best served",
                    "Largest fairness; 1: a fair share.",
                    "none",
                    query(f"max({fairness})"),
                    decimals=2,
                ),
            ),
            (
                5,
                4,
                stat(
                    "Needed",
                    "CPU that all jobs that are not held need at full speed.",
                    CORES,
                    query(f"sum({cores('needed')})"),
                    decimals=0,
                ),
            ),
            (
                5,
                4,
                stat(
                    "Promised / needed",
                    "Over the accounts chosen.",
                    "percentunit",
                    query(f"sum({cores('promised')}) / sum({cores('needed')})"),
                    decimals=0,
                ),
            ),
        ],
        [
            (
                12,
                9,
                lines(
                    "CPU promised",
                    "By the plan in force, by account.",
                    CORES,
                    [query(f"sum by (account) ({cores('promised')})", "{{account}}")],
                    stacked=True,
                    decimals=0,
                ),
            ),
            (
                12,
                9,
                lines(
                    "CPU needed",
                    "By the jobs that are not held, by account.",
                    CORES,
                    [query(f"sum by (account) ({cores('needed')})", "{{account}}")],
                    stacked=True,
                    decimals=0,
                ),
            ),
        ],
        [
            (
                6,
                8,
                lines(
                    "Declared, needed and used CPU",
                    "What the users of the accounts declare, what their jobs are counted with, and what "
                    "their virtual CPUs use. Where needs are learned, what is declared and not needed goes "
                    "to other jobs.",
                    CORES,
                    [
                        query(f"sum({cores('declared')})", "declared"),
                        query(f"sum({cores('needed')})", "needed"),
                        query(f"sum({rate('')})", "used"),
                    ],
                    decimals=1,
                ),
            ),
            (
                6,
                8,
                lines(
                    "What learned needs buy",
                    "Promised CPU / needed CPU of all jobs that are not held, and what that yield would be "
                    "if each job were counted with what its user declares.",
                    "percentunit",
                    [
                        query(f"sum({cores('promised')}) / sum({cores('needed')})", "as needed"),
                        query(f"sum({cores('promised')}) / sum({cores('declared')})", "as declared"),
                    ],
                    decimals=0,
                ),
            ),
            (
                6,
                8,
                lines(
                    "Memory lent",
                    "What users have declared for placed tasks beyond what these are counted with, by "
                    "account: others may hold it, and it is taken back at once where it is wanted.",
                    "bytes",
                    [
                        query(
                            f"sum by (account) (aliquot_account_memory_lent_bytes{{{WHO}}})",
                            "{{account}}",
                        ),
                    ],
                    decimals=1,
                ),
            ),
            (
                6,
                8,
                lines(
                    "Used / given memory",
                    "What guests use of the memory that their virtual machines have, their kernels "
                    "included, by account; of the guests that tell.",
                    "percentunit",
                    [
                        query(
                            f"sum by (account) (aliquot_account_memory_used_bytes{{{WHO}}}) / "
                            f"sum by (account) (aliquot_account_memory_told_bytes{{{WHO}}})",
                            "{{account}}",
                        ),
                    ],
                    decimals=0,
                ),
            ),
        ],
        [
            (
                12,
                9,
                lines(
                    "Fairness",
                    "(Promised / needed CPU of the account) / (the same of all accounts together). "
                    "1: a fair share; 0: no CPU.",
                    "none",
                    [query(f"avg by (account) ({fairness})", "{{account}}")],
                    decimals=1,
                ),
            ),
            (
                12,
                9,
                lines(
                    "CPU used",
                    "By the virtual CPUs, by account.",
                    CORES,
                    [query(f"sum by (account) ({rate('')})", "{{account}}")],
                    stacked=True,
                    decimals=0,
                ),
            ),
        ],
        [
            (
                6,
                8,
                lines(
                    "Entitled",
                    "Part of the cluster that the users of each account are entitled to, of those that are "
                    "active now. Nothing without accounts in the settings and without fair share.",
                    "percentunit",
                    [query(f"max by (account) (aliquot_account_entitled_ratio{{{WHO}}})", "{{account}}")],
                    stacked=True,
                    decimals=0,
                ),
            ),
            (
                6,
                8,
                lines(
                    "Used of it",
                    "The account's part of the decayed use of all, over the part that it is entitled to. "
                    "1: it has used its part.",
                    "none",
                    [
                        query(
                            f"max by (account) (aliquot_account_used_of_entitled_ratio{{{WHO}}})",
                            "{{account}}",
                        ),
                    ],
                    decimals=1,
                ),
            ),
            (
                6,
                8,
                lines(
                    "Weight",
                    "The smallest weight of the account's jobs. 1: its users have had few more jobs than "
                    "others and have not used much more than their parts.",
                    "none",
                    [query(f"min by (account) (aliquot_account_weight_ratio{{{WHO}}})", "{{account}}")],
                    decimals=2,
                ),
            ),
            (
                6,
                8,
                lines(
                    "Waiting for a limit",
                    "Jobs that would have the account, its user or an account above it beyond a limit: no "
                    "policy sees them before.",
                    "short",
                    [query(f"max by (account) (aliquot_account_limited_jobs{{{WHO}}})", "{{account}}")],
                    stacked=True,
                    decimals=0,
                ),
            ),
        ],
        [
            (
                8,
                8,
                bars(
                    "Promised / needed now",
                    "Share of its need that the account is promised.",
                    "percentunit",
                    query(
                        f"sort_desc({cores('promised')} / ({cores('needed')} > 0)) or on() "
                        'label_replace(vector(1), "account", "nobody needs any", "", "")',
                        "{{account}}",
                    ),
                    steps(RED, (0.2, ORANGE), (0.5, GREEN)),
                    max=1,
                    decimals=0,
                ),
            ),
            (
                8,
                8,
                lines(
                    "CPU used / granted, promised",
                    "CPU used / CPU that the caps of the account's virtual machines allow; and, over all "
                    "accounts, CPU used / CPU that plans promise (in cores of the reference node).",
                    "percentunit",
                    [
                        query(
                            f"sum by (account) ({rate('')}) / "
                            f"(sum by (account) ({rate('granted_')}) > 0)",
                            "{{account}}",
                        ),
                        query(
                            f"sum({rate('')}) / (sum({rate('promised_')}) > 0)",
                            "all, of what is promised",
                        ),
                    ],
                ),
            ),
            (
                8,
                8,
                lines(
                    "Held back",
                    "CPU that the account's virtual CPUs were ready to use and did not get: throttled by "
                    "their caps, or stolen (something else ran on the processor).",
                    CORES,
                    [
                        query(f"sum by (account) ({rate('throttled_')})", "{{account}}, throttled"),
                        query(f"sum({rate('delay_')})", "all, stolen"),
                    ],
                ),
            ),
        ],
        [
            (
                24,
                9,
                table(
                    "Accounts",
                    "Present values; used: over the last minutes.",
                    [
                        (
                            "Running",
                            f'sum by (account) (aliquot_account_jobs{{{WHO},state="running"}})',
                        ),
                        (
                            "Pending",
                            f'sum by (account) (aliquot_account_jobs{{{WHO},state="pending"}})',
                        ),
                        ("Needed", f"sum by (account) ({cores('needed')})"),
                        ("Promised", f"sum by (account) ({cores('promised')})"),
                        ("Granted", f"sum by (account) ({cores('granted')})"),
                        ("Used", f"sum by (account) ({rate('')})"),
                        ("Fairness", f"avg by (account) ({fairness})"),
                    ],
                    "account",
                    {
                        "Running": "short",
                        "Pending": "short",
                        "Needed": CORES,
                        "Promised": CORES,
                        "Granted": CORES,
                        "Used": CORES,
                        "Fairness": "none",
                    },
                ),
            ),
        ],
    ],
    [
        variable(
            "account",
            "Account",
            "aliquot_account_cpu_needed_cores",
            '{job=~"$job",instance=~"$instance"}',
        )
    ],
)
