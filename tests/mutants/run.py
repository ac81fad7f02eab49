#!/usr/bin/env python3
"""Mutation check of the recipes: would a hunt see it if this line were wrong?

Applies the mutations of mutants.txt, one at a time, to a copy of the tree, builds the program and
hunts the scenarios that must catch it. Fails if one survives that must be killed, or if one is
killed that is said to be equivalent. mutants.txt says how a mutation is written down.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
COPIED = ["CMakeLists.txt", "CMakePresets.json", "LICENSE", "core", "fakezk", "backends",
          "property", "examples", "tests"]
SOURCES = ("core/src/", "core/include/")
EXECUTIONS = 30_000
# Rounds and seeds. In the second round a contender has a past: what the first one left behind.
HUNTS = [(rounds, seed) for rounds in (1, 2) for seed in (1, 2)]
LONGEST_HUNT_S = 300


class Unusable(Exception):
    """The list does not fit the sources, or the command line neither: nothing was checked."""


class Mutant:
    def __init__(self, name, line):
        self.name, self.line = name, line
        self.file = ""
        self.scenarios, self.removed, self.added = [], [], []
        self.excuse = ""  # "equivalent: why" or "survives: why"; empty: it must be killed.

    def must_die(self):
        return not self.excuse

    def applied_to(self, text):
        old, new = "\n".join(self.removed), "\n".join(self.added)
        found = text.count(old)
        if found != 1:
            raise Unusable(f"mutant '{self.name}' (mutants.txt:{self.line}): its text occurs "
                           f"{found} times in {self.file}, not once")
        return text.replace(old, new)


# ------------------------------------------------------------------------------ reading the list

def take_in(mutant, line, where):
    key, _, rest = line.partition(" ")
    if key == "-":
        mutant.removed.append(rest)
    elif key == "+":
        mutant.added.append(rest)
    elif key == "file:" and rest.startswith(SOURCES):
        mutant.file = rest
    elif key == "hunt:" and rest.split():
        mutant.scenarios = rest.split()
    elif key in ("equivalent:", "survives:") and rest:
        mutant.excuse = line
    elif key == "|" and mutant.excuse:
        mutant.excuse += " " + rest
    else:
        raise Unusable(f"{where}: cannot read: {line}")


def read_list(path):
    mutants = []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        where = f"{path.name}:{number}"
        if not line or line.startswith("#"):
            continue
        heading = re.fullmatch(r"\[([a-z0-9-]+)\]", line)
        if heading:
            mutants.append(Mutant(heading[1], number))
        elif not mutants:
            raise Unusable(f"{where}: before the first [name]")
        else:
            take_in(mutants[-1], line, where)
    for mutant in mutants:
        if not (mutant.file and mutant.scenarios and mutant.removed):
            raise Unusable(f"mutant '{mutant.name}' lacks its file, its text or what to hunt")
    names = [mutant.name for mutant in mutants]
    for name in names:
        if names.count(name) > 1:
            raise Unusable(f"two mutants are called '{name}'")
    return mutants


def check_texts(mutants):
    for mutant in mutants:
        path = TOP / mutant.file
        if not path.is_file():
            raise Unusable(f"mutant '{mutant.name}': there is no {mutant.file}")
        mutant.applied_to(path.read_text())


# ----------------------------------------------------------------------------- the copy of the tree

class Copy:
    """The tree in a scratch directory, with what is built of it. A directory that is kept is
    brought up to date: only what differs is written, so only that is compiled again."""

    def __init__(self, scratch, jobs):
        self.top, self.jobs = scratch / "tree", jobs
        self.program = self.top / "build/release/bin/lockstep"

    def update(self):
        theirs = set()
        for name in COPIED:
            path = TOP / name
            for file in [path] if path.is_file() else sorted(path.rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    theirs.add(file.relative_to(TOP))
        for file in theirs:
            self.write(file, (TOP / file).read_bytes())
        for name in COPIED:
            for file in (self.top / name).rglob("*"):
                if file.is_file() and file.relative_to(self.top) not in theirs:
                    file.unlink()

    def write(self, file, content):
        path = self.top / file
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def configure(self):
        # -w: a mutation may leave something unused, and nothing of it is shipped.
        command = ["cmake", "--preset", "release", "-DLOCKSTEP_BUILD_TESTS=OFF",
                   "-DLOCKSTEP_WITH_ZOOKEEPER=OFF", "-DCMAKE_CXX_FLAGS=-w"]
        done = subprocess.run(command, cwd=self.top, capture_output=True, text=True)
        if done.returncode:
            raise Unusable("cannot configure the copy of the tree: " + last_line(done.stderr))

    def build(self):
        """None if it builds; else the first error."""
        command = ["cmake", "--build", "build/release", "--parallel", str(self.jobs), "--target",
                   "lockstep"]
        done = subprocess.run(command, cwd=self.top, capture_output=True, text=True)
        if done.returncode == 0:
            return None
        errors = [line for line in done.stdout.splitlines() if "error:" in line]
        return errors[0] if errors else last_line(done.stdout)


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no output"


# ---------------------------------------------------------------------------------------- hunting

def hunt(program, scenario, rounds, seed):
    """How it was killed, or None."""
    command = [str(program), "hunt", scenario, "--executions", str(EXECUTIONS), "--seed", str(seed),
               "--fault-budget", "3", "--clients", "3", "--rounds", str(rounds), "--json"]
    of = f"{scenario}, {rounds} round{'s' if rounds > 1 else ''}, seed {seed}"
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


def first_kill(program, scenarios):
    for rounds, seed in HUNTS:
        for scenario in scenarios:
            killed = hunt(program, scenario, rounds, seed)
            if killed:
                return killed
    return None


def unmutated_holds(copy, scenarios):
    """Only what the unmutated recipes withstand can kill a mutant."""
    error = copy.build()
    if error:
        raise Unusable("the unmutated tree does not build: " + error)
    for scenario in scenarios:
        found = first_kill(copy.program, [scenario])
        if found:
            print(f"without any mutation: {found}", flush=True)
            return False
    return True


def check(copy, mutant):
    """What to print, and whether it is as the list says."""
    original = (copy.top / mutant.file).read_text()
    copy.write(mutant.file, mutant.applied_to(original).encode())
    try:
        error = copy.build()
        if error:
            return f"DOES NOT BUILD: {error}", False
        killed = first_kill(copy.program, mutant.scenarios)
    finally:
        copy.write(mutant.file, original.encode())
    if killed and mutant.must_die():
        return f"killed by {killed}", True
    if killed:
        return f"KILLED by {killed}, although it is said to be {mutant.excuse}", False
    if mutant.must_die():
        return f"SURVIVED the hunts of {' '.join(mutant.scenarios)}", False
    return f"not killed, as stated: {mutant.excuse}", True


def check_all(copy, mutants):
    start = time.monotonic()
    copy.update()
    copy.configure()
    if not unmutated_holds(copy, sorted({name for m in mutants for name in m.scenarios})):
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


def chosen(mutants, names, sample):
    if names and sample is not None:
        raise Unusable("either names or --sample")
    by_name = {mutant.name: mutant for mutant in mutants}
    for name in names:
        if name not in by_name:
            raise Unusable(f"there is no mutant '{name}'")
    if names:
        return [by_name[name] for name in names]
    if sample is None:
        return mutants
    if not 1 <= sample <= len(mutants):
        raise Unusable(f"--sample: not a number from 1 to {len(mutants)}: {sample}")
    return [mutants[i * len(mutants) // sample] for i in range(sample)]


def run(scratch, mutants, jobs):
    if scratch:
        return check_all(Copy(scratch.resolve(), jobs), mutants)
    made = tempfile.mkdtemp(prefix="lockstep-mutants-")
    try:
        return check_all(Copy(pathlib.Path(made), jobs), mutants)
    finally:
        shutil.rmtree(made)


def main():
    given = options()
    try:
        if given.jobs < 1:
            raise Unusable(f"--jobs: not a number from 1 on: {given.jobs}")
        mutants = read_list(HERE / "mutants.txt")
        check_texts(mutants)
        mutants = chosen(mutants, given.names, given.sample)
        if given.texts:
            print(f"{len(mutants)} mutants fit the sources")
            return
        sys.exit(0 if run(given.scratch, mutants, given.jobs) else 1)
    except Unusable as error:
        fail(error)


if __name__ == "__main__":
    main()
