#!/usr/bin/env python3
"""The zoo in reverse: does a hunt find the one flaw of each lock, and no other?

repairs.txt has an edit that repairs each broken lock. This script applies all edits to a copy of the tree,
and hunts every scenario as before: it must hold. --exhaustive searches the small scenarios to the end
instead. --page prints docs/zoo.md, which shows the edits.
"""

import argparse
import difflib
import os
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "support"))

import lockstep_program  # noqa: E402
from edits import Entry, Unusable, chosen, read_list  # noqa: E402
from lockstep_program import ProgramFailed, hunt  # noqa: E402
from scratch_tree import TOP, scratch_tree  # noqa: E402

PROGRAM = TOP / "build/release/bin/lockstep"
PAGE = TOP / "docs/zoo.md"
EXECUTIONS = 1_000_000
MOST_LINES = 15
EXHAUSTIVE_S = 60
CONTEXT_LINES = 3
LONGEST_REPLAY = 500  # A livelock has a longer one, which is useless.

INTRODUCTION = """\
# The zoo

What is wrong with each broken lock of `property/scenarios/{zoo,textbook}`: `-` shows the correct lock, `+` the broken one. The correct one
passes the same scenario: `tests/repairs/run.py` repairs all locks in a copy of the sources and hunts each for a million
executions, with the settings of `lockstep hunt`. [bugs.md](bugs.md) says how soon a hunt finds the broken ones,
[oracles.md](oracles.md) what the oracles require. A comment beside each source tells the story.

Where a lock of a tutorial has several flaws, each of its scenarios turns on one of them, in `Flaws`.

`tests/repairs/run.py --page > docs/zoo.md` writes this page from `tests/repairs/repairs.txt`.
"""


class Repair(Entry):
    SOURCES = ("property/scenarios/",)

    def __init__(self, name, line):
        super().__init__(name, line)
        self.other_name_of = ""

    def take_in(self, key, rest):
        if key == "as:" and rest:
            self.other_name_of = rest
            return True
        return super().take_in(key, rest)

    def complete(self):
        return not self.edits if self.other_name_of else super().complete()

    def diff(self):
        """Returns the diff from the correct form to the broken one, without file names."""
        lines = []
        for file, repaired in self.applied(TOP).items():
            broken = (TOP / file).read_text()
            found = difflib.unified_diff(repaired.splitlines(), broken.splitlines(), lineterm="",
                                         n=CONTEXT_LINES)
            lines += [f"@@ {file} @@" if line.startswith("@@") else line.rstrip()
                      for line in list(found)[2:]]
        return lines

    def size(self):
        return sum(line[:1] in ("-", "+") for line in self.diff())


# ------------------------------------------------------------------------------ the list, the page

def broken_locks(program):
    """Returns the broken locks of `lockstep list`."""
    return [scenario for scenario in lockstep_program.scenarios(program)
            if scenario["kind"] != "recipe"]


def check_list(repairs, scenarios):
    """Checks that every broken lock has one repair, which fits the sources and is small."""
    by_name = {repair.name: repair for repair in repairs}
    names = [scenario["name"] for scenario in scenarios]
    for name in names:
        if name not in by_name:
            raise Unusable(f"'{name}' has no repair")
    for repair in repairs:
        if repair.name not in names:
            raise Unusable(f"'{repair.name}' is no broken lock")
        if not repair.other_name_of:
            if not 0 < repair.size() <= MOST_LINES:
                raise Unusable(f"the repair of '{repair.name}' has {repair.size()} lines: at most "
                               f"{MOST_LINES}, as the flaw should be one")
        elif not (by_name.get(repair.other_name_of) and by_name[repair.other_name_of].edits):
            raise Unusable(f"'{repair.name}' is said to be '{repair.other_name_of}'")
    all_repaired(repairs)


def all_repaired(repairs):
    texts = {}
    for repair in repairs:
        repair.apply_to(texts, TOP)
    return texts


def page(repairs, scenarios):
    by_name = {repair.name: repair for repair in repairs}
    lines = [INTRODUCTION]
    for scenario in scenarios:
        repair = by_name[scenario["name"]]
        known = "Made up" if scenario["reference"] == "made up" else f"Known from {scenario['reference']}"
        lines += [f"## {scenario['name']}", "",
                  f"{scenario['summary']} {known}; breaks `{scenario['expects']}`.", ""]
        if repair.other_name_of:
            lines += [f"The same as [{repair.other_name_of}](#{repair.other_name_of}).", ""]
        else:
            lines += ["```diff", *repair.diff(), "```", ""]
    return "\n".join(lines)


