"""What docs/slurm.md promises, for live_words_test.py."""

import re
import textwrap

from deployment import ROOT

OK, USAGE, NOT_FOUND = 0, 2, 3


def slurm(s, long_job):
    """The script of docs/slurm.md as it stands there, and what else its readers type first."""
    page = (ROOT / "docs/slurm.md").read_text()
    script, commands = re.findall(r"(?:^    .*\n|^\n(?=    ))+", page, re.M)[0].split("\n    $ ", 1)
    path = s.live.state / "count.sh"
    path.write_text(textwrap.dedent(script).strip() + "\n")
    path.chmod(0o755)
    call, *told = textwrap.dedent("    " + commands).splitlines()
    words = [str(path) if word == "count.sh" else word for word in call.split()[1:]]
    done = s.say(OK, *words, timeout=120)
    for line in filter(None, told):
        assert line.removeprefix("count.sh") in done.err, f"not said: {line}\n{done.err}"
    job = s.live.ask("list", "--name", "count", "--since", "1h")["jobs"][0]["job"]
    assert s.say(OK, "logs", f"{job}.1").out == "".join(f"task 1 of 2: {i}\n" for i in (1, 2, 3))
    s.say(OK, "list", "-u", "me", "-t", "completed", "-o", "wide", part="count")
    s.say(OK, "events", job, part="was submitted")
    named = [int(s.say(OK, "submit", "--parsable", "-J", "named", *long_job).out) for _ in range(2)]
    s.say(OK, "cancel", "--name", "named", part=f"job {named[1]}: ")
    for gone in named:
        s.becomes(gone, "cancelled")
    s.say(NOT_FOUND, "cancel", "--name", "named", part="no job that has not ended")
    s.say(USAGE, "squeue", part="aliquot list")
