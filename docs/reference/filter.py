#!/usr/bin/env python3
"""Filters a header for Doxygen: the house writes `//`, and Doxygen reads `///`.

usage: filter.py HEADER

A comment above a declaration or after it becomes documentation, without markup: indented lines
(examples, tables of errors) stay as they are. A comment documents all functions of the paragraph below it,
up to the next blank line, as it does for readers, but not what only returns a part of an object.
"""
import re
import sys

COMMENT = re.compile(r"^(\s*)//( ?)(.*)$")
TRAILING = re.compile(r"^(.*\S)(\s+)// (.*)$")
DIVIDER = re.compile(r"^-{3,}")
LINT = re.compile(r"(?:NOLINT|NOLINTNEXTLINE)(?:\([^)]*\))?(?:: .*)?$")


def plain(text):
    """Text without a meaning for Doxygen, but with code in backticks."""
    text = re.sub(r"([\\@<>&#%\"*_~|])", lambda match: ESCAPES.get(match.group(1), match.group(1)), text)
    return re.sub(r"`([^`]+)`", r"<tt>\1</tt>", text)


ESCAPES = {"\\": "\\\\", "@": "\\@", "<": "\\<", ">": "\\>", "&": "\\&", "#": "\\#", "%": "\\%", '"': '\\"'}


def block(lines):
    """The lines of one comment as documentation."""
    if not lines:
        return []
    written, verbatim = [], False
    for at, (indent, text) in enumerate(lines):
        indented = text.startswith("  ") or (verbatim and not text.strip() and at + 1 < len(lines)
                                             and lines[at + 1][1].startswith("  "))
        mark = "@verbatim " if indented and not verbatim else ""
        if verbatim and not indented:
            written[-1] += " @endverbatim"
        written.append(indent + mark + (text.replace("*/", "* /") if indented else plain(text)))
        verbatim = indented
    if verbatim:
        written[-1] += " @endverbatim"
    written[0] = f"{lines[0][0]}/** {written[0].lstrip()}"
    written[-1] += " */"
    return written


def filtered(source):
    written, comment, trailing_column = [], [], None
    for line in source:
        alone = COMMENT.match(line)
        if alone and trailing_column == len(alone.group(1)):
            written.append(f"{alone.group(1)}///< {plain(LINT.sub('', alone.group(3)))}")
            continue
        trailing_column = None
        if alone and not line.lstrip().startswith("///"):
            text = LINT.sub("", alone.group(3))
            comment.append((alone.group(1), "" if DIVIDER.match(text) else alone.group(2)[1:] + text))
            continue
        written += block(comment)
        comment = []
        behind = TRAILING.match(line)
        if behind and not line.lstrip().startswith(("#", "}")) and '"' not in behind.group(3):
            text = LINT.sub("", behind.group(3))
            trailing_column = len(behind.group(1)) + len(behind.group(2))
            line = f"{behind.group(1)}{behind.group(2)}///< {plain(text)}" if text.strip() else behind.group(1)
        written.append(line)
    return written + block(comment)


def depth_after(line, depth):
    """The depth of braces behind a line of code."""
    code = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|//.*', "", line)
    return depth + code.count("{") - code.count("}")


def ends_declaration(line):
    return re.sub(r"\s*///<.*", "", line).rstrip().endswith((";", "}"))


def is_part(line):
    """Whether a declaration is a variable, or only returns a part of its object."""
    line = re.sub(r"\s*///<.*", "", line)
    return "(" not in line or re.search(r"\w+\(\) const\b", line) is not None


def grouped(lines):
    """Puts the functions that one comment documents into a group: those below it without a blank line."""
    written, at, depth = [], 0, 0
    while at < len(lines):
        if not lines[at].lstrip().startswith("/** "):
            depth = depth_after(lines[at], depth)
            written.append(lines[at])
            at += 1
            continue
        begin = at
        while not lines[at].endswith("*/"):
            at += 1
        at += 1
        comment_ends, inner, declarations, starts = at, depth, [], True
        while at < len(lines) and lines[at].strip() and not re.match(r"\s*(public|private|protected):", lines[at]):
            if inner == depth and lines[at].lstrip().startswith("/** "):
                break
            after = depth_after(lines[at], inner)
            if after < depth:
                break
            if starts and inner == depth and not re.match(r"\s*(template|requires)\b", lines[at]):
                declarations.append(lines[at])
                starts = False
            inner = after
            starts = starts or (inner == depth and ends_declaration(lines[at]))
            at += 1
        if len(declarations) > 1 and inner == depth and not any(map(is_part, declarations)):
            written += ["///@{", *lines[begin:at], "///@}"]
        else:
            written += lines[begin:comment_ends]
            at = comment_ends
    return written


def main():
    with open(sys.argv[1], encoding="utf-8") as header:
        print("\n".join(grouped(filtered(header.read().splitlines()))))


if __name__ == "__main__":
    main()
