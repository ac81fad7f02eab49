#!/usr/bin/env python3
"""Writes the C++ blocks of a document to files that tests include.

usage: code_blocks.py DOCUMENT FOLDER COUNT

The blocks become FOLDER/STEM_1.inc and so on, where STEM is the document's name in lower case. A
document with another number of blocks than COUNT is an error: a new block needs a test.
"""
import pathlib
import re
import sys


def main():
    document, folder, count = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    blocks = list(re.finditer(r"^```cpp\n(.*?)^```$", text := document.read_text(), re.M | re.S))
    if len(blocks) != count:
        sys.exit(f"{document} has {len(blocks)} blocks of C++, and tests/CMakeLists.txt knows {count}")
    folder.mkdir(parents=True, exist_ok=True)
    for number, block in enumerate(blocks, 1):
        line = text.count("\n", 0, block.start(1)) + 1
        name = f"{document.stem.lower()}_{number}.inc"
        (folder / name).write_text(f'#line {line} "{document.name}"\n{block.group(1)}')


if __name__ == "__main__":
    main()
