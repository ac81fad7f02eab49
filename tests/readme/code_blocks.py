#!/usr/bin/env python3
"""Writes the C++ and Python code of documents, and its output, to files for tests.

usage: code_blocks.py FOLDER TESTS DOCUMENT...

The C++ blocks of a document become FOLDER/STEM_1.inc and so on, where STEM is its name in lower case.
The #include lines of all its blocks go to FOLDER/STEM_includes.inc, since tests put each block into a
namespace. A block that begins with #include lines is a whole file, and also becomes FOLDER/STEM_N.cc. A
block ```python becomes FOLDER/STEM_N.py, with its own count. If a paragraph that ends with a colon and a
block without a language follow, that block is the program's output: STEM_N.out or STEM_N.py.out.

A C++ block or an output that no source in TESTS names is an error: a new block needs a test.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"^( *)```(cpp|python)\n(.*?)^ *```$", re.M | re.S)
INCLUDE = re.compile(r"^#include .*$", re.M)


def output_behind(text, end):
    """Returns the output of the block that ends there, if the document shows it."""
    lines = text[end:].split("\n")
    at, paragraph = 1, ""
    while at < len(lines):
        line = lines[at]
        if line.startswith("#") or line in ("```cpp", "```python"):
            return None
        if line.startswith("```"):
            closes = lines.index("```", at + 1)
            if line == "```":
                shown = "\n".join(lines[at + 1:closes]) + "\n"
                return shown if paragraph.endswith(":") else None
            at = closes
        elif line:
            paragraph = line
        at += 1
    return None


def files_of(document):
    """Yields the names and the texts of a document's files, and whether they need a test."""
    text, stem = document.read_text(), document.stem.lower()
    includes, counts = [], {"cpp": 0, "python": 0}
    for block in BLOCK.finditer(text):
        indent, language, code = block.groups()
        counts[language] += 1
        code = "".join(line.removeprefix(indent) for line in code.splitlines(keepends=True))
        name = f"{stem}_{counts[language]}" + (".py" if language == "python" else "")
        if language == "python":
            yield name, code, False
        else:
            line = text.count("\n", 0, block.start(3)) + 1
            yield f"{name}.inc", f'#line {line} "{document.name}"\n' + INCLUDE.sub("", code), True
            includes += INCLUDE.findall(code)
            if code.startswith("#include"):
                yield f"{name}.cc", f'#line {line} "{document.name}"\n{code}', False
        output = output_behind(text, block.end())
        if output is not None:
            yield f"{name}.out", output, True
    yield f"{stem}_includes.inc", "\n".join(sorted(set(includes))) + "\n", False


def main():
    folder, tests = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    sources = "".join(source.read_text() for source in sorted(tests.glob("*.cc")))
    files = [file for document in sys.argv[3:] for file in files_of(pathlib.Path(document))]
    for old in {path.name for path in folder.iterdir()} - {name for name, _, _ in files}:
        (folder / old).unlink()
    for name, text, _ in files:  # An unchanged file causes no compilation.
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    missing = [name for name, _, needs_test in files if needs_test and f'"{name}"' not in sources]
    if missing:
        sys.exit(f"no test in {tests} uses {', '.join(missing)}")


if __name__ == "__main__":
    main()
