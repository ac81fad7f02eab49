#!/usr/bin/env python3
"""Hunts every scenario of the program.

  tests/hunts.py PROGRAM EXECUTIONS

A recipe must hold for that many executions. A lock of the textbooks or the zoo must break its expected
guarantee with one of a few seeds: with others, some locks break another guarantee first. Exit status 0:
all did, 1: some did not, 2: the program or the command line failed.
"""

import argparse
import concurrent.futures
import functools
import os
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))

from lockstep_program import exit_with, hunt, oracle_of, scenarios  # noqa: E402

SEEDS = range(1, 7)
EXECUTIONS_OF_A_BROKEN_LOCK = 20_000


def found_in(program, scenario, executions):
    """Returns the oracles that the hunts of a scenario broke, up to the expected one."""
    name, expected = scenario["name"], scenario["expects"]
    if expected == "pass":
        return [oracle_of(hunt(program, name, executions=executions, seed=1))]
    found = []
    for seed in SEEDS:
        found.append(oracle_of(hunt(program, name, executions=EXECUTIONS_OF_A_BROKEN_LOCK,
                                    seed=seed)))
        if found[-1] == expected:
            break
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("executions", metavar="EXECUTIONS", type=int)
    given = parser.parse_args()
    listed = scenarios(given.program)
    failures = 0
    hunted = functools.partial(found_in, given.program, executions=given.executions)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as hunts:
        finds = list(hunts.map(hunted, listed))
    for scenario, found in zip(listed, finds):
        expected = None if scenario["expects"] == "pass" else scenario["expects"]
        if found[-1] != expected:
            failures += 1
            print(f"{scenario['kind']} {scenario['name']}: expected {expected or 'no violation'}, "
                  f"got {', '.join(oracle or 'no violation' for oracle in found)}\n"
                  f"  {given.program} hunt {scenario['name']} --executions {given.executions} --seed 1")
    print(f"{len(listed)} scenarios hunted, {failures} not as expected")
    return 1 if failures else 0


exit_with(main)
