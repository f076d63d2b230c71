#!/usr/bin/env python3
"""Two accounts on two real nodes. One may have one job at a time: its second job waits, and says for what;
`account set` raises the limit, and it runs. The account that uses more than it is entitled to gets a
smaller weight. The manager is killed (SIGKILL) in between: limits, waits and what was used stay, and the
hours of accounts and of jobs add up to what jobs were granted. An account that limits yields gives its
job half of the CPU that it declares on a node with nothing else to do; one that reserves more than is free
does not share it with others, so that one of its jobs waits."""

import datetime
import sys

from deployment import deployment, wait_until

HALF_LIFE_S = 60
LARGE, SMALL = (["--mem", "96MiB", "--cpus", cpus, "--", "sleep", "900"] for cpus in ("1", "0.2"))
SETTINGS = [
    *("accounts:", "  - lab jobs=1", "  - guests", "  - half max_yield=0.5"),
    *("fair_share:", f"  half_life: {HALF_LIFE_S}s"),
]


def submit(live, account, job):
    return live.submit("--account", account, *job)


def runs(live, job):
    wait_until(f"job {job} runs", lambda: live.job(job)["state"] == "running", 120)


def account(live, name):
    return next(row for row in live.ask("account", "list")["accounts"] if row["account"] == name)


def weight(live, name):
    (row,) = [row for row in live.ask("account", "list")["users"] if row["account"] == name]
    return row["weight"]


def waits_for_limit(live, job):
    said = live.ask("why", job)
    assert said["reason"] == "account_limit", said
    limit = "account lab may have 1 job at a time, has 1 job, and this job asks for 1 job"
    assert limit in said["text"], said
    assert any("aliquot account set lab --jobs N" in what for what in said["remedies"]), said
    assert live.job(job)["state"] == "deferred"


def granted(live, job):
    return live.job(job)["cpu"]["granted_s"] or 0


def adds_up(live, jobs):
    """What the hours say of each account is what its jobs were granted, also after the death."""
    day = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=1)
    start = ["--start", day.strftime("%Y-%m-%dT%H:00Z")]
    rows = live.call("usage", *start, "--by", "user", "-o", "csv").out.splitlines()
    assert rows[0] == "account,uid,user,granted_core_s,used_core_s", rows
    said = {row.split(",")[0]: [float(number) for number in row.split(",")[3:]] for row in rows[1:]}
    for account, of_it in jobs.items():
        of_jobs = [live.ask("show", job)["cpu"] for job in of_it]
        given, used = (sum(cpu[key] or 0 for cpu in of_jobs) for key in ("granted_s", "used_s"))
        by_hour = said[account][0]
        print(f"{account}: granted {given:.3f} s, by the hour {by_hour:.3f} s; used {used:.1f} s")
        assert abs(by_hour - given) < 0.001, (account, rows, of_jobs)
        assert abs(said[account][1] - used) < 0.001, (account, rows, of_jobs)
    assert set(said) == set(jobs), rows
    rows = live.call("usage", *start, "--by", "job", "-o", "csv").out.splitlines()
    assert rows[0] == "job,account,uid,user,granted_core_s,used_core_s", rows
    by_job = {row.split(",")[0]: row.split(",") for row in rows[1:]}
    assert set(by_job) <= {str(job) for of_it in jobs.values() for job in of_it}, rows
    for account, of_it in jobs.items():
        for job in of_it:
            given = granted(live, job)
            if given == 0:
                continue  # it has not run
            print(f"job {job}: granted {given:.3f} s, by the hour {by_job[str(job)][4]} s")
            assert by_job[str(job)][1] == account, rows
            assert abs(float(by_job[str(job)][4]) - given) < 0.001, (job, rows)
    refused = live.call("usage", "--start", day.strftime("%Y-%m-%dT%H:30Z"))
    assert refused.code == 2 and "no whole hour of UTC" in refused.err, refused.err


