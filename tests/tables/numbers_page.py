#!/usr/bin/env python3
"""Measures the figures of docs/numbers.md, and writes that page, its plots in docs/numbers, and the tables
with the same figures in docs/bugs.md and README.md.

  tests/tables/numbers_page.py PROGRAM [PART...]    measures these parts, or all, and writes everything
  tests/tables/numbers_page.py --draw               only writes earlier measurements

PROGRAM is the release build's lockstep, beside its power_table. Needs a quiet machine, a quarter of an hour,
Debian's zookeeper, libcurator-recipes-java and python3-kazoo, and a JDK. Measured values are kept in
build/numbers.json, each part with its version, machine, date and load; the page is written if all parts have
one version and one machine. Exit status 0: the page is complete, 1: a measurement failed, 2: bad usage.
"""

import datetime
import json
import os
import pathlib
import statistics
import sys
import time

import measure
import plots
from plots import quantity

TOP = pathlib.Path(__file__).resolve().parents[2]
VALUES = TOP / "build/numbers.json"
PICTURES = TOP / "docs/numbers"
PAGE = TOP / "docs/numbers.md"
BUGS = TOP / "docs/bugs.md"
README = TOP / "README.md"

PAGE_TEXT = """# Numbers

`tests/tables/numbers_page.py build/release/bin/lockstep` measures everything on this page, and writes it; do not edit it. It was run
for version {version} {dates}, with the release build ({compiler}), on {cores} cores
({processor}, {memory} GiB, {system}). No part begins with a load above the number of cores. The load
was {load:.0f} at most before and after each part; the measured programs themselves are 1 to 3 of it, and figures of time mean little
where it is far above that. [performance.md](performance.md) says where the time and the memory go,
[from-curator-and-kazoo.md](from-curator-and-kazoo.md) what the locks of others do and do not.

Values of several turns are a median, with the least and the largest in brackets; plots show both as a line. Searches and simulated
servers run on one thread. Their times are those of the processor, which other programs do not lengthen; only the times of a single
handoff and of a single list are medians of many on the clock. The real client, which has threads, and real servers are measured on
the clock.

## Locks on a real server

ZooKeeper {zookeeper} on the same machine, over loopback, without and with a log of transactions that is forced to the
disk (forceSync, ZooKeeper's default). *Floor* is ZooKeeper's C client alone: it sends the requests of a lock as early as the recipe
could, and does nothing else (`lockstep bench real`). In each turn both are measured one after the
other; *of the floor* is the median of the turns' quotients, not the quotient of the two medians beside it. Curator is
`InterProcessMutex` {curator} in a warm virtual machine, kazoo is `Lock` {kazoo}.
All have the server to themselves in turn, {turns} times. Each release is awaited, except in the row that says otherwise.

![Locks per second of Lockstep, the floor, Curator and kazoo, not forced to the disk](numbers/locks-quick-disk.svg)

{quick_disk}

![Locks per second of Lockstep, the floor, Curator and kazoo, forced to the disk](numbers/locks-forced.svg)

{forced}

## Handoffs against waiters

On the real server, without forceSync: all contenders want one lock, each with a session of its own. `lockstep bench real --contenders N`,
and the peers beside it, {contender_turns} turns.

![Handoffs per second against contenders](numbers/contention.svg)

{contention}

On the simulated servers a handoff takes two requests and wakes one waiter, however many wait. Its time grows with the list of names that
the next holder reads:

![Microseconds of a handoff on the simulated servers against waiters](numbers/handoff.svg)

{fake}

(`lockstep bench fake`, {turns} turns.)

## Searches

3 contenders of `fair-mutex`, one round each, one job; `--faults all` has at most two faults in an execution. Executions per second of
the processor in {turns} turns:
`lockstep hunt fair-mutex --clients 3 --rounds 1 --strategy NAME --faults none|all --jobs 1 --seed 7 --executions {executions}`:

![Executions per second by strategy](numbers/strategies.svg)

{strategies}

`lockstep bench explorer` in {turns} turns, its exhaustive searches once; `floor_recipe` is the recipe alone, on a session that answers
at once. A search without faults makes {of_recipe:.2f} of its executions, one with two faults at most {of_recipe_faults:.2f} (quotients of
the medians):

{explorer}

## How soon a hunt finds a bug

Executions until the broken lock breaks its guarantee, for {locks} locks (the broken ones of `lockstep list`, and three of `tests/deep`), all
kinds of faults, with the strategy that `hunt` uses by default (`portfolio`). These numbers do not depend on the machine.
[bugs.md](bugs.md) has the table.

![Executions to the first bug for each broken lock](numbers/first-bug.svg)

Half of the locks are found within {half} executions, nine in ten within {most} (medians of 31 seeds).

## Exhaustive searches

`lockstep hunt fair-mutex --clients 3 --strategy exhaustive --faults KIND --fault-budget 1`

{exhaustive}
"""

