#!/usr/bin/env python3
"""Hunts every recipe widely: none may break.

  tests/cross_checks.py PROGRAM EXECUTIONS [JOBS]

Each recipe's executions are divided equally among 2 clients (with two rounds), 3, 4 and 5 clients. They
use all strategies in turn and all kinds of faults, up to three in one execution. Exit status 0: all
recipes hold, 1: some do not, 2: the program or the command line failed.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))

from lockstep_program import exit_with, hunt, scenarios  # noqa: E402

CLIENTS = (2, 3, 4, 5)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("executions", metavar="EXECUTIONS", type=int)
    parser.add_argument("jobs", metavar="JOBS", type=int, nargs="?", default=1)
    given = parser.parse_args()
    each = given.executions // len(CLIENTS)
    recipes = [scenario["name"] for scenario in scenarios(given.program)
               if scenario["kind"] == "recipe"]
    violations = 0
    for name in recipes:
        for clients in CLIENTS:
            report = hunt(given.program, name, clients=clients, rounds=2 if clients == 2 else 1,
                          executions=each, fault_budget=3, seed=1000 + clients, jobs=given.jobs)
            if report["violation"]:
                violations += 1
                print(f"{name} with {clients} clients: {report['violation']['message']}\n"
                      f"  {report['violation']['replay']}")
    print(f"{len(recipes)} recipes hunted for {len(CLIENTS) * each} executions each, "
          f"{violations} violations")
    return 1 if violations or not recipes else 0


exit_with(main)
