#!/usr/bin/env python3
"""Installs a build, and builds the programs of README.md with the CMake lines below them.

usage: consumers.py BUILD

A program without such lines links the same as the one before it.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
BLOCK = re.compile(r"^```(cpp|cmake)\n(.*?)^```$", re.M | re.S)
HEAD = "cmake_minimum_required(VERSION 3.25)\nproject(readme CXX)\nset(CMAKE_CXX_STANDARD 23)\n"


def programs(text):
    """Yields each program and the CMake lines that belong to it."""
    blocks = [match.groups() for match in BLOCK.finditer(text)]
    lines = ""
    for (language, code), (next_language, next_code) in zip(blocks, blocks[1:] + [("", "")]):
        if language == "cpp":
            lines = next_code if next_language == "cmake" else lines
            yield code, lines


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        run("cmake", "--install", sys.argv[1], "--prefix", scratch / "installed")
        count = 0
        for code, lines in programs(README.read_text()):
            count += 1
            name = re.search(r"target_link_libraries\((\w+)", lines).group(1)
            project = scratch / str(count)
            project.mkdir()
            (project / "main.cc").write_text(code)
            (project / "CMakeLists.txt").write_text(HEAD + f"add_executable({name} main.cc)\n" + lines)
            run("cmake", "-G", "Ninja", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={scratch / 'installed'}")
            run("cmake", "--build", project / "build")
        print(f"{count} programs built")


if __name__ == "__main__":
    main()
