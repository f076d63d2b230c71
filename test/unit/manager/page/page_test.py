#!/usr/bin/env python3
"""The console in Chromium: light and dark, wide and narrow, by mouse and by keyboard alone.

The page may load nothing but what its own port serves, does not interpret untrusted text as markup, is
never wider than its window, draws the fractions as they are, names everything that can be acted on, and
says how old it is. With a second argument, pictures are left there."""

import http.client
import json
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
import browser as chromium  # noqa: E402
from served import Server, check_http, check_posts  # noqa: E402

EVIL = "<img src=x onerror=document.title='broken'>"


def check_look(browser, dark, width):
    assert browser.wrong == [], browser.wrong
    jobs, decisions, why = (browser.text(name) for name in ("jobs", "decisions", "why"))
    assert browser.ask("document.title") == "Aliquot" and browser.ask("document.images.length") == 0
    assert EVIL in jobs, "markup from outside was taken"
    assert browser.ask("document.getElementById('trouble').hidden")
    assert browser.ask("document.querySelectorAll('.node').length") == 5
    summary = browser.text("summary")
    assert "GREEDY-PMTN-MIGR" in summary and "4 running" in summary, summary
    for words in ("Job 5 genome is pending", "(memory)", "What would change it", "free memory below"):
        assert words in why, why
    assert "job 2 slowed: yield 1.00 -> 0.50 on n0,n2" in decisions, decisions
    shares = dict(
        browser.ask(
            "[...document.querySelectorAll('.node .shares a')].map((a) => [a.title,"
            " a.getBoundingClientRect().width / a.parentElement.getBoundingClientRect().width])"
        )
    )
    for title, wanted in (("job 1 hydro: 50.0 % of n0", 0.5), ("job 4 fit: 45.0 % of n1", 0.45)):
        assert abs(shares[title] - wanted) < 0.02, (title, shares)
    paper = browser.ask("getComputedStyle(document.body).backgroundColor")
    light = sum(int(part) for part in re.findall(r"\d+", paper)[:3]) > 3 * 128
    assert light != dark, paper
    check_access(browser, width)


def check_folder():
    """The folder of a browser goes even while a process that is about to end writes to it."""
    write = "n=0; while [ $n -lt 3000 ]; do mkdir -p $0/a/b && : >$0/a/b/$n; n=$((n + 1)); done; true"
    with chromium.folder_of_browser() as folder:
        writer = subprocess.Popen(["sh", "-c", write, folder], stderr=subprocess.DEVNULL)
    writer.wait()
    chromium.remove(folder)
    assert not pathlib.Path(folder).exists()


