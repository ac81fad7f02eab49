#!/usr/bin/env python3
"""Builds lockstep with a profile of hunts, and compares it with the release build.

  tests/tables/profile.py [--jobs N] [--pairs N] [--executions N] [--built] RELEASE

RELEASE is the release build's lockstep. The preset `profile` is built twice in build/profile: first
to record a profile in some hunts, then with that profile and link-time optimisation. Its trace hashes
must equal those of RELEASE. The speed is measured in alternating pairs of hunts by processor time, so
that other programs on the machine matter less.

A profile fits one state of the sources: build again after a change. Exit status 0: the hashes
are equal, 1: they are not, or a build failed, 2: bad usage.
"""

import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "profile"
PROFILED = BUILD / "bin" / "lockstep"

# The hunts for the profile: usual ones, with coroutines and with fibers, and every schedule of a small scene.
TRAINING = ("fair-mutex --executions 60000",
            "fair-mutex --executions 60000 --faults none",
            "read-write-lock --executions 20000",
            "semaphore --executions 20000",
            "fair-mutex --executions 20000 --blocking",
            "fair-mutex --clients 3 --strategy exhaustive --faults cut,timer --fault-budget 1")
MEASURED = ("fair-mutex", "--faults", "all", "--seed", "7")


def run(*command, **options):
    print("+", *command, file=sys.stderr, flush=True)
    # The compiler's cache does not know the profile of an object.
    environment = {**os.environ, "CCACHE_DISABLE": "1"}
    done = subprocess.run([str(word) for word in command], env=environment, **options)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: exit status {done.returncode}")


def build(flags, jobs):
    run("cmake", "--preset", "profile", *flags, cwd=ROOT, stdout=sys.stderr)
    run("cmake", "--build", BUILD, "--target", "lockstep", "-j", jobs, stdout=sys.stderr)


def build_with_profile(jobs):
    for old in BUILD.rglob("*.gcda"):
        old.unlink()
    build(["-DCMAKE_CXX_FLAGS=-fprofile-generate -Wno-maybe-uninitialized",
           "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=OFF"], jobs)
    for hunt in TRAINING:
        run(PROFILED, "hunt", *hunt.split(), "--seed", "1", stdout=subprocess.DEVNULL)
    # The preset's flags must replace those of the command line above.
    (BUILD / "CMakeCache.txt").unlink()
    build([], jobs)


def processor_seconds(program, executions):
    def used():
        of_children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return of_children.ru_utime + of_children.ru_stime

    before = used()
    run(program, "hunt", *MEASURED, "--executions", executions, stdout=subprocess.DEVNULL)
    return used() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("release", metavar="RELEASE", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="of the builds")
    parser.add_argument("--pairs", type=int, default=3, metavar="N", help="of measured hunts")
    parser.add_argument("--executions", type=int, default=200_000, metavar="N", help="of each of them")
    parser.add_argument("--built", action="store_true", help="only compare")
    options = parser.parse_args()
    if not options.built:
        build_with_profile(options.jobs)
    run(sys.executable, ROOT / "tests" / "trace_hash.py", options.release, PROFILED)
    ratios = []
    for _ in range(options.pairs):
        release = processor_seconds(options.release, options.executions)
        profiled = processor_seconds(PROFILED, options.executions)
        ratios.append(release / profiled)
        print(f"release {release:.2f} s, profile {profiled:.2f} s: {release / profiled:.2f} times "
              "as fast", flush=True)
    print(f"median of {len(ratios)}: {statistics.median(ratios):.2f} times as fast; "
          f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