NAMES = {"lockstep": "Lockstep", "floor": "C client alone (floor)", "curator": "Curator", "kazoo": "kazoo"}
WITHOUT_REQUESTS = "handoff_10_waiters_local"  # A hundred times as quick: in no plot with others.
LOCKS = (("uncontended_awaited", "nobody else wants the lock", ("floor", "lockstep", "curator", "kazoo")),
         ("handoff_10_sessions", "10 sessions want it", ("floor", "lockstep", "curator", "kazoo")),
         ("handoff_10_waiters_one_session", "10 waiters in one session want it", ("floor", "lockstep", "curator", "kazoo")),
         ("locks_in_flight_256", "256 locks at once, one session", ("floor", "lockstep")),
         ("uncontended", "nobody else wants it; the release is not awaited", ("floor", "lockstep")),
         (WITHOUT_REQUESTS, "10 waiters in one process, CohortMutex", ("lockstep",)))


def spread(samples):
    least, largest = quantity(min(samples)), quantity(max(samples))
    return f"{quantity(statistics.median(samples))} ({least}–{largest})"


def table(head, rows):
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


def key(who, figure):
    return figure if who == "lockstep" else f"{who}_{figure}"


def locks_table(samples, shown=LOCKS):
    rows = []
    for figure, title, which in shown:
        cells = [spread(samples[key(who, figure)]) if who in which else "" for who in NAMES]
        share = samples.get(f"{figure}_share")
        rows.append([title, *cells, f"{statistics.median(share):.2f}" if share else ""])
    return table(["locks per second", *NAMES.values(), "of the floor"], rows)


def locks_plot(samples, disk):
    groups = [(title, [(who, NAMES[who], samples[key(who, figure)]) for who in which])
              for figure, title, which in LOCKS if figure != WITHOUT_REQUESTS]
    return plots.bars(f"Locks per second on a real server, {disk}", "Bars: " + ", ".join(NAMES.values()), "locks per second", groups)


def contention_table(found):
    rows = [[str(number), *(spread(found[who][str(number)]) for who in NAMES)] for number in measure.CONTENDERS]
    return table(["contenders", *NAMES.values()], rows)


def contention_plot(found):
    series = [(who, NAMES[who].removesuffix(" (floor)"), [(number, found[who][str(number)]) for number in measure.CONTENDERS])
              for who in NAMES]
    return plots.curves("Handoffs on a real server", "More contenders: a longer list for each handoff", "contenders, each with a session",
                        "handoffs per second", series, from_zero=True)


def handoff_plot(figures):
    points = {name: [(number, figures[f"{name}_{number}_waiters"]["samples"]) for number in (10, 100, 1000, 10_000)] for name in ("handoff", "list")}
    return plots.curves("A handoff on the simulated servers", "The list of names is most of a handoff with many waiters", "waiters",
                        "microseconds", [("lockstep", "handoff", points["handoff"]), ("floor", "list of names", points["list"])])


def strategies_plot(found):
    titles = {"none": "without faults", "all": "two faults at most"}
    groups = [(titles[faults], [("lockstep", name, samples) for name, samples in rates.items()]) for faults, rates in found.items()]
    return plots.bars("Executions per second by strategy", "fair-mutex with 3 contenders, one job", "executions per second", groups)


def strategies_table(found):
    return table(["strategy", "no faults", "two faults at most"],
                 [[f"`{name}`", *(spread(found[faults][name]) for faults in ("none", "all"))] for name in measure.STRATEGIES])


def first_bugs(text):
    """(lock, portfolio's median, its worst or None, medians of the other strategies)"""
    head, _, *lines = text.strip().splitlines()
    columns = [cell.strip() for cell in head.strip("|").split("|")]
    rows = []
    for each in lines:
        cells = dict(zip(columns, (cell.strip() for cell in each.strip("|").split("|"))))
        medians = {name: cells[name].split()[0] for name in measure.STRATEGIES}
        worst = cells["portfolio's worst"]
        if medians["portfolio"] == "-":
            sys.exit(f"the portfolio does not find {cells['lock']}")
        rows.append((cells["lock"], int(medians["portfolio"]), None if worst == "-" else int(worst),
                     [int(value) for name, value in medians.items() if name != "portfolio" and value != "-"]))
    return sorted(rows, key=lambda row: row[1])


def first_bug_plot(rows):
    return plots.dots("Executions to the first bug", "For each broken lock the median of 31 seeds", "blue: the median of portfolio, and a line to the worst"
                      " of 31 seeds; grey: medians of the other strategies", rows)


def figures_table(figures):
    """A figure that is measured once, or is the same in every turn, has no spread."""
    def shown(samples):
        return spread(samples) if quantity(min(samples)) != quantity(max(samples)) else quantity(samples[0])
    return table(["name", "value", "unit"], [[f"`{name}`", shown(found["samples"]), found["unit"]] for name, found in figures.items()])