def check_access(browser, width):
    over = browser.ask("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert over <= 0, f"wider than its {width} pixels by {over}"
    cut = "[...document.querySelectorAll('.scroll')].some((e) => e.scrollWidth > e.clientWidth)"
    assert not browser.ask(cut), f"a table is cut off at {width} pixels"
    poor = browser.ask(chromium.POOR_CONTRAST)
    assert poor == [], poor
    nameless = [role for role, name in browser.names() if not name.strip()]
    assert nameless == [], nameless


def drawn(browser, address, text, identity):
    browser.open("about:blank")
    browser.open(address)
    browser.wait(
        f"{address} shows {text}",
        f"document.getElementById({identity!r})?.innerText.includes({text!r})",
    )


VIEWS = {
    "job=5": ("why", "What would change it"),
    "job=2": ("why", "running"),
    "node=n0": ("node", "Cap and use"),
    "plan": ("plan", "Starts"),
    "accounts": ("accounts", "physics"),
}


def check_views(browser, server, keep):
    """Every view, light and dark, wide and narrow."""
    for dark in (False, True):
        for width, height in ((1280, 900), (360, 800)):
            browser.window(width, height, dark)
            for view, (identity, words) in VIEWS.items():
                drawn(browser, f"{server.address}#{view}", words, identity)
                browser.ask("new Promise((done) => setTimeout(done, 350))")  # bars have moved
                check_access(browser, width)
                if keep:
                    name = f"{view.replace('=', '-')}-{'dark' if dark else 'light'}-{width}.png"
                    browser.picture(keep / name, whole=True)
            drawn(browser, f"{server.address}#job=5", "What would change it", "why")
            browser.ask("new Promise((done) => setTimeout(done, 350))")
            check_look(browser, dark, width)


def check_words(browser, server):
    drawn(browser, f"{server.address}#plan", "Starts", "plan")
    plan = browser.text("plan")
    for words in ("job 5 genome: no node → n3:5", "Pauses", "job 1 hydro", "yield 0.50 → 0.25"):
        assert words in plan, plan
    drawn(browser, f"{server.address}#accounts", "physics", "accounts")
    assert EVIL in browser.text("accounts") and browser.ask("document.images.length") == 0
    drawn(browser, f"{server.address}#job=2", "Job 2", "why")
    life = browser.ask("document.querySelector('.life').getAttribute('aria-label')")
    assert life.startswith("Of the last") and "running" in life, life
    drawn(browser, f"{server.address}#node=n0", "job 1", "node")
    cap = browser.ask("document.querySelector('.caps').getAttribute('aria-label')")
    assert cap == "cap 1.00 of 2 CPUs, 0.75 used", cap
    width = "document.querySelector({!r}).getBoundingClientRect().width"
    share = browser.ask(width.format(".cap")) / browser.ask(width.format(".caps"))
    assert abs(share - 0.5) < 0.02, "a cap of one of two CPUs is half as wide as the node"


def check_links(browser, server):
    """From a job to its nodes, and back, by clicks."""
    browser.window(1280, 900)
    drawn(browser, f"{server.address}#job=2", "Job 2", "why")
    browser.click("[...document.querySelectorAll('#jobs tr')][1].querySelector('td:last-child a')")
    browser.wait("the node is shown", "document.getElementById('node').innerText.includes('Node n0')")
    browser.click("[...document.querySelectorAll('#node td a')][0]")
    browser.wait("its job is shown", "document.getElementById('why').innerText.includes('Job 1 hydro')")
    browser.click("document.querySelectorAll('#jobs button')[3]")
    browser.wait("a row is chosen", "document.getElementById('why').innerText.includes('Job 4 fit')")
    assert browser.ask("location.hash") == "#job=4"


def check_keys(browser, server):
    drawn(browser, f"{server.address}#now", "hydro", "jobs")
    chosen = "document.querySelector('#jobs tr.chosen button')?.textContent || ''"
    for key, wanted in (("j", "1"), ("j", "2"), ("k", "1"), ("Escape", "")):
        browser.press(key)
        browser.wait(f"{key} chooses {wanted!r}", f"({chosen}) === {wanted!r}")
    browser.press("/")
    browser.type("pend")
    shown = "[...document.querySelectorAll('#jobs tr')].filter((row) => !row.hidden).length"
    browser.wait("the filter leaves one", f"{shown} === 1")
    browser.press("Escape")
    browser.wait("the filter is gone", f"{shown} === 6")


def take_token(browser, token):
    """By keyboard alone."""
    browser.tab_to("Use a token…")
    browser.press("Enter")
    browser.wait("the question for the token", "document.getElementById('token-dialog').open")
    assert browser.focused() == "Token", browser.focused()
    browser.type(token)
    browser.press("Enter")


def act(browser, view, name, sure):
    """An action by keyboard alone: chosen, asked about, confirmed."""
    browser.tab_to(name)
    visible = browser.ask("getComputedStyle(document.activeElement).outlineStyle")
    assert visible == "solid", "the focus is seen"
    browser.press("Enter")
    browser.wait("the question", "document.getElementById('confirm-dialog').open")
    words = browser.text("confirm-words")
    assert view in words, words
    assert browser.focused() == "Back", "the safe answer comes first"
    browser.tab_to(sure, 3)
    browser.press("Enter")
    return words


def check_actions(browser, server, keep):
    browser.window(1280, 900)
    drawn(browser, f"{server.address}#job=1", "Job 1", "why")
    assert (
        browser.ask("document.querySelectorAll('#why .actions button').length") == 1
    ), "only the way to a token"
    take_token(browser, "wrong")
    browser.wait(
        "it is refused", "document.getElementById('token-wrong').innerText.includes('not known')"
    )
    browser.press("Escape")
    browser.wait("it is closed", "!document.getElementById('token-dialog').open")
    take_token(browser, "good")
    browser.wait("it is taken", "document.getElementById('who').innerText.startsWith('operator')")
    for name, sure, wanted in (
        ("Hold…", "Hold job 1", ("hold", {"job": 1})),
        ("Requeue…", "Requeue job 1", ("requeue", {"job": 1})),
        ("Cancel…", "Cancel job 1", ("cancel", {"job": 1})),
    ):
        browser.wait("the buttons", "document.querySelectorAll('#why .actions button').length === 3")
        act(browser, "job 1 hydro", name, sure)
        assert server.asked() == wanted
        browser.wait(
            "it is said", f"document.getElementById('said').innerText.startsWith({name[:-1] + ':'!r})"
        )
    assert "job 1 canceled" in browser.text("said").replace("cancelled", "canceled"), browser.text(
        "said"
    )
    browser.ask("location.hash = '#node=n0'")
    browser.wait("the node", "document.querySelector('#node .actions button') !== null")
    act(browser, "node n0", "Drain…", "Drain n0")
    assert server.asked() == (
        "node.drain",
        {"node": "n0", "mode": "migrate", "dry_run": True},
    ), "shown first"
    assert server.asked() == ("node.drain", {"node": "n0", "mode": "migrate"})
    browser.wait("it is said", "document.getElementById('said').innerText.startsWith('Drain')")
    browser.ask("location.hash = '#plan'")
    browser.wait("the form", "!document.getElementById('what-if-form').hidden")
    browser.tab_to("Show the plan")
    browser.press("Enter")
    browser.wait(
        "what would be",
        "document.getElementById('what-if').innerText.includes('On nodes that are drained')",
    )
    act(browser, "this plan of GREEDY", "Carry out now…", "Carry out 1 changes")
    assert server.asked() == ("plan.apply", {"plan": {"policy": "GREEDY"}})
    browser.wait("it is said", "document.getElementById('said').innerText.includes('carried out')")
    if keep:
        browser.ask("location.hash = '#job=1'")
        browser.wait("the buttons", "document.querySelectorAll('#why .actions button').length === 3")
        browser.click("[...document.querySelectorAll('#why .actions button')].at(-1)")
        browser.picture(keep / "confirm-light-1280.png")
        browser.press("Escape")
    browser.tab_to("Forget the token")
    browser.press("Enter")
    browser.wait("it is forgotten", "document.getElementById('who').innerText === ''")
    errors = [each for each in browser.wrong if "403" not in each]
    assert errors == [], errors
    browser.wrong.clear()


def check_refusal(browser, server):
    """A viewer's token is taken, and its actions are refused in the manager's words; Back does nothing."""
    drawn(browser, f"{server.address}#job=1", "Job 1", "why")
    take_token(browser, "poor")
    browser.wait("it is taken", "document.getElementById('who').innerText.startsWith('user')")
    browser.wait("the buttons", "document.querySelectorAll('#why .actions button').length === 3")
    act(browser, "job 1", "Cancel…", "Cancel job 1")
    browser.wait(
        "it is refused", 'document.getElementById("confirm-wrong").innerText.includes("a viewer\'s")'
    )
    assert browser.ask("document.getElementById('confirm-dialog').open")
    browser.press("Escape")
    browser.wait("it is closed", "!document.getElementById('confirm-dialog').open")
    browser.wrong.clear()


def check_press(browser, server):
    """What comes while the button of the mouse is down is drawn after the click, which hits."""
    rows = "document.querySelectorAll('#jobs tr').length"
    summary = browser.text("summary")
    place = browser.middle("document.querySelector('#jobs td:last-child a')")
    browser.mouse("mousePressed", place)
    server.submit()
    changed = f"document.getElementById('summary').innerText !== {json.dumps(summary)}"
    browser.wait("the next picture has come", changed)
    assert browser.ask(rows) == 8, "what was pressed is still there"
    browser.mouse("mouseReleased", place)
    browser.wait("the link is followed", "location.hash.startsWith('#node=')")
    browser.wait("what waited is drawn", f"{rows} === 9")


def check_live(browser, server):
    """A job is shown when it is submitted; nothing is asked for meanwhile. Then the manager is gone."""
    drawn(browser, f"{server.address}#now", "hydro", "jobs")
    browser.ask("performance.clearResourceTimings()")
    server.submit()
    began = time.monotonic()
    browser.wait("the job is shown", "document.getElementById('jobs').innerText.includes('newest')")
    took = time.monotonic() - began
    print(f"a submitted job is shown after {took * 1000:.0f} ms")
    asked = browser.ask("performance.getEntriesByType('resource').map((e) => e.name)")
    assert asked == [], "all of it came with the stream"
    assert browser.text("age") == "live"
    filter_kept = "document.activeElement.id"
    browser.press("/")
    server.submit()
    browser.wait("the next one", "document.querySelectorAll('#jobs tr').length === 8")
    assert browser.ask(filter_kept) == "filter", "what is drawn anew leaves the keyboard where it was"
    check_press(browser, server)
    server.stop()
    browser.wait(
        "it is said", "document.getElementById('trouble').innerText.includes('may be out of date')"
    )
    browser.wait("how old it is", "document.getElementById('age').innerText.endsWith('old')")


def check_reduced_motion(browser, server):
    moves = "getComputedStyle(document.querySelector('.shares a')).transitionDuration"
    for reduced, wanted in ((True, "0s"), (False, "0.3s")):
        browser.window(1280, 900, reduced=reduced)
        drawn(browser, f"{server.address}#now", "hydro", "jobs")
        assert browser.ask(moves) == wanted


def check_stuck(program):
    with Server(program, "stuck") as server:
        began = time.monotonic()
        assert server.get("/metrics")[0] == 200 and time.monotonic() - began < 1
        status, _, body = server.get("/api/v1/status")
        assert status == 503 and "busy" in body, (status, body)
        stream = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        stream.request("GET", "/api/events")
        assert stream.getresponse().status == 200
        began = time.monotonic()
        server.stop()
        assert time.monotonic() - began < 1.5, "a stream and a loop that does not answer delay no end"


def main():
    program = sys.argv[1]
    keep = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
    check_folder()
    with Server(program) as server:
        check_http(server)
        check_posts(server)
        if chromium.program() is None:
            print("skipped: no Chromium here; tools/deps check installs it")
            return 77
        with chromium.Browser() as browser:
            check_views(browser, server, keep)
            check_words(browser, server)
            check_links(browser, server)
            check_keys(browser, server)
            check_actions(browser, server, keep)
            check_refusal(browser, server)
            check_reduced_motion(browser, server)
            assert browser.wrong == [], browser.wrong
            check_live(browser, server)
    check_stuck(program)
    print("the console is drawn and used, light and dark, at 1280 and 360 pixels")
    return 0


if __name__ == "__main__":
    sys.exit(main())