def check_page(text):
    if not PAGE.is_file() or PAGE.read_text() != text:
        raise Unusable("docs/zoo.md is out of date: tests/repairs/run.py --page > docs/zoo.md")


# ---------------------------------------------------------------------------------------- hunting

def searched(program, scenario, given):
    name = scenario["name"]
    if not given.exhaustive:
        return hunt(program, name, executions=given.executions, seed=given.seed, jobs=given.jobs)
    return hunt(program, name, clients=min(2, scenario["clients"]), strategy="exhaustive",
                fault_budget=1, faults="all", seconds=EXHAUSTIVE_S)


def verdict(report):
    found = report["violation"]
    if found:
        return (f"BROKE {found['oracle']} in execution {found['execution']}: "
                f"{found['message'].splitlines()[0]}\n  {found['replay'][:LONGEST_REPLAY]}")
    if report["exhausted"]:
        return f"holds in all of its {report['traces']} traces"
    if report["strategy"] == "exhaustive":
        return "holds so far; not exhausted"
    return "holds"


def check_all(copy, repairs, scenarios, given):
    """Repairs all locks and searches these scenarios."""
    copy.update(all_repaired(repairs))
    copy.configure()
    error = copy.build()
    if error:
        raise Unusable("the repaired tree does not build: " + error)
    start = time.monotonic()
    wrong, exhausted = [], 0
    for scenario in scenarios:
        report = searched(copy.program, scenario, given)
        exhausted += report["exhausted"]
        print(f"{scenario['name']}: {report['executions']} executions, {report['seconds']:.1f} s: "
              f"{verdict(report)}", flush=True)
        if report["violation"]:
            wrong.append(scenario["name"])
    searched_to_the_end = f", {exhausted} of them searched to the end" if given.exhaustive else ""
    print(f"{len(scenarios)} repaired locks{searched_to_the_end}, {len(wrong)} of them still broken; "
          f"{time.monotonic() - start:.0f} s")
    return not wrong


# ----------------------------------------------------------------------------------- command line

def options():
    parser = argparse.ArgumentParser(
        prog="run.py", description="Hunts the broken locks, repaired; see repairs.txt.")
    parser.error = fail
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these scenarios")
    parser.add_argument("--executions", type=int, default=EXECUTIONS, metavar="N",
                        help="executions per scenario")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the hunts")
    parser.add_argument("--exhaustive", action="store_true",
                        help="search each to the end instead, with two clients and one fault, "
                             "for as long as a minute")
    parser.add_argument("--texts", action="store_true",
                        help="only check that the list and docs/zoo.md fit the sources")
    parser.add_argument("--page", action="store_true", help="only print the text of docs/zoo.md")
    parser.add_argument("--program", type=pathlib.Path, default=PROGRAM, metavar="FILE",
                        help="the program whose scenarios these are")
    parser.add_argument("--scratch", type=pathlib.Path, metavar="DIRECTORY",
                        help="work there and keep it, instead of in a temporary directory")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="how many compilers or threads run side by side")
    return parser.parse_args()


def fail(message):
    print(f"run.py: {message}", file=sys.stderr)
    sys.exit(2)


def run(given):
    """Returns the exit status."""
    if given.jobs < 1 or given.executions < 1 or given.seed < 0:
        raise Unusable("--jobs, --executions or --seed: not such a number")
    scenarios = broken_locks(given.program)
    repairs = read_list(HERE / "repairs.txt", Repair)
    check_list(repairs, scenarios)
    text = page(repairs, scenarios)
    if given.page:
        print(text, end="")
        return 0
    if given.texts:
        check_page(text)
        print(f"{len(repairs)} repairs fit the sources, and docs/zoo.md shows them")
        return 0
    names = {repair.other_name_of or repair.name for repair in chosen(repairs, given.names)}
    searched_ones = [scenario for scenario in scenarios if scenario["name"] in names]
    with scratch_tree(given.scratch, given.jobs) as copy:
        return 0 if check_all(copy, repairs, searched_ones, given) else 1


def main():
    try:
        sys.exit(run(options()))
    except (Unusable, ProgramFailed) as error:
        fail(error)


if __name__ == "__main__":
    main()
