#!/usr/bin/env python3
"""Measures the figures of docs/figures.md and prints that page.

  tests/tables/figures.py PROGRAM >docs/figures.md

PROGRAM is the release build's lockstep. Run it on a quiet machine; it takes a few minutes. Exit
status 0: the page is complete, 1: a measurement failed, 2: bad usage.
"""

import datetime
import json
import os
import subprocess
import sys

# All kinds that the exhaustive search takes on one server, one fault in each execution.
ONE_FAULT = ("cut", "expiry", "kill-session", "timer", "late-apply", "stall", "crash",
             "clock-drift", "foreign-delete", "parent-removal", "sequence-overflow")

HEAD = """# Figures

`tests/tables/figures.py build/release/bin/lockstep` measures and prints this page; do not edit it. It was run
for version {version} on {date}, with the release build, on {cores} cores. [performance.md](performance.md) says where
the time and the memory go, [bugs.md](bugs.md) how soon broken locks are found.
"""


def printed(*command):
    """What the command prints on stdout; an exhaustive search without a violation exits with 0."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def quantity(value):
    if value >= 1000:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.3g}"


def suite(program, name):
    """The rows of a suite of `lockstep bench`."""
    results = json.loads(printed(program, "bench", name, "--json"))["results"]
    rows = [f"| `{row['name']}` | {quantity(row['value'])} | {row['unit']} |" for row in results]
    return "\n".join(["| name | value | unit |", "|---|---|---|", *rows])


def exhaustive(program):
    rows = ["| faults | traces | final states | executions | s |", "|---|---|---|---|---|"]
    for faults in ("none", *ONE_FAULT, ",".join(ONE_FAULT)):
        result = json.loads(printed(program, "hunt", "fair-mutex", "--clients", "3", "--strategy",
                                    "exhaustive", "--faults", faults, "--fault-budget", "1",
                                    "--json"))
        if not result["exhausted"]:
            sys.exit(f"the search with {faults} is not exhausted")
        title = f"one of these {len(ONE_FAULT)}" if "," in faults else f"`{faults}`"
        rows.append(f"| {title} | {quantity(result['traces'])} | "
                    f"{quantity(result['final_states'])} | {quantity(result['executions'])} | "
                    f"{result['seconds']:.2f} |")
    return "\n".join(rows)


def main(arguments):
    if len(arguments) != 1 or not os.access(arguments[0], os.X_OK):
        print("usage: tests/tables/figures.py PROGRAM", file=sys.stderr)
        return 2
    program = arguments[0]
    version = printed(program, "--version").split()[-1]
    print(HEAD.format(version=version, date=datetime.date.today(), cores=os.cpu_count()))
    print("## Searches (`lockstep bench explorer`)\n")
    print("3 contenders of `fair-mutex`; `floor_recipe` is the recipe alone, on a session that answers at once.\n")
    print(suite(program, "explorer"), end="\n\n")
    print("## Simulated servers (`lockstep bench fake`)\n")
    print(suite(program, "fake"), end="\n\n")
    print("## Exhaustive searches\n")
    print("`lockstep hunt fair-mutex --clients 3 --strategy exhaustive --faults KIND --fault-budget 1`\n")
    print(exhaustive(program))
    return 0


sys.exit(main(sys.argv[1:]))
