#!/usr/bin/env python3
"""Compiles each C++ block with #include lines in the documents alone, as a reader would, with GCC and with
Clang, which also notices dropped results.

usage: alone.py BUILD

BUILD must have built readme_code. A fragment that uses names of the namespace gets a using directive; a
block that uses definitions of an earlier block of its document is compiled after that block.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys

USING = "using namespace lockstep;\nusing namespace std::chrono_literals;\n"


def command_of(build):
    """Returns the command that compiles a test of documents, without its precompiled header."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if "readme_tests.dir" in entry["command"]:
            words = shlex.split(entry["command"])
            words = words[: words.index("-o")]
            while "-include" in words:
                at = words.index("-include")
                del words[at:at + 2]
            return [word for word in words if word not in ("ccache", "-Winvalid-pch")], entry["directory"]
    sys.exit(f"{build} knows no readme_tests: configure it with -DLOCKSTEP_BUILD_TESTS=ON")


def numbered(path):
    return int(re.search(r"_(\d+)$", path.stem).group(1))


def sources(folder):
    """Yields a name and the text of a translation unit."""
    stems = sorted({re.sub(r"_\d+$", "", path.stem) for path in folder.glob("*.cc")})
    for stem in stems:
        before = ""
        for block in sorted(folder.glob(f"{stem}_*.cc"), key=numbered):
            code = block.read_text()
            is_program = stem == "readme"
            if is_program:
                yield block.stem, code
                continue
            before += re.sub(r"((?:^#[^\n]*\n|^\n)+)", lambda head: head.group(1) + USING, code, count=1, flags=re.M)
            yield block.stem, before


def for_clang(words):
    only_gcc = re.compile(r"-Wduplicated-cond|-Wlogical-op|-fno-semantic-interposition|-W(no-)?restrict|-Wno-subobject-linkage|--param=ggc-[a-z-]+=\d+")
    return ["clang++-19"] + [word for word in words[1:] if not only_gcc.fullmatch(word)]


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    words, directory = command_of(build)
    failed = []
    for name, text in sources(build / "tests" / "readme"):
        for compiler in (words, for_clang(words)):
            compiled = subprocess.run(compiler + ["-fsyntax-only", "-x", "c++", "-"], input=text, text=True,
                                      cwd=directory, capture_output=True)
            if compiled.returncode != 0:
                failed.append(f"{name} ({compiler[0]})")
                print(compiled.stderr)
    if failed:
        sys.exit(f"these do not compile alone: {', '.join(failed)}")


if __name__ == "__main__":
    main()
