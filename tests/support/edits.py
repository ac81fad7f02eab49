"""Reads lists of small edits of the sources: those of tests/mutants and tests/repairs.

  [name]
  file: what is edited; begins an edit. An entry without one edits the file of the entry before
  - the exact text that is replaced; it occurs once in the file. Several lines are joined
  + its replacement; none: the text is left out. A `-` after a `+` begins another edit of the file

Classes derived from Entry read the other lines of a list, which describes them. Empty lines, and lines
that begin with #, are ignored.
"""

import re


class Unusable(Exception):
    """The list does not fit the sources, or the command line is wrong: nothing was checked."""


class Edit:
    def __init__(self, file):
        self.file = file
        self.removed, self.added = [], []

    def applied_to(self, text, whose):
        old, new = "\n".join(self.removed), "\n".join(self.added)
        found = text.count(old)
        if found != 1:
            raise Unusable(f"{whose}: its text occurs {found} times in {self.file}, not once:\n"
                           f"{old}")
        before, after = text.split(old)
        if not self.added and before.endswith("\n") and after.startswith("\n"):
            after = after[1:]  # Removed whole lines leave no empty line.
        return before + new + after


class Entry:
    """The lines under one [name]."""

    SOURCES = ()  # The folders with the files that it may edit.

    def __init__(self, name, line):
        self.name, self.line = name, line
        self.file = ""  # The last one named here, or in an entry before.
        self.edits = []

    def take_in(self, key, rest):
        """Reads one of its lines; returns false if it cannot."""
        if key == "file:" and rest.startswith(self.SOURCES):
            self.file = rest
            self.edits.append(Edit(rest))
        elif key == "-" and self.file:
            if not self.edits or self.edits[-1].added:
                self.edits.append(Edit(self.file))
            self.edits[-1].removed.append(rest)
        elif key == "+" and self.edits and self.edits[-1].removed:
            self.edits[-1].added.append(rest)
        else:
            return False
        return True

    def complete(self):
        return bool(self.edits) and all(edit.removed for edit in self.edits)

    def apply_to(self, texts, top):
        """Edits `texts`, which maps files to their present text; reads a missing file."""
        for edit in self.edits:
            if edit.file not in texts:
                if not (top / edit.file).is_file():
                    raise Unusable(f"{self.name}: there is no {edit.file}")
                texts[edit.file] = (top / edit.file).read_text()
            texts[edit.file] = edit.applied_to(texts[edit.file], f"{self.name}, line {self.line}")

    def applied(self, top):
        """Returns the text of its files after the edits."""
        texts = {}
        self.apply_to(texts, top)
        return texts


def read_list(path, make_entry):
    entries = []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        where = f"{path.name}:{number}"
        if not line or line.startswith("#"):
            continue
        heading = re.fullmatch(r"\[([a-z0-9-]+)\]", line)
        if heading:
            entries.append(make_entry(heading[1], number))
            if len(entries) > 1:
                entries[-1].file = entries[-2].file
        elif not entries:
            raise Unusable(f"{where}: before the first [name]")
        else:
            key, _, rest = line.partition(" ")
            if not entries[-1].take_in(key, rest):
                raise Unusable(f"{where}: cannot read: {line}")
    names = [entry.name for entry in entries]
    for entry in entries:
        if not entry.complete():
            raise Unusable(f"{path.name}:{entry.line}: '{entry.name}' is not complete")
        if names.count(entry.name) > 1:
            raise Unusable(f"{path.name}: two are called '{entry.name}'")
    return entries


def chosen(entries, names):
    """Returns the entries with these names; all entries if there are none."""
    by_name = {entry.name: entry for entry in entries}
    for name in names:
        if name not in by_name:
            raise Unusable(f"there is no '{name}'")
    return [by_name[name] for name in names] or entries
