"""A row of the dashboard "scheduler": several managers on an etcd. Of one manager alone all is 0."""

from panels import RATE, lines, query


REFUSED = "aliquot_node_epochs_refused_total"


def of_one_endpoint(expression):
    return f'({expression}) or on() label_replace(vector(0), "endpoint", "none", "", "")'


HA_ROW = [
    (
        4,
        8,
        lines(
            "Managers",
            "One leads; if it fails, one that stands by takes over. One manager alone does neither.",
            "short",
            [
                query("count(aliquot_ha_standby == 0) or vector(0)", "leads"),
                query("sum(aliquot_ha_standby) or vector(0)", "stand by"),
                query("sum(aliquot_ha_standby_hot) or vector(0)", "of them hot"),
                query("sum(aliquot_ha_leader_known) or vector(0)", "know a leader"),
                query("sum(aliquot_ha_following) or vector(0)", "have the log or follow it"),
            ],
            decimals=0,
        ),
    ),
    (
        4,
        8,
        lines(
            "Epoch of the leader",
            "Each rise is a takeover.",
            "none",
            [query("max(aliquot_ha_epoch) or vector(0)", "epoch")],
            decimals=0,
        ),
    ),
    (
        4,
        8,
        lines(
            "Refused at nodes",
            "Sessions and commands that agents refuse a minute, because the epoch of their manager is "
            "over. More than a few: a manager runs that is not to lead.",
            "short",
            [query(f"60 * sum(rate({REFUSED}{RATE})) or vector(0)", "of all nodes")],
        ),
    ),
    (
        4,
        8,
        lines(
            "Batches behind",
            "Changes of the leader's store that a standby does not have yet. It leads only with all "
            "of them.",
            "short",
            [query("max(aliquot_ha_batches_behind) or vector(0)", "most of a standby")],
            decimals=0,
        ),
    ),
    (
        4,
        8,
        lines(
            "Lease left",
            "Time for which the leader surely leads without a further renewal. Near 0: it nearly lost it.",
            "s",
            [
                query("min(aliquot_ha_lease_left_seconds) or vector(0)", "left"),
                query("max(aliquot_ha_lease_seconds) or vector(0)", "a whole lease"),
            ],
            custom={"axisSoftMax": 3},
        ),
    ),
    (
        4,
        8,
        lines(
            "Database of etcd",
            "Size by member, and what of it is in use; members that do not answer are counted.",
            "bytes",
            [
                query(of_one_endpoint("max by (endpoint) (aliquot_ha_etcd_db_bytes)"), "{{endpoint}}"),
                query(
                    of_one_endpoint("max by (endpoint) (aliquot_ha_etcd_db_in_use_bytes)"),
                    "{{endpoint}} in use",
                ),
                query("count(aliquot_ha_etcd_member_up == 0) or vector(0)", "do not answer"),
            ],
        ),
    ),
]
