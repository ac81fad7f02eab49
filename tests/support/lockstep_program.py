"""Calls the lockstep program for the tests' scripts."""

import json
import pathlib
import subprocess
import sys


class ProgramFailed(Exception):
    """The program cannot be run, or answered with an error."""


def answer(program, *arguments):
    """Runs PROGRAM ARGUMENTS... --json and returns its answer.

    A violation (exit status 1) is an answer; any other status than 0 raises ProgramFailed.
    """
    command = [str(program), *map(str, arguments), "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise ProgramFailed(f"{program}: {error}") from None
    if done.returncode not in (0, 1):
        raise ProgramFailed(f"{' '.join(command)}: exit status {done.returncode}: "
                            f"{(done.stderr.strip() or done.stdout.strip())[-2000:]}")
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise ProgramFailed(f"{' '.join(command)}: no JSON: {error}") from None


def scenarios(program):
    """Returns the scenarios of `list --json`, at least one."""
    listed = answer(program, "list")["scenarios"]
    if not listed:
        raise ProgramFailed(f"{program} lists no scenario")
    return listed


def hunt(program, name, **options):
    """Returns the report of `hunt NAME --OPTION VALUE ...`; underscores in names become dashes."""
    arguments = []
    for option, value in options.items():
        arguments += ["--" + option.replace("_", "-"), value]
    return answer(program, "hunt", name, *arguments)


def oracle_of(report):
    """Returns the oracle of the report's violation; None without a violation."""
    return report["violation"]["oracle"] if report["violation"] else None


def exit_with(main):
    """Ends the script with main's exit status, or with 2 if the program fails."""
    try:
        sys.exit(main())
    except ProgramFailed as error:
        print(f"{pathlib.Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        sys.exit(2)
