#!/usr/bin/env python3
"""Mutation check of the recipes and the production backend: would a hunt notice if this line were wrong?

Applies the mutations of mutants.txt, one at a time, to a copy of the tree, builds the program and
hunts the scenarios that must catch it. Fails if a mutant survives that must be killed, or if one is
killed that is listed as equivalent. mutants.txt describes its format.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time
import typing

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "support"))

from edits import Entry, Unusable, chosen, read_list  # noqa: E402
from scratch_tree import TOP, scratch_tree  # noqa: E402

EXECUTIONS = 30_000
# Executions on the production backend take a hundred times as long.
EXECUTIONS_ON_ZOOKEEPER = 4_000
# Rounds and seeds. In the second round a contender starts with the remains of its first.
HUNTS = [(rounds, seed) for rounds in (1, 2) for seed in (1, 2)]
LONGEST_HUNT_S = 300


class Mutant(Entry):
    SOURCES = ("core/", "backends/zookeeper/")

    def __init__(self, name, line):
        super().__init__(name, line)
        self.scenarios = []
        self.faults = "all"
        self.excuse = ""  # "equivalent: why" or "survives: why"; empty: it must be killed.

    def take_in(self, key, rest):
        if key == "hunt:" and rest.split():
            self.scenarios = rest.split()
        elif key == "faults:" and rest:
            self.faults = rest
        elif key in ("equivalent:", "survives:") and rest:
            self.excuse = f"{key} {rest}"
        elif key == "|" and self.excuse:
            self.excuse += " " + rest
        else:
            return super().take_in(key, rest)
        return True

    def complete(self):
        return super().complete() and bool(self.scenarios)

    def must_die(self):
        return not self.excuse

    def hunts(self):
        """Returns the scenarios that must catch it, and their backend."""
        ships = any(edit.file.startswith("backends/") for edit in self.edits)
        backend = "zookeeper" if ships else "fake"
        return [Hunt(scenario, backend, self.faults) for scenario in self.scenarios]


# ---------------------------------------------------------------------------------------- hunting

class Hunt(typing.NamedTuple):
    scenario: str
    backend: str
    faults: str


def hunt(program, what, rounds, seed):
    """Returns how the mutant was killed, or None."""
    executions = EXECUTIONS if what.backend == "fake" else EXECUTIONS_ON_ZOOKEEPER
    command = [str(program), "hunt", what.scenario, "--executions", str(executions),
               "--seed", str(seed), "--faults", what.faults, "--fault-budget", "3", "--clients", "3",
               "--rounds", str(rounds), "--backend", what.backend, "--json"]
    of = f"{what.scenario}, {rounds} round{'s' if rounds > 1 else ''}, seed {seed}"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_HUNT_S)
    except subprocess.TimeoutExpired:
        return f"a hunt that does not end ({of})"
    if done.returncode == 0:
        return None
    if done.returncode != 1:
        return f"a crash, exit status {done.returncode} ({of})"
    violation = json.loads(done.stdout)["violation"]
    return f"{violation['oracle']} in execution {violation['execution']} ({of})"


def first_kill(program, hunts):
    for rounds, seed in HUNTS:
        for what in hunts:
            killed = hunt(program, what, rounds, seed)
            if killed:
                return killed
    return None


def unmutated_holds(copy, hunts):
    """Checks that the hunts find nothing in the unmutated recipes: only then can they kill a mutant."""
    error = copy.build()
    if error:
        raise Unusable("the unmutated tree does not build: " + error)
    for what in hunts:
        found = first_kill(copy.program, [what])
        if found:
            print(f"without any mutation: {found}", flush=True)
            return False
    return True


def check(copy, mutant):
    """Returns the line to print, and whether the result is as listed."""
    mutated = mutant.applied(copy.top)
    originals = {file: (copy.top / file).read_bytes() for file in mutated}
    try:
        for file, text in mutated.items():
            copy.write(file, text.encode())
        error = copy.build()
        if error:
            return f"DOES NOT BUILD: {error}", False
        killed = first_kill(copy.program, mutant.hunts())
    finally:
        for file, content in originals.items():
            copy.write(file, content)
    if killed and mutant.must_die():
        return f"killed by {killed}", True
    if killed:
        return f"KILLED by {killed}, although it is listed as {mutant.excuse}", False
    if mutant.must_die():
        return f"SURVIVED the hunts of {' '.join(mutant.scenarios)}", False
    return f"not killed, as stated: {mutant.excuse}", True


def check_all(copy, mutants):
    start = time.monotonic()
    copy.update()
    hunts = sorted({what for mutant in mutants for what in mutant.hunts()})
    copy.configure(with_zookeeper=any(what.backend == "zookeeper" for what in hunts))
    if not unmutated_holds(copy, hunts):
        return False
    print(f"the unmutated recipes hold; {time.monotonic() - start:.0f} s", flush=True)
    wrong = []
    for mutant in mutants:
        began = time.monotonic()
        line, as_stated = check(copy, mutant)
        print(f"{mutant.name}: {line}; {time.monotonic() - began:.0f} s", flush=True)
        if not as_stated:
            wrong.append(mutant.name)
    to_kill = sum(mutant.must_die() for mutant in mutants)
    print(f"{len(mutants)} mutants, {to_kill} of them to be killed, {len(wrong)} not as stated; "
          f"{time.monotonic() - start:.0f} s")
    for name in wrong:
        print(f"  not as stated: {name}")
    return not wrong


# ----------------------------------------------------------------------------------- command line

def options():
    parser = argparse.ArgumentParser(
        prog="run.py", description="Mutation check of the recipes; see mutants.txt.")
    parser.error = fail
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these mutants")
    parser.add_argument("--sample", type=int, metavar="N",
                        help="only N of them, spread evenly over the list: always the same")
    parser.add_argument("--texts", action="store_true",
                        help="only see whether the list fits the sources: builds nothing")
    parser.add_argument("--scratch", type=pathlib.Path, metavar="DIRECTORY",
                        help="work there and keep it, instead of in a temporary directory")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="how many compilers run side by side")
    return parser.parse_args()


def fail(message):
    print(f"run.py: {message}", file=sys.stderr)
    sys.exit(2)


def sampled(mutants, sample):
    if not 1 <= sample <= len(mutants):
        raise Unusable(f"--sample: not a number from 1 to {len(mutants)}: {sample}")
    return [mutants[i * len(mutants) // sample] for i in range(sample)]


def main():
    given = options()
    try:
        if given.jobs < 1:
            raise Unusable(f"--jobs: not a number from 1 on: {given.jobs}")
        if given.names and given.sample is not None:
            raise Unusable("either names or --sample")
        mutants = read_list(HERE / "mutants.txt", Mutant)
        for mutant in mutants:
            mutant.applied(TOP)
        mutants = chosen(mutants, given.names)
        if given.sample is not None:
            mutants = sampled(mutants, given.sample)
        if given.texts:
            print(f"{len(mutants)} mutants fit the sources")
            return
        with scratch_tree(given.scratch, given.jobs) as copy:
            sys.exit(0 if check_all(copy, mutants) else 1)
    except Unusable as error:
        fail(error)


if __name__ == "__main__":
    main()
