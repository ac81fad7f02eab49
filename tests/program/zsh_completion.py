#!/usr/bin/python3
"""Checks that zsh completes command lines of lockstep with the output of `lockstep completion zsh`.

usage: zsh_completion.py PROGRAM
"""
import os
import pathlib
import pty
import select
import subprocess
import sys
import tempfile
import time

SECONDS = 60
# Typed text, and the result of one completion. Zsh removes an "=" or "," at the end when a blank follows.
CASES = {
    "lockstep hu": "lockstep hunt ",
    "lockstep --ver": "lockstep --version ",
    "lockstep hunt zoo-01": "lockstep hunt zoo-01-wait-after-missing-predecessor ",
    "lockstep hunt fair-mutex --strat": "lockstep hunt fair-mutex --strategy=",
    "lockstep hunt fair-mutex --strategy ex": "lockstep hunt fair-mutex --strategy exhaustive ",
    "lockstep hunt fair-mutex --strategy=ex": "lockstep hunt fair-mutex --strategy=exhaustive ",
    "lockstep hunt fair-mutex --faults cut,exp": "lockstep hunt fair-mutex --faults cut,expiry,",
    "lockstep hunt fair-mutex --html /etc/debian_ver": "lockstep hunt fair-mutex --html /etc/debian_version ",
    "lockstep bench re": "lockstep bench real ",
    "lockstep completion z": "lockstep completion zsh ",
    "lockstep merge /etc/debian_ver": "lockstep merge /etc/debian_version ",
    "lockstep lock /backup -- sha256su": "lockstep lock /backup -- sha256sum ",
}
# Writes the completed line to a file, which is easier to read than a terminal.
SETTINGS = """
PS1='> '
fpath=({folder} $fpath)
autoload -Uz compinit
compinit -u -D
finish() {{ zle complete-word; print -r -- "$BUFFER|" >>{folder}/completed; BUFFER= }}
zle -N finish
bindkey '^X' finish
print -n >{folder}/completed
"""


def wait_for(terminal, holds):
    """Reads the terminal, so that zsh goes on, until `holds` returns true."""
    until = time.monotonic() + SECONDS
    shown = b""
    while not holds():
        if time.monotonic() > until:
            sys.exit(f"zsh has not answered in {SECONDS} s; it shows {shown!r}")
        if select.select([terminal], [], [], 0.05)[0]:
            shown += os.read(terminal, 4096)


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "_lockstep").write_bytes(
            subprocess.run([program, "completion", "zsh"], check=True, capture_output=True).stdout)
        (folder / ".zshrc").write_text(SETTINGS.format(folder=folder))
        completed = folder / "completed"
        child, terminal = pty.fork()
        if child == 0:
            os.execvpe("zsh", ["zsh", "-i"], {"ZDOTDIR": name, "PATH": os.environ["PATH"], "TERM": "xterm"})
        wait_for(terminal, completed.exists)
        for count, line in enumerate(CASES, 1):
            os.write(terminal, line.encode() + b"\x18")
            wait_for(terminal, lambda: completed.read_text().count("\n") == count)
        os.close(terminal)
        os.waitpid(child, 0)
        found = [line.removesuffix("|") for line in completed.read_text().splitlines()]
    wrong = [f"{line!r} becomes {got!r}, not {expected!r}"
             for (line, expected), got in zip(CASES.items(), found) if got != expected]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"zsh completes {len(found)} lines")


main()
