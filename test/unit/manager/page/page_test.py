#!/usr/bin/env python3
"""Opens the status page in headless Chromium: light and dark, on a desktop and on a phone.

The page may load nothing but what its own port serves, does not interpret untrusted text as markup, is
never wider than its window, and draws the fractions as they are. With a second argument, pictures are left
there."""

import json
import pathlib
import html
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
EVIL = "<img src=x onerror=document.title='broken'>"


def browse(browser, url, folder, dark, *options):
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        + ["--hide-scrollbars", "--no-first-run", f"--user-data-dir={folder}/profile"]
        + [f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
        + ["--virtual-time-budget=4000", "--timeout=20000", *options, url],
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout


def get(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def serve(server, *arguments):
    process = subprocess.Popen(
        [server, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    return process, int(process.stdout.readline())


def check_http(port):
    status, headers, body = get(port, "/")
    assert status == 200 and "text/html" in headers["Content-Type"], headers
    assert "default-src 'none'" in headers["Content-Security-Policy"], headers
    for text in (body, get(port, "/status.css")[2], get(port, "/status.js")[2]):
        assert not re.search(r"https?://|//[a-z]+\.|@import|url\(", text), "something from outside"
    assert "innerHTML" not in get(port, "/status.js")[2]
    picture = json.loads(get(port, "/api/v1/status")[2])
    assert len(picture["nodes"]) == 5 and len(picture["jobs"]) == 6, picture.keys()
    assert json.loads(get(port, "/api/v1/why?job=5")[2])["reason"] == "memory"
    assert json.loads(get(port, "/api/v1/plan")[2])["starts"][0]["job"] == 5
    assert json.loads(get(port, "/api/v1/accounts")[2])["accounts"][1]["account"] == "physics"
    size = sum(len(get(port, path)[2]) for path in ("/", "/status.css", "/status.js"))
    assert size < 200_000, f"the page has {size} bytes"
    assert get(port, "/api/v1/why?job=99")[0] == 404
    for wrong in ("", "?job=", "?job=abc", "?job=-1", "?job=5x", "?job=99999999999999999999"):
        assert get(port, "/api/v1/why" + wrong)[0] == 400, wrong


def check_look(look, dark, width):
    assert look["wrong"] == [], look["wrong"]
    assert look["title"] == "Aliquot" and look["images"] == 0, "markup from outside was taken"
    assert EVIL in look["jobs"] and EVIL in look["decisions"] + look["why"] + look["jobs"]
    assert not look["trouble"] and look["dark"] == dark
    assert look["overflow"] <= 0, f"wider than its {width} pixels by {look['overflow']}"
    assert look["cards"] == 5 and look["rows"] == 6, look
    assert "GREEDY-PMTN-MIGR" in look["summary"] and "4 running" in look["summary"], look["summary"]
    for words in (
        "Job 5 genome is pending",
        "(memory)",
        "What would change it",
        "free memory below",
    ):
        assert words in look["why"], look["why"]
    assert "job 2 slowed: yield 1.00 -> 0.50 on n0,n2" in look["decisions"], look["decisions"]
    shares = dict(look["shares"])
    for title, wanted in (("job 1 hydro: 50.0 % of n0", 0.5), ("job 4 fit: 45.0 % of n1", 0.45)):
        assert abs(shares[title] - wanted) < 0.02, (title, shares)
    light = sum(int(part) for part in re.findall(r"\d+", look["paper"])[:3]) > 3 * 128
    assert light != dark, look["paper"]


def verdict(page):
    """What the test's script has seen of the page."""
    found = re.search(r'<pre id="verdict"[^>]*>(.*?)</pre>', page, re.S)
    assert found, f"nothing was drawn: {page[-2000:]}"
    return json.loads(html.unescape(found[1]))


def check_views(look_at):
    """The other views, and the keys; each with markup from outside in it."""
    plan = look_at("#plan")
    assert plan["current"] == "Plan" and plan["wrong"] == [], plan
    for words in ("Starts", "job 5 genome: no node → n3:5", "Pauses", "job 1 hydro", "yield 0.50 → 0.25"):
        assert words in plan["plan"], plan["plan"]
    accounts = look_at("#accounts")
    assert accounts["current"] == "Accounts" and EVIL in accounts["accounts"], accounts
    assert "physics" in accounts["accounts"] and accounts["images"] == 0
    now = look_at("#now")
    wanted = {
        "none": "",
        "first": "1",
        "second": "2",
        "back": "1",
        "focus": "filter",
        "filtered": 1,
        "all": 6,
    }
    assert now["keys"] == wanted, now["keys"]
    running = look_at("#job=2")
    assert running["life"].startswith("Of the last") and "running" in running["life"], running["life"]
    for look in (plan, accounts, now, running):
        assert look["nameless"] == 0 and look["overflow"] <= 0, look


def check_stuck(server):
    process, port = serve(server, "stuck")
    try:
        began = time.monotonic()
        assert get(port, "/metrics")[0] == 200 and time.monotonic() - began < 1
        status, _, body = get(port, "/api/v1/status")
        assert status == 503 and "busy" in body, (status, body)
    finally:
        process.communicate(timeout=20)


def main():
    server = sys.argv[1]
    keep = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    process, port = serve(server)
    try:
        check_http(port)
        browser = next((b for b in map(shutil.which, BROWSERS) if b), None)
        if browser is None:
            print("skipped: no Chromium here; tools/deps check installs it")
            return 77
        with tempfile.TemporaryDirectory() as folder:

            def look_at(view):
                size = ("--window-size=390,1600", "--virtual-time-budget=9000")
                return verdict(
                    browse(browser, f"http://127.0.0.1:{port}/{view}", folder, True, *size, "--dump-dom")
                )

            check_views(look_at)
            for dark in (False, True):
                for width, height in ((1280, 900), (390, 1600)):
                    url = f"http://127.0.0.1:{port}/#job=5"
                    size = f"--window-size={width},{height}"
                    page = browse(browser, url, folder, dark, size, "--dump-dom")
                    check_look(verdict(page), dark, width)
                    for view in ("job=2", "plan", "accounts") if keep else ():
                        keep.mkdir(parents=True, exist_ok=True)
                        name = f"{view[:4]}-{'dark' if dark else 'light'}-{width}.png"
                        address = f"http://127.0.0.1:{port}/#{view}"
                        browse(browser, address, folder, dark, size, f"--screenshot={keep / name}")
        check_stuck(server)
    finally:
        process.communicate(timeout=20)
    print("the page is drawn, light and dark, at 1280 and 390 pixels")
    return 0


if __name__ == "__main__":
    sys.exit(main())