def share_of_recipe(explorer, search):
    return statistics.median(explorer[search]["samples"]) / statistics.median(explorer["floor_recipe"]["samples"])


def exhaustive_table(rows):
    def title(faults):
        return f"one of these {len(measure.ONE_FAULT)}" if "," in faults else f"`{faults}`"
    return table(["faults", "traces", "final states", "executions", "s"],
                 [[title(faults), *(quantity(count) for count in counts), f"{seconds:.2f}"] for faults, *counts, seconds in rows])


def replace_table(page, head, by):
    """Replaces the table in that page whose first line begins with `head`."""
    text = page.read_text()
    start = text.index("\n" + head) + 1
    end = text.index("\n\n", start)
    page.write_text(text[:start] + by.strip() + text[end:])


def in_words(dates):
    first, last = min(dates), max(dates)
    return f"on {first}" if first == last else f"from {first} to {last}"


def write(parts):
    values = {name: part["data"] for name, part in parts.items()}
    conditions = [part["of"] for part in parts.values()]
    bugs = first_bugs(values["power"])
    at = conditions[0]["machine"]
    PICTURES.mkdir(exist_ok=True)
    for name, drawn in (("locks-quick-disk", locks_plot(values["quick_disk"], "not forced to the disk")),
                        ("locks-forced", locks_plot(values["forced"], "forced to the disk")),
                        ("contention", contention_plot(values["contention"])), ("handoff", handoff_plot(values["fake"])),
                        ("strategies", strategies_plot(values["strategies"])), ("first-bug", first_bug_plot(bugs))):
        (PICTURES / f"{name}.svg").write_text(drawn)
    PAGE.write_text(PAGE_TEXT.format(
        version=conditions[0]["version"], dates=in_words([of["date"] for of in conditions]), load=max(of["load"] for of in conditions),
        compiler=at["compiler"], cores=at["cores"], processor=at["processor"], memory=at["memory_gib"], system=at["system"],
        zookeeper=at["zookeeper"], curator=at["curator"], kazoo=at["kazoo"],
        turns=measure.TURNS, contender_turns=measure.CONTENDER_TURNS, executions=measure.EXECUTIONS,
        quick_disk=locks_table(values["quick_disk"]), forced=locks_table(values["forced"]), contention=contention_table(values["contention"]),
        fake=figures_table(values["fake"]), strategies=strategies_table(values["strategies"]), explorer=figures_table(values["explorer"]),
        of_recipe=share_of_recipe(values["explorer"], "search_fault_free"),
        of_recipe_faults=share_of_recipe(values["explorer"], "search_faults"),
        exhaustive=exhaustive_table(values["exhaustive"]), locks=len(bugs), half=bugs[len(bugs) // 2][1], most=bugs[len(bugs) * 9 // 10][1]))
    replace_table(BUGS, "| lock | known from |", values["power"])
    replace_table(README, "| locks per second |", locks_table(values["quick_disk"], LOCKS[:3]))


def kept():
    """The parts that were measured earlier, but those of an earlier format."""
    values = json.loads(VALUES.read_text()) if VALUES.exists() else {}
    return {name: part for name, part in values.items() if name in measure.PARTS and isinstance(part, dict) and "of" in part}


def measured(program, names):
    parts = kept()
    machine, version = measure.machine(), measure.printed(program, "--version").split()[-1]
    for number, name in enumerate(names):
        before = measure.quiet_load(patience_s=measure.OWN_LOAD_S if number else 0)
        began = time.monotonic()
        data = measure.PARTS[name](program)
        of = {"version": version, "machine": machine, "date": str(datetime.date.today()), "load": max(before, os.getloadavg()[0])}
        parts[name] = {"of": of, "data": data}
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        VALUES.write_text(json.dumps(parts, indent=1))
    return parts


def write_if_complete(parts, wanted):
    """Writes the page if all parts have the version and the machine of `wanted`, or of the part that was measured last."""
    wanted = wanted or max((part["of"] for part in parts.values()), key=lambda of: of["date"], default={})
    missing = sorted(name for name in measure.PARTS if name not in parts
                     or any(parts[name]["of"][what] != wanted[what] for what in ("version", "machine")))
    if missing:
        print(f"not measured for this version on this machine: {', '.join(missing)}", file=sys.stderr)
        return 1
    write(parts)
    return 0


def main(arguments):
    if arguments == ["--draw"]:
        return write_if_complete(kept(), None)
    program, *names = arguments or [""]
    if not os.access(program, os.X_OK) or not set(names) <= set(measure.PARTS):
        print("usage: tests/tables/numbers_page.py PROGRAM [PART...] | --draw\nparts: " + " ".join(measure.PARTS), file=sys.stderr)
        return 2
    names = names or list(measure.PARTS)
    parts = measured(str(pathlib.Path(program).resolve()), names)
    return write_if_complete(parts, parts[names[-1]]["of"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
