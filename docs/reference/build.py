#!/usr/bin/env python3
"""Writes the API reference, and fails if a public entity has no words.

usage: build.py FOLDER

Doxygen writes FOLDER/html. An entity has words if there is a comment of its own, if it stands in the
paragraph below one (filter.py), or if the comment of its class names it, as that of a recipe names
acquire(). Besides, these need none in a class that has a comment:
  - what only holds or returns a part of it: variables, types, and functions that are const and take
    nothing
  - what follows a protocol: overriders, assignments, awaiting, RapidCheck's functions
Everything else that Doxygen misses is printed.
"""
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
UNDOCUMENTED = re.compile(r"^(?P<file>[^:]+):\d+: warning: (?:Member|Compound) (?P<name>[^\n]*?)(?: \((?P<kind>[\w ]+)\) of "
                          r"(?:class|struct|namespace|file|union|concept) (?P<of>.+?))? is not documented\.$")

PROTOCOL = re.compile(r"^operator|^await_|^arbitrary\(|^showValue\(|\b(?:override|final)$|^promise_type$|^Awaiter$")
ACCESSOR = re.compile(r"^\w+\(\) const(?: noexcept)?$")
# Doxygen 1.9 does not understand a specialisation and a friend in these lines.
NOT_UNDERSTOOD = re.compile(r"scope for class std::is_error_code_enum|no matching class member found for|TaskPromiseBase|"
                            r"^Possible candidates:|^$")


def comment_above(header, name):
    """The comment above that class."""
    found = re.search(rf"((?:^ *//[^\n]*\n)+)(?: *template [^\n]*\n)?(?: *requires [^\n]*\n)? *(?:class|struct|enum class) "
                      rf"(?:\[\[[^\]]*\]\]\s+)?{re.escape(name)}\b", header, re.M)
    return found.group(1) if found else ""


def needs_no_words(warning):
    """Whether the class of that member says enough."""
    if not warning.group("of"):
        return False
    member, kind = warning.group("name"), warning.group("kind")
    owner = warning.group("of").split("<")[0].split("::")[-1]
    if PROTOCOL.search(member) or "<" in warning.group("of"):
        return True  # What holds of an instance was said of its template.
    comment = comment_above((TOP / warning.group("file")).read_text(), owner)
    if not comment:
        return False
    word = re.match(r"~?\w+", member).group(0)
    return (kind in ("variable", "typedef") or ACCESSOR.search(member) is not None
            or word in (owner, "~" + owner) or re.search(rf"\b{re.escape(word)}\b", comment) is not None)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    settings = (TOP / "docs/reference/Doxyfile").read_text() + f"\nOUTPUT_DIRECTORY = {folder}\n"
    ran = subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=TOP, capture_output=True)
    missing = []
    for line in ran.stderr.splitlines():
        line = line.replace(f"{TOP}/", "")
        if NOT_UNDERSTOOD.search(line):
            continue
        warning = UNDOCUMENTED.match(line)
        if not warning or not needs_no_words(warning):
            missing.append(line)
    print("\n".join(missing))
    if missing or ran.returncode != 0:
        sys.exit(f"{len(missing)} findings")


if __name__ == "__main__":
    main()
