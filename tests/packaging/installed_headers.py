#!/usr/bin/env python3
"""Checks the headers of an installation.

usage: installed_headers.py PREFIX

Every header of ours that an installed header includes must be installed. Every installed header under
internal/ must be included, perhaps indirectly, by one that users include. Whichever header comes first,
the check of the language version must precede all other code.
"""
import pathlib
import re
import sys

LANGUAGE = "lockstep/internal/language.h"
# These are also used without lockstep::async, which has that header.
ROOMS_WITHOUT_ASYNC = ("lockstep/wire/", "lockstep/intercept/", "lockstep/stacks/")


def complaints(includes):
    """Yields complaints; `includes` maps each header to our headers that it includes."""
    for header, included in includes.items():
        for other in included:
            if other not in includes:
                yield f"{header} includes {other}, which is not installed"
        if not included and header != LANGUAGE and not header.startswith(ROOMS_WITHOUT_ASYNC):
            yield f"{header} includes no header of ours, so it has to include {LANGUAGE}"

    reached = [header for header in includes if "/internal/" not in header]
    for header in reached:
        reached += [other for other in includes.get(header, []) if other not in reached]
    for header in sorted(set(includes) - set(reached)):
        yield f"no public header includes {header}: name it after KEPT in CMakeLists.txt"


def main():
    root = pathlib.Path(sys.argv[1]) / "include"
    includes = {
        str(file.relative_to(root)): re.findall(r'^#include "(lockstep/[^"]+)"', file.read_text(), re.M)
        for file in sorted(root.rglob("*.h"))
    }
    if not includes:
        sys.exit(f"no header under {root}")
    found = list(complaints(includes))
    print("\n".join(found) or f"{len(includes)} headers")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
