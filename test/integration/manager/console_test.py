#!/usr/bin/env python3
"""The console in Chromium, with a manager and real VMs: a job is shown within a second of its submission,
its node says what stands on it, and it is cancelled by keyboard with a token. A viewer's token and a
revoked one change nothing. The page outlives the manager. The audit log has all of it."""

import os
import pathlib
import socket
import sys
import time

from deployment import deployment, skip, wait_until
from workload import Work

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import browser as chromium  # noqa: E402

LONG = Work("console", mib=96, lasts=900)
SHOWS = "document.getElementById({!r})?.innerText.includes({!r})"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def token(live, name, role):
    said = live.call("token", "new", name, "--user", "root", "--role", role, "--for", "1h")
    assert said.code == 0 and said.out.startswith("alq_"), (said.code, said.err)
    return said.out.strip()


def use_token(browser, text):
    browser.tab_to("Use a token…")
    browser.press("Enter")
    browser.wait("the question for the token", "document.getElementById('token-dialog').open")
    browser.type(text)
    browser.press("Enter")
    browser.wait("it is taken", "!document.getElementById('token-dialog').open")


def forget_token(browser):
    browser.tab_to("Forget the token")
    browser.press("Enter")
    browser.wait("it is forgotten", "!document.getElementById('sign-in').hidden")


def act(browser, name, sure):
    """By keyboard alone."""
    browser.tab_to(name)
    browser.press("Enter")
    browser.wait("the question", "document.getElementById('confirm-dialog').open")
    browser.tab_to(sure, 3)
    browser.press("Enter")


def shown_when_submitted(live, browser):
    """At the latest after 5 s, however long the console took to draw the page before (console.cpp)."""
    job = live.submit(*LONG.words())
    began = time.monotonic()
    browser.wait("the job is shown", f"document.querySelector('#jobs button')?.textContent === '{job}'", 10)
    took = time.monotonic() - began
    print(f"job {job} is shown {took * 1000:.0f} ms after its submission was answered", flush=True)
    return job


def node_tells(live, browser, job):
    wait_until("it runs", lambda: live.job(job)["state"] == "running", 240)
    node = live.job(job)["nodes"][0]["node"]
    browser.ask(f"location.hash = '#node={node}'")
    browser.wait("its VM stands there", SHOWS.format("node", f"job {job}"), 60)
    used = "document.querySelector('#node .caps').getAttribute('aria-label')"
    hidden = "[document.getElementById('jobs').innerText.includes('console'), " + used + "]"
    assert browser.ask(hidden) == [False, "cap 1.00 of 1 CPUs"], "of others' jobs a queue is shown"
    use_token(browser, token(live, "seer", "operator"))
    browser.wait("its CPU has been measured", f"/, \\d.\\d\\d used/.test({used})", 90)
    print(f"{node}: {browser.ask(used)}", flush=True)
    browser.ask(f"location.hash = '#job={job}'")
    browser.wait("its life is drawn", "document.querySelector('.life') !== null", 20)
    browser.wait("its name is shown", SHOWS.format("jobs", "console"), 20)
    return node


def refused(live, browser, job):
    """A viewer's token, and one that is revoked while the page has it."""
    use_token(browser, token(live, "looker", "viewer"))
    act(browser, "Cancel…", f"Cancel job {job}")
    browser.wait("a viewer is refused", SHOWS.format("confirm-wrong", "is a viewer's"), 20)
    browser.press("Escape")
    forget_token(browser)
    use_token(browser, token(live, "lost", "operator"))
    assert live.call("key", "revoke", "lost").code == 0
    act(browser, "Cancel…", f"Cancel job {job}")
    browser.wait("a revoked one is refused", SHOWS.format("confirm-wrong", "was revoked"), 20)
    browser.press("Escape")
    forget_token(browser)
    assert live.job(job)["state"] == "running", "nothing has come of it"


def acted(live, browser, job, node):
    use_token(browser, token(live, "browser", "operator"))
    act(browser, "Cancel…", f"Cancel job {job}")
    browser.wait("it is said", SHOWS.format("said", f"job {job} "), 20)
    wait_until("it is cancelled", lambda: live.job(job)["state"] == "cancelled", 60)
    browser.ask(f"location.hash = '#node={node}'")
    browser.wait("the node", "document.querySelector('#node .actions button') !== null", 20)
    act(browser, "Drain…", f"Drain {node}")
    wait_until("it is drained", lambda: live.node(node)["service"] != "in_service", 20)
    browser.wait(
        "the page follows", "document.querySelector('#node .actions').innerText.includes('Resume')", 20
    )
    act(browser, "Resume…", f"Resume {node}")
    wait_until("it is back", lambda: live.node(node)["service"] == "in_service", 20)
    browser.ask("location.hash = '#plan'")
    browser.wait("the form", "!document.getElementById('what-if-form').hidden", 20)
    browser.tab_to("Show the plan")
    browser.press("Enter")
    browser.wait("what would be", SHOWS.format("what-if", f"If {node} is down"), 20)
    browser.ask("location.hash = '#now'")


def audited(live):
    records = live.call("audit", "show", live.state / "store/audit", "-o", "json").json()["records"]
    return [(r["method"], r.get("object"), r.get("key"), r["code"]) for r in records]


def outlives(live, browser):
    wait_until("the last action is on disk", lambda: audited(live)[-1][0] == "node.resume", 20)
    live.kill()
    browser.wait(
        "the page says that the manager is gone", SHOWS.format("trouble", "may be out of date"), 30
    )
    live.start()
    browser.wait("it comes back by itself", "document.getElementById('trouble').hidden", 60)
    assert live.call("submit", "--hold", "--name", "later", "--mem", "96MiB", "--", "true").code == 0
    browser.wait("and is live", "document.querySelectorAll('#jobs tr').length === 1", 20)
    began = time.monotonic()
    live.stop()
    print(
        f"with a page that follows, the manager ends within {time.monotonic() - began:.1f} s",
        flush=True,
    )


def check_audit(live, job, node):
    directory = live.state / "store/audit"
    told = audited(live)
    for expected in [
        ("key.add", "key browser", None, "ok"),
        ("key.revoke", "key lost", None, "ok"),
        ("cancel", f"job {job}", "looker", "forbidden"),
        ("handshake", None, None, "forbidden"),
        ("cancel", f"job {job}", "browser", "ok"),
        ("node.drain", f"node {node}", "browser", "ok"),
        ("node.resume", f"node {node}", "browser", "ok"),
    ]:
        assert expected in told, f"{expected} is not in {told}"
    assert live.call("audit", "verify", directory).code == 0
    text = "".join(file.read_text() for file in directory.iterdir()) + live.log.read_text()
    assert "alq_" not in text, "a token is written nowhere"


def main():
    if chromium.program() is None:
        skip("no Chromium here; tools/deps check installs it")
    with deployment(nodes=2, node_mib=300, port=free_port()) as live, chromium.Browser() as browser:
        browser.window(1280, 900)
        browser.open(f"http://127.0.0.1:{live.http_port()}/")
        browser.wait("the nodes are shown", "document.querySelectorAll('.node').length === 2")
        job = shown_when_submitted(live, browser)
        node = node_tells(live, browser, job)
        if keep := os.environ.get("ALIQUOT_TEST_PICTURES"):
            browser.picture(pathlib.Path(keep) / "console.png", whole=True)
        forget_token(browser)
        refused(live, browser, job)
        acted(live, browser, job, node)
        outlives(live, browser)
        check_audit(live, job, node)
    print("the console shows, acts and is held to its rights")


if __name__ == "__main__":
    main()
