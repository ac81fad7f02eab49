#!/usr/bin/env python3
"""Checks that GCC and Clang name mistakes, with words that say what to do. (MisuseDeathTest and
ZookeeperBlockingDeathTest check mistakes that show only at run time, except one here that depends on how a
compiler makes coroutines.)

usage: run.py [COMPILER...]    by default g++ and clang++-19
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
INCLUDES = [f"-I{TOP / room / 'include'}" for room in ("core/async", "core/client", "core/locks")]
COROUTINE_MUST_RETURN_A_RESULT = "the coroutine has to return a Result"


# The sources that a program with tasks links.
SOURCES = [str(TOP / "core/async/src" / name) for name in ("check.cc", "exception_witness.cc", "frame_pool.cc", "task_set.cc")]


def compiled(compiler, source, *arguments):
    command = [compiler, "-std=c++23", "-Wall", "-Wextra", *INCLUDES, *arguments, str(HERE / source)]
    # Compilers print English only without a locale.
    return subprocess.run(command, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})


def expect(holds, what, output=""):
    if not holds:
        sys.exit(f"FAILED: {what}\n{output}")


def expected_warnings(compiler):
    """Returns by line the words that its warning must contain."""
    lines = (HERE / "forgotten.cc").read_text().splitlines()
    expected = {}
    for number, line in enumerate(lines, 1):
        mark = re.search(r'// (FORGOTTEN\w*) "(.*)"$', line)
        if mark and (mark[1] == "FORGOTTEN" or "clang" in compiler):
            expected[number] = mark[2]
    return expected


def check_forgotten(compiler):
    done = compiled(compiler, "forgotten.cc", "-fsyntax-only")
    expect(done.returncode == 0, f"{compiler}: forgotten.cc does not compile", done.stderr)
    found = {int(line): words for line, words in
             re.findall(r"forgotten\.cc:(\d+):\d+: warning: (.*-Wunused.*)", done.stderr)}
    expected = expected_warnings(compiler)
    expect(len(expected) >= 5, "forgotten.cc has no marks")
    for line, words in expected.items():
        expect(line in found, f"{compiler}: line {line} of forgotten.cc causes no warning", done.stderr)
        expect(words in found[line], f"{compiler}: line {line} does not say '{words}'", found[line])
    expect(found.keys() == expected.keys(), f"{compiler}: warnings on lines {sorted(found)}", done.stderr)
    print(f"{compiler}: {len(found)} forgotten results are named")


def check_ok(compiler):
    good = compiled(compiler, "ok_needs_a_result.cc", "-fsyntax-only", "-DRETURNS=Result<int>")
    expect(good.returncode == 0, f"{compiler}: ok() in a Task<Result<int>> does not compile", good.stderr)
    for returned in ("int", "void"):
        bad = compiled(compiler, "ok_needs_a_result.cc", "-fsyntax-only", f"-DRETURNS={returned}")
        errors = re.findall(r"error: (.*)", bad.stderr)
        expect(bad.returncode != 0, f"{compiler}: ok() in a Task<{returned}> compiles")
        expect(all(COROUTINE_MUST_RETURN_A_RESULT in error for error in errors),
               f"{compiler}: ok() in a Task<{returned}> has other errors", bad.stderr)
        expect(len(errors) == 1 or len(errors) == 3, f"{compiler}: {len(errors)} errors", bad.stderr)
    print(f"{compiler}: ok() in a coroutine without a Result is named")


def check_typical(compiler):
    rooms = ("backends/fake", "fakezk/server", "fakezk/search", "fakezk/judge", "property/lab")
    includes = [f"-I{TOP / room / 'include'}" for room in rooms]
    good = compiled(compiler, "typical.cc", "-fsyntax-only", *includes)
    expect(good.returncode == 0, f"{compiler}: typical.cc does not compile without a mistake", good.stderr)
    marks = re.findall(r'^#if MISTAKE == (\d+)  // "(.*)"$', (HERE / "typical.cc").read_text(), re.M)
    expect(len(marks) >= 5, "typical.cc has no marks")
    for number, words in marks:
        bad = compiled(compiler, "typical.cc", "-fsyntax-only", f"-DMISTAKE={number}", *includes)
        errors = re.findall(r"error: (.*)", bad.stderr) + [""]
        expect(words in errors[0], f"{compiler}: mistake {number} does not say '{words}' first", bad.stderr)
    print(f"{compiler}: {len(marks)} typical mistakes are named")


def build_and_run(compiler, source, *runs, arguments=SOURCES):
    """Builds a program and runs it with these arguments, one run each."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program"
        done = compiled(compiler, source, *arguments, "-o", str(program))
        expect(done.returncode == 0, f"{compiler}: {source} does not compile", done.stderr)
        return [subprocess.run([program, *run], capture_output=True, text=True) for run in runs]


def check_unchecked(compiler):
    [run] = build_and_run(compiler, "unchecked.cc", [], arguments=["-D_GLIBCXX_ASSERTIONS"])
    expect(run.returncode < 0, f"{compiler}: the value of an error was read")
    expect("_M_has_value" in run.stderr, f"{compiler}: the assertion is not named", run.stderr)
    print(f"{compiler}: the value of an error ends the program")


def check_destroyed_early(compiler):
    wrong, right = build_and_run(compiler, "destroyed_early.cc", [], ["in the right order"])
    expect(wrong.returncode < 0, f"{compiler}: a lock was destroyed before its task")
    expect("misuse: a Lock must outlive the tasks" in wrong.stderr, f"{compiler}: the lock is not named", wrong.stderr)
    expect(right.returncode == 0, f"{compiler}: a lock that outlives its task", right.stderr)
    print(f"{compiler}: a lock that is destroyed before its task is named")


def check_runs_off(compiler):
    if "clang" in compiler:
        warned = compiled(compiler, "runs_off.cc", "-fsyntax-only")
        expect("[-Wreturn-type]" in warned.stderr, f"{compiler}: a missing co_return is not named", warned.stderr)
        print(f"{compiler}: a coroutine that runs off its end causes a warning")
        return
    wrong, right = build_and_run(compiler, "runs_off.cc", [], ["with a result"])
    expect(wrong.returncode < 0, f"{compiler}: a task has ended without its result")
    expect("lacks a co_return" in wrong.stderr, f"{compiler}: the missing co_return is not named", wrong.stderr)
    expect(right.returncode == 0, f"{compiler}: a task with a result", right.stderr)
    print(f"{compiler}: a coroutine that runs off its end is named")


CHECKS = [check_forgotten, check_ok, check_typical, check_unchecked, check_destroyed_early, check_runs_off]
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as compilers:
    checks = [compilers.submit(check, compiler) for compiler in sys.argv[1:] or ["g++", "clang++-19"] for check in CHECKS]
    for each in checks:
        each.result()
