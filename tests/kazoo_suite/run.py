#!/usr/bin/env python3
"""run.py [--whole] (PROGRAM | --servers ADDRESS): runs kazoo's own tests against `PROGRAM serve`, or other servers.

The tests are those of Debian's python3-kazoo; without --whole, only those of sample.txt. Exit status 0 if all pass except those
of excused.txt, which the real server 3.8.0 does not pass at one address either."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
# Debian's packages belong to Debian's interpreter, which need not be the first in PATH.
PYTHON = "/usr/bin/python3"
TESTS = pathlib.Path("/usr/lib/python3/dist-packages/kazoo/tests")
# Other kinds of threads, which need more packages.
HANDLERS = ["test_eventlet_handler.py", "test_gevent_handler.py"]
# With a server that is not configured for SASL, kazoo repeats its first token for ever.
ENDLESS = ["test_sasl.py"]
LIMIT_S = 15  # Per test.


def lines_of(name):
    """The first word of each line."""
    lines = (HERE / name).read_text().splitlines()
    return [line.split()[0] for line in lines if line and not line.startswith("#")]


def outcomes(report):
    """{"test_lock.py::KazooLockTests::test_lock": "passed", ...}"""
    found = {}
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        module, _, name = case.get("classname").rpartition(".kazoo.tests.")[2].partition(".")
        test = "::".join(part for part in (module + ".py", name, case.get("name")) if part)
        bad = [child for child in case if child.tag in ("failure", "error")]
        skipped = case.find("skipped") is not None
        # Pytest counts the set-up and the tear-down of a test as separate cases.
        if bad or test not in found:
            found[test] = "failed" if bad else "skipped" if skipped else "passed"
    return found


def run_suite(servers, tests, scratch):
    report = pathlib.Path(scratch) / "report.xml"
    command = [PYTHON, "-m", "pytest", "-p", "one_address", "-p", "no:cacheprovider", "-q",
               "--timeout", str(LIMIT_S), f"--junitxml={report}",
               *(f"--ignore={TESTS / name}" for name in HANDLERS + ENDLESS),
               *(str(TESTS / test) for test in tests)]
    environment = dict(os.environ, LOCKSTEP_SERVERS=servers, PYTHONPATH=str(HERE), PYTHONDONTWRITEBYTECODE="1")
    log = pathlib.Path(scratch) / "log"
    with open(log, "w") as out:
        subprocess.run(command, cwd=scratch, env=environment, stdout=out, stderr=subprocess.STDOUT)
    if not report.exists():
        sys.exit(f"pytest has written no report:\n{log.read_text()[-3000:]}")
    return outcomes(report), log.read_text()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("--servers", metavar="ADDRESS")
    parser.add_argument("--whole", action="store_true")
    options = parser.parse_args()
    if (options.program is None) == (options.servers is None):
        parser.error("name either a program or the address of servers")
    excused = set(lines_of("excused.txt"))
    tests = [""] if options.whole else lines_of("sample.txt")
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        if options.servers:
            found, log = run_suite(options.servers, tests, scratch)
        else:
            command = [options.program, "serve", "--port", "0"]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serve:
                address = serve.stdout.readline().removeprefix("listening on ").strip()
                try:
                    found, log = run_suite(address, tests, scratch)
                finally:
                    serve.terminate()
            if serve.returncode != 0:
                sys.exit(f"{' '.join(command)}: exit status {serve.returncode}")

    by_outcome = {outcome: sorted(t for t, o in found.items() if o == outcome) for outcome in ("passed", "failed", "skipped")}
    seconds = time.monotonic() - started
    print(", ".join(f"{len(tests)} {outcome}" for outcome, tests in by_outcome.items()), f"in {seconds:.0f} s")
    for test in by_outcome["failed"]:
        print("excused" if test in excused else "FAILED", test)
    bad = set(by_outcome["failed"]) - excused
    if bad:
        print(log[-20000:])
    if bad or not by_outcome["passed"]:
        sys.exit(1)


main()
