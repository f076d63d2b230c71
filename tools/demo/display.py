"""What the demo prints while the jobs run, and the table at the end."""

from batch_comparison import stretch


def where(job):
    return [f"{node['node']}:{node['tasks']}" for node in job["nodes"]]


def share(job, otherwise):
    return f"{job['yield']:.2f}" if job["yield"] is not None else otherwise


def one_line(job):
    return f"{job['name']}={job['state']}({share(job, '-')} {'+'.join(where(job)) or '-'})"


def draw(jobs, seconds, on_terminal, drawn):
    """One block that is drawn over on a terminal, one plain line elsewhere. Returns the lines drawn."""
    if not on_terminal:
        running = "  ".join(one_line(job) for job in jobs if job["ended_at"] is None)
        print(f"  {seconds:5.0f} s  {running}", flush=True)
        return 0
    lines = [f"  {seconds:5.0f} s   {'job':<10}{'state':<11}{'tasks':>5}{'cpus':>6}{'yield':>7}  nodes"]
    for job in jobs:
        bar = "#" * round(20 * (job["yield"] or 0))
        lines.append(
            f"            {job['name']:<10}{job['state']:<11}{job['tasks']:>5}{job['cpus']:>6.2f}"
            f"{share(job, ''):>7}  {' '.join(where(job)):<18} {bar}"
        )
    print(f"\033[{drawn}F" if drawn else "", end="")
    print("\n".join("\033[K" + line for line in lines), flush=True)
    return len(lines)


def table(jobs):
    print(
        f"\n{'job':<10}{'tasks':>6}{'cpus':>6}{'MiB':>6}{'wait':>8}{'turnaround':>12}{'stretch':>9}"
        f"{'preempted':>11}{'migrated':>10}{'exit':>6}"
    )
    for job in jobs:
        exit_code = "-" if job["exit_code"] is None else job["exit_code"]
        print(
            f"{job['name']:<10}{job['tasks']:>6}{job['cpus']:>6.2f}{job['memory_bytes'] >> 20:>6}"
            f"{job['wait_s']:>7.1f}s{job['turnaround_s']:>11.1f}s{stretch(job):>9.2f}"
            f"{job['preemptions']:>11}{job['migrations']:>10}{exit_code:>6}"
        )
