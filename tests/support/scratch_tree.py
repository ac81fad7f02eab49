"""A copy of the tree, in which scripts edit the sources and build them."""

import contextlib
import pathlib
import shutil
import subprocess
import tempfile

from edits import Unusable

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
COPIED = ["CMakeLists.txt", "CMakePresets.json", "LICENSE", "core", "fakezk", "backends",
          "packaging", "property", "examples", "tests"]


class ScratchTree:
    """A directory that is kept is brought up to date: only what differs is written, so only that is
    compiled again."""

    def __init__(self, scratch, jobs):
        self.top, self.jobs = scratch / "tree", jobs
        self.program = self.top / "build/release/bin/lockstep"

    def update(self, edited=None):
        """Updates the copy; `edited` maps files to their text in it."""
        edited = edited or {}
        theirs = set()
        for name in COPIED:
            path = TOP / name
            for file in [path] if path.is_file() else sorted(path.rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    theirs.add(file.relative_to(TOP))
        for file in theirs:
            text = edited.get(str(file))
            self.write(file, (TOP / file).read_bytes() if text is None else text.encode())
        for name in COPIED:
            for file in (self.top / name).rglob("*"):
                if file.is_file() and file.relative_to(self.top) not in theirs:
                    file.unlink()

    def write(self, file, content):
        path = self.top / file
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def configure(self, with_zookeeper=False):
        # -w: an edit may leave something unused, and the result is not shipped.
        command = ["cmake", "--preset", "release", "-DLOCKSTEP_BUILD_TESTS=OFF",
                   f"-DLOCKSTEP_WITH_ZOOKEEPER={'ON' if with_zookeeper else 'OFF'}",
                   "-DCMAKE_CXX_FLAGS=-w"]
        done = subprocess.run(command, cwd=self.top, capture_output=True, text=True)
        if done.returncode:
            raise Unusable("cannot configure the copy of the tree: " + last_line(done.stderr))

    def build(self):
        """Builds the copy; returns the first error, or None."""
        command = ["cmake", "--build", "build/release", "--parallel", str(self.jobs), "--target",
                   "lockstep"]
        done = subprocess.run(command, cwd=self.top, capture_output=True, text=True)
        if done.returncode == 0:
            return None
        errors = [line for line in done.stdout.splitlines() if "error:" in line]
        return errors[0] if errors else last_line(done.stdout)


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no output"


@contextlib.contextmanager
def scratch_tree(kept, jobs):
    """Makes a copy in the directory `kept`, or in a temporary one that is removed afterwards."""
    if kept:
        yield ScratchTree(kept.resolve(), jobs)
        return
    made = tempfile.mkdtemp(prefix="lockstep-")
    try:
        yield ScratchTree(pathlib.Path(made), jobs)
    finally:
        shutil.rmtree(made)
