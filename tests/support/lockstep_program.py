"""The lockstep program as the scripts of the tests call it."""

import json
import subprocess


class ProgramFailed(Exception):
    """The program cannot be run, or answered with an error."""


def answer(program, *arguments):
    """Runs PROGRAM ARGUMENTS... --json and returns what it answered.

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
    """All scenarios of the program, as `list --json` shows them; at least one."""
    listed = answer(program, "list")["scenarios"]
    if not listed:
        raise ProgramFailed(f"{program} lists no scenario")
    return listed


def hunt(program, name, **options):
    """The report of `hunt NAME --OPTION VALUE ...`; an underscore in a name stands for a dash."""
    arguments = []
    for option, value in options.items():
        arguments += ["--" + option.replace("_", "-"), value]
    return answer(program, "hunt", name, *arguments)


def oracle_of(report):
    """The oracle that the report's violation breaks; None if there is no violation."""
    return report["violation"]["oracle"] if report["violation"] else None
