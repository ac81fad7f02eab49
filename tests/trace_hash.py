#!/usr/bin/env python3
"""Compares the trace hashes of the same hunts between builds of the program.

  tests/trace_hash.py [--executions N] [--jobs J]... [--hunt 'NAME [OPTION...]']... PROGRAM...

A program is lockstep, or the smaller hunt_hash.

Compilers, optimisation levels, sanitizers and the number of jobs must not change a hash. A
difference means that something outside the seed decides: an address, an uninitialised byte, an
order of evaluation. Exit status 0: all are equal, 1: some are not, 2: a hunt failed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))

from lockstep_program import ProgramFailed, answer, exit_with, scenarios  # noqa: E402


def usual_hunts(program):
    """Returns hunts of a recipe with and without faults, and of the first lock of the zoo."""
    zoo = [scenario["name"] for scenario in scenarios(program)
           if scenario["name"].startswith("zoo-01-")]
    if len(zoo) != 1:
        raise ProgramFailed(f"{program} lists {len(zoo)} scenarios named zoo-01-")
    return ["fair-mutex", "fair-mutex --faults none", zoo[0]]


def trace_hash(program, hunt, executions, jobs):
    if pathlib.Path(program).name == "hunt_hash":
        return hash_without_program(program, hunt, executions, jobs)
    report = answer(program, "hunt", *hunt.split(), "--executions", executions, "--seed", 7,
                    "--clients", 3, "--strategy", "random", "--jobs", jobs)
    return report["trace_hash"]


def hash_without_program(program, hunt, executions, jobs):
    """Returns the same from hunt_hash, the small program of builds without lockstep."""
    name, *options = hunt.split()
    if options and (len(options) != 2 or options[0] != "--faults"):
        raise ProgramFailed(f"{program} cannot take {' '.join(options)}")
    command = [program, name, str(executions), "7", "3", "random", str(jobs),
               options[1] if options else "all"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise ProgramFailed(f"{' '.join(command)}: {run.stderr}")
    return run.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", metavar="PROGRAM", nargs="+")
    parser.add_argument("--executions", type=int, default=2000, metavar="N")
    parser.add_argument("--jobs", type=int, action="append", metavar="J",
                        help="1 and 2 if none is given")
    parser.add_argument("--hunt", action="append", metavar="'NAME [OPTION...]'",
                        help="three usual ones if none is given")
    given = parser.parse_args()
    runs = [(hunt, program, jobs) for hunt in given.hunt or usual_hunts(given.programs[0])
            for program in given.programs for jobs in given.jobs or [1, 2]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        hashes = list(pool.map(
            lambda run: trace_hash(run[1], run[0], given.executions, run[2]), runs))
    differences = 0
    expected = {}
    for (hunt, program, jobs), got in zip(runs, hashes):
        if hunt not in expected:
            expected[hunt] = got
            print(f"{got}  {hunt}")
        elif got != expected[hunt]:
            differences += 1
            print(f"  {got} from {program}, number of jobs {jobs}")
    return 1 if differences else 0


exit_with(main)
