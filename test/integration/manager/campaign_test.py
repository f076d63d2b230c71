#!/usr/bin/env python3
"""A campaign of the simulator that Aliquot itself runs, as an array of VMs: what is fetched and merged has
the same bytes as the same campaign run here."""

import pathlib
import subprocess
import sys
import tempfile

from deployment import BIN, deployment, wait_until

SHARDS = 3
GRID = "workloads: [f, dfrs]\nnodes: [2, 8]\npolicies: [FCFS, ALIQUOT]\njobs: 20\nseeds: [1..2]\n"
JOBS = """job,submit,tasks,cpu_need,memory,runtime
1,0,2,1,0.3,3600
2,600,1,1,0.3,600
3,1200,1,1,0.3,600
"""


def simulate(live, folder, *words):
    path = f"{BIN}:{live.environment['PATH']}"
    done = subprocess.run(
        [BIN / "aliquot-sim", *words],
        cwd=folder,
        env=live.environment | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, f"{words}: {done.returncode} {done.stderr}"
    return done.stdout


def main():
    with deployment() as live, tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "grid.yaml").write_text(GRID)
        (folder / "f").write_text(JOBS)
        campaign = ["sweep", "grid.yaml", "--out"]
        array = int(
            simulate(live, folder, *campaign, "there", "--shards", str(SHARDS), "--submit", "aliquot")
        )
        wait_until(f"array {array} has ended", lambda: live.job(array)["ended_at"], 400)
        assert live.job(array)["state"] == "completed", live.job(array)
        for shard in range(1, SHARDS + 1):
            fetched = live.call("fetch", f"{array}[{shard}]", "--to", folder)
            assert fetched.code == 0, fetched.err
        said = simulate(live, folder, "evaluate", "shards", "there")
        assert "12 of 12 trials are done" in said, said
        simulate(live, folder, "evaluate", "merge", "there")
        simulate(live, folder, *campaign, "here")
        for file in ("trials.csv", "summary.csv", "paired.csv", "tables.md"):
            assert (folder / "here" / file).read_bytes() == (folder / "there" / file).read_bytes(), file
        print(said.splitlines()[-1])


if __name__ == "__main__":
    sys.exit(main())
