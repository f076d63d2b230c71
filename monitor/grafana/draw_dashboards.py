#!/usr/bin/env python3
"""Draws the dashboards from a real scrape, with Grafana's own components and without a Grafana server.

    draw_dashboards.py MODEL_CLUSTER OUT [--installed-only]

MODEL_CLUSTER (build/release/bin/aliquot-model-cluster) lives through an hour of a small cluster in half a
minute; Debian's Prometheus scrapes it; every panel of every dashboard is asked for and drawn in headless
Chromium, light and dark. The pictures land in OUT. Before that each dashboard is held against Grafana's own
schema (npm's @grafana/schema). Exits with 1 if it does not fit, a query fails or comes back empty or a
panel crashes, and with 77 and the reason where a tool or the npm packages are not to be had.

The npm packages (about 680 MB, Apache-2.0 and MIT) are kept in ALIQUOT_NODE_MODULES, by default
~/.cache/aliquot/draw: the first run installs them, which takes a minute or two; with --installed-only
nothing is installed.
"""

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
MINUTES, SPEED, SCRAPE_MS, STEP = 55, 120, 200, 30
TOOLS = {
    "node": "nodejs",
    "npm": "nodejs or npm",
    "prometheus": "prometheus",
    "chromium": "chromium",
}


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def workshop(may_install):
    """A folder with the drawing page, built, beside the npm packages that it needs."""
    sources = sorted(path for path in (HERE / "draw").iterdir() if path.is_file())
    wanted = hashlib.sha256(json.dumps(packages()).encode()).hexdigest()[:12]
    cache = os.environ.get("ALIQUOT_NODE_MODULES") or pathlib.Path.home() / ".cache/aliquot/draw"
    folder = pathlib.Path(cache) / wanted
    if not may_install and not (folder / "installed").exists():
        skip("the npm packages are not installed; without --installed-only they are")
    folder.mkdir(parents=True, exist_ok=True)
    for path in sources:
        shutil.copy(path, folder)
    if not (folder / "installed").exists():
        install(folder)
    run = subprocess.run(
        ["npm", "run", "--silent", "build"], cwd=folder, capture_output=True, text=True
    )
    if run.returncode != 0:
        sys.exit(f"the page cannot be built:\n{run.stdout}{run.stderr}")
    return folder


def packages():
    return json.loads((HERE / "draw/package.json").read_text())["dependencies"]


def install(folder):
    print("installing the npm packages, once ...", flush=True)
    command = [
        "npm",
        "install",
        "--legacy-peer-deps",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
    ]
    command += ["--no-package-lock", "--fetch-retries=1", "--fetch-timeout=20000"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=480)
    except subprocess.TimeoutExpired:
        skip("the npm packages could not be installed within eight minutes")
    if done.returncode != 0:
        skip(f"the npm packages are not to be had: {done.stderr.strip().splitlines()[-1:]}")
    (folder / "installed").write_text("yes\n")


@contextlib.contextmanager
def running(command, log):
    with open(log, "w") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_for(what, test, process, patience=60):
    end = time.monotonic() + patience
    while not test():
        if process.poll() is not None or time.monotonic() > end:
            sys.exit(f"{what}: not within {patience} s")
        time.sleep(0.1)


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def answers(address):
    try:
        return urllib.request.urlopen(address, timeout=5).status == 200
    except OSError:
        return False


def prometheus_command(folder, target, port):
    rules = HERE.parent / "prometheus/aliquot.rules.yml"
    config = {
        "global": {"scrape_interval": f"{SCRAPE_MS}ms", "scrape_timeout": f"{SCRAPE_MS}ms"},
        "rule_files": [str(rules)],
        "scrape_configs": [
            {"job_name": "aliquot", "static_configs": [{"targets": [f"127.0.0.1:{target}"]}]}
        ],
    }
    path = folder / "prometheus.json"  # JSON is YAML
    path.write_text(json.dumps(config))
    return [
        "prometheus",
        f"--config.file={path}",
        f"--storage.tsdb.path={folder}/series",
        f"--web.listen-address=127.0.0.1:{port}",
    ]


def away_from_ticks(end):
    """A little earlier, if a label of the time axis would be cut off at the right edge."""
    while end % 300 < 100 or end % 600 < 180:
        end -= 10
    return end


def unhealthy_rules(address):
    with urllib.request.urlopen(f"{address}/api/v1/rules", timeout=10) as answer:
        groups = json.load(answer)["data"]["groups"]
    return [r["name"] for g in groups for r in g["rules"] if r.get("lastError")]


def check_schema(shop):
    """Holds each dashboard against the types of npm's @grafana/schema; ends with what does not fit."""
    typed = shop / "typed"
    typed.mkdir(exist_ok=True)
    head = (HERE / "draw/dashboard.ts.head").read_text()
    pages = sorted((HERE / "dashboards").glob("*.json"))
    for page in pages:
        (typed / f"{page.stem}.ts").write_text(head + page.read_text())
    command = ["node", "node_modules/typescript/bin/tsc", "--noEmit", "--skipLibCheck", "--strict"]
    command += ["--moduleResolution", "bundler", "--module", "es2022", "--target", "es2022"]
    command += [f"typed/{page.stem}.ts" for page in pages]
    run = subprocess.run(command, cwd=shop, capture_output=True, text=True, timeout=120)
    if run.returncode != 0:
        lines = head.count("\n")
        sys.exit(
            f"not what Grafana's schema says (lines count from {lines} before the JSON):\n{run.stdout}"
        )
    print(f"{len(pages)} dashboards are what Grafana's schema says")


def draw(model_cluster, out, shop, folder):
    manager = [model_cluster, str(folder), str(MINUTES), str(SPEED)]
    with running(manager, folder / "manager.log") as world:
        wait_for("the model cluster opens its port", (folder / "port").exists, world)
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        command = prometheus_command(folder, int((folder / "port").read_text()), port)
        with running(command, folder / "prometheus.log") as prometheus:
            wait_for("Prometheus is ready", lambda: answers(f"{address}/-/ready"), prometheus)
            wait_for("the day is over", (folder / "done").exists, world, 180)
            time.sleep(2 * SCRAPE_MS / 1000)
            end = away_from_ticks(int(time.time()))
            begin = end - (MINUTES - 5) * 60
            pages = sorted(str(path) for path in (HERE / "dashboards").glob("*.json"))
            command = [
                "node",
                "draw.mjs",
                address,
                str(out),
                str(begin),
                str(end),
                str(STEP),
                *pages,
            ]
            drawn = subprocess.run(command, cwd=shop, timeout=300).returncode
            broken = unhealthy_rules(address)
            for name in broken:
                print(f"the rule {name} cannot be evaluated")
            return 1 if drawn or broken else 0


def main(model_cluster, out, *options):
    for tool, package in TOOLS.items():
        if not shutil.which(tool):
            skip(f"{tool} is not installed (Debian package {package})")
    shop = workshop("--installed-only" not in options)
    check_schema(shop)
    out = pathlib.Path(out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(draw(str(pathlib.Path(model_cluster).resolve()), out, shop, pathlib.Path(folder)))


if __name__ == "__main__":
    main(*sys.argv[1:])