def yields(live):
    """A limit halves what the only job of the cluster gets; one that is not free is waited for."""
    refused = live.call("account", "set", "half", "--min-yield", "0.6")
    assert refused.code == 2 and "above their max_yield" in refused.err, refused
    limited = submit(live, "half", LARGE)
    runs(live, limited)
    need = live.ask("show", limited)["need"]
    assert (need["declared_cpus"], need["cpus"]) == (1, 0.5), need
    why = live.ask("why", limited)
    assert "Account half has a limit (max yield) of 0.5" in why["text"], why
    wait_until("it is granted CPU", lambda: granted(live, limited) > 5, 120)
    print(f"job {limited}: {why['text']}")

    done = live.call("account", "set", "web", "--min-yield", "1")
    assert done.code == 0 and "each job: min yield 1.00" in done.out, done
    reserved = [submit(live, "web", LARGE) for _ in range(3)]
    waits_for_it = ("min_yield", "lower_priority")

    def waiting():
        rows = live.ask("list")["jobs"]  # at one instant
        running = [row for row in rows if row["job"] in reserved and row["state"] == "running"]
        assert len(running) <= 2 and all(row["yield"] == 1 for row in running), running
        said = [live.ask("why", job) for job in reserved]
        return next((why["text"] for why in said if why["reason"] in waits_for_it), None)

    text = wait_until("one waits for what is reserved", waiting, 120)
    assert "Account web has a reservation (min yield) of 1 for each job." in text, text
    wait_until("one runs", lambda: any(granted(live, job) > 1 for job in reserved), 120)
    print(text)
    return limited, reserved


def main():
    with deployment(more=SETTINGS) as live:
        first, second = submit(live, "lab", LARGE), submit(live, "lab", LARGE)
        runs(live, first)
        waits_for_limit(live, second)
        done = live.call("account", "set", "lab", "--tasks", "3")
        assert done.code == 0 and "tasks 3" in done.out and "account reset lab" in done.out, done
        refused = live.call("submit", "--account", "lab", "--tasks", "4", *LARGE)
        limit = "may have 3 tasks at a time, and this job asks for 4 tasks"
        assert refused.code == 4 and limit in refused.err, refused.err
        wait_until("lab has used some CPU", lambda: account(live, "lab")["used_core_s"] > 5, 120)

        before = account(live, "lab")
        live.kill()
        live.start()
        after = account(live, "lab")
        assert after["limits"] == before["limits"] == {"jobs": 1, "tasks": 3}, after
        assert after["by_uid"] == 0 and after["counted"]["jobs"] == 1, after
        # Half of it is forgotten in a minute; its job ran on meanwhile.
        assert after["used_core_s"] > 0.4 * before["used_core_s"], (before, after)
        print(f"core-seconds used: {before['used_core_s']:.1f}, after the death {after['used_core_s']:.1f}")
        waits_for_limit(live, second)

        assert live.call("account", "set", "lab", "--jobs", "2").code == 0
        runs(live, second)
        guest = submit(live, "guests", SMALL)
        runs(live, guest)
        # It gets nearly all of the two cores, is entitled to half of them, and left alone up to three
        # quarters. What it has used comes to that in two or three half-lives.
        wait_until("lab weighs less", lambda: weight(live, "lab") < 1, 420)
        assert weight(live, "guests") == 1
        print(live.call("account", "list").out)
        assert live.ask("show", guest)["account"] == "guests"

        assert live.call("account", "reset", "lab").code == 0
        assert account(live, "lab")["limits"] == {"jobs": 1}
        assert live.job(second)["state"] == "running", "what has begun goes on"
        refused = live.call("account", "reset", "lab")
        assert refused.code == 5 and "as the configuration says" in refused.err, refused.err
        for job in (first, second, guest):
            live.call("cancel", job)
        wait_until("all have ended", lambda: not live.ask("list")["jobs"], 120)
        limited, reserved = yields(live)
        for job in (limited, *reserved):
            live.call("cancel", job)
        wait_until("all have ended", lambda: not live.ask("list")["jobs"], 120)
        adds_up(live, {"lab": (first, second), "guests": (guest,), "half": (limited,), "web": reserved})


if __name__ == "__main__":
    sys.exit(main())
