#!/usr/bin/env python3
"""Writes small.csv: 250 jobs for 16 nodes of four cores, at a load of about 0.75.

Needs and memory are drawn as in the DFRS paper (section IV-C): a job of one task is sequential (a
quarter of a node), the others use whole nodes; 55 % of the jobs have tasks of a tenth of the memory,
the others of two to ten tenths. Widths and run times have the shape of real workloads: many narrow and
short jobs, a few wide and long ones. Only random() is used, whose sequence Python guarantees.
"""
import math
import random

NODES, JOBS, LOAD, SEED = 16, 250, 0.75, 2010

draw = random.Random(SEED).random
jobs = []
for number in range(1, JOBS + 1):
    tasks = 1 if draw() < 0.3 else min(NODES, 2 ** (1 + int(draw() * draw() * 4)))
    need = 0.25 if tasks == 1 else 1
    memory = 1 if draw() < 0.55 else 2 + int(draw() * 9)
    runtime = max(5, round(math.exp(3 + 5.5 * draw())))
    jobs.append((number, tasks, need, memory, runtime))

work = sum(tasks * need * runtime for _, tasks, need, _, runtime in jobs)
span = work / (NODES * LOAD)
gaps = [-math.log(1 - draw()) for _ in jobs]
scale = span / sum(gaps)

submit = 0.0
print("job,submit,tasks,cpu_need,memory,runtime")
for (number, tasks, need, memory, runtime), gap in zip(jobs, gaps):
    submit += gap * scale
    print(f"{number},{round(submit)},{tasks},{need},{memory / 10:g},{runtime}")
