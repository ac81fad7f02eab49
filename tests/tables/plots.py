"""Plots as SVG, for light and dark pages: bars, curves and rows of dots, each with the spread of its samples."""

import math
import statistics
from xml.sax.saxutils import escape

WIDTH = 760
MARGIN = 20
# The colours of series by name, on light and dark pages. Each has a contrast of 3 to 1 with its page.
COLOURS = {"lockstep": ("#1f5fc4", "#6aa8ff"), "floor": ("#6e7781", "#9aa4af"),
           "curator": ("#b8500a", "#f0883e"), "kazoo": ("#0f766e", "#3fbfa8")}
STYLE = """
  .page { fill: #ffffff; stroke: #d1d9e0 } text { fill: #1f2328; font: 13px system-ui, -apple-system, "Segoe UI", sans-serif }
  .title { font-size: 15px; font-weight: 600 } .small { font-size: 11.5px } .quiet { fill: #59636e }
  .grid { stroke: #e3e7eb } .axis { stroke: #8c959f } .spread { stroke: #1f2328; stroke-width: 1.3 }
"""
DARK_STYLE = """
  .page { fill: #0d1117; stroke: #3d444d } text { fill: #f0f6fc } .quiet { fill: #9aa4af }
  .grid { stroke: #262c34 } .axis { stroke: #6e7781 } .spread { stroke: #f0f6fc }
"""


def quantity(value):
    if value >= 1000:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.3g}"


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def line(x1, y1, x2, y2, kind):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def picture(title, description, height, parts):
    """Returns the whole file; `description` describes the picture in words."""
    def rules(which):
        return " ".join(f".{name} {{ fill: {colour[which]}; stroke: {colour[which]} }}" for name, colour in COLOURS.items())
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" height="{height:.0f}" role="img">',
        f"<title>{escape(title)}</title>", f"<desc>{escape(description)}</desc>",
        f"<style>{STYLE}  {rules(0)} polyline {{ fill: none !important; stroke-width: 2.2 }}",
        f"  @media (prefers-color-scheme: dark) {{{DARK_STYLE}  {rules(1)} }}</style>",
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1:.0f}" rx="6" class="page"/>',
        text(MARGIN, 28, title, "title"), *parts, "</svg>", ""])


def ticks(largest):
    """Returns round values from 0 to beyond the largest."""
    step = 10 ** math.floor(math.log10(largest))
    for factor in (0.2, 0.25, 0.5, 1, 2):
        if largest / (step * factor) <= 6:
            step *= factor
            break
    return [step * i for i in range(math.ceil(largest / step) + 1)]


def powers(least, largest):
    """Returns the powers of ten around these values."""
    return [10 ** i for i in range(math.floor(math.log10(least)), math.ceil(math.log10(largest)) + 1)]


def bars(title, description, unit, groups):
    """groups: (name, [(colour, name, samples), ...]). A bar is a median, its whisker the least and the
    largest sample."""
    left, right, row, gap = 190, WIDTH - 90, 19, 16
    marks = ticks(max(max(samples) for _, rows in groups for _, _, samples in rows))
    scale = (right - left) / marks[-1]
    top = 48
    parts, y = [], top
    for group, rows in groups:
        parts.append(text(MARGIN, y + 13, group, "quiet"))
        y += 20
        # Grid lines end above the next group's name.
        parts += [line(left + mark * scale, y, left + mark * scale, y + row * len(rows), "grid" if mark else "axis") for mark in marks]
        for colour, name, samples in rows:
            middle, end = y + row / 2, left + statistics.median(samples) * scale
            parts.append(text(left - 8, middle + 4, name, "", "end"))
            parts.append(f'<rect x="{left}" y="{y + 2}" width="{end - left:.1f}" height="{row - 4}" rx="2" class="{colour}"/>')
            if len(samples) > 1:
                parts.append(line(left + min(samples) * scale, middle, left + max(samples) * scale, middle, "spread"))
            parts.append(text(max(end, left + max(samples) * scale) + 6, middle + 4, quantity(statistics.median(samples)), "small"))
            y += row
        y += gap
    legend = [text(left + mark * scale, y + 4, quantity(mark), "small quiet", "middle") for mark in marks]
    legend.append(text(right, y + 24, unit, "small quiet", "end"))
    return picture(title, description, y + 40, [*parts, *legend])


def apart(wanted, distance):
    """Returns these heights, moved until any two have at least that distance."""
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    placed = list(wanted)
    for before, after in zip(order, order[1:]):
        placed[after] = max(placed[after], placed[before] + distance)
    return placed


def curves(title, description, x_name, y_name, series, from_zero=False):
    """series: (colour, name, [(x, samples), ...]). The axis of x is logarithmic, that of y unless it begins at zero."""
    left, right, top, bottom = 72, WIDTH - 150, 62, 330
    every_x = sorted({x for _, _, points in series for x, _ in points})
    values = [value for _, _, points in series for _, samples in points for value in samples]
    marks = ticks(max(values)) if from_zero else powers(min(values), max(values))

    def across(x):
        return left + (right - left) * math.log(x / every_x[0]) / math.log(every_x[-1] / every_x[0])

    def up(value):
        share = value / marks[-1] if from_zero else math.log(value / marks[0]) / math.log(marks[-1] / marks[0])
        return bottom - (bottom - top) * share

    parts = [text(MARGIN, 50, y_name, "small quiet"), text(right, bottom + 36, x_name, "small quiet", "end")]
    for mark in marks:
        parts.append(line(left, up(mark), right, up(mark), "grid"))
        parts.append(text(left - 8, up(mark) + 4, quantity(mark), "small quiet", "end"))
    for x in every_x:
        parts.append(line(across(x), bottom, across(x), bottom + 4, "axis"))
        parts.append(text(across(x), bottom + 18, quantity(x), "small quiet", "middle"))
    ends = apart([up(statistics.median(points[-1][1])) for _, _, points in series], 16)
    for (colour, name, points), end in zip(series, ends):
        middle = [(across(x), up(statistics.median(samples))) for x, samples in points]
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in middle)
        parts.append(f'<polyline class="{colour}" points="{corners}"/>')
        for (x, y), (_, samples) in zip(middle, points):
            parts.append(line(x, up(min(samples)), x, up(max(samples)), colour))
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6" class="{colour}"/>')
        parts.append(text(right + 12, end + 4, name))
    return picture(title, description, bottom + 52, parts)


def dots(title, description, x_name, rows):
    """rows: (name, main value, largest value or None, other values), on a logarithmic axis."""
    left, right, top, row = 330, WIDTH - 30, 66, 14
    marks = powers(1, max(value for _, main, largest, others in rows for value in (main, largest or main, *others)))

    def across(value):
        return left + (right - left) * math.log(value) / math.log(marks[-1])

    bottom = top + row * len(rows)
    parts = [text(MARGIN, 50, x_name, "small quiet")]
    for mark in marks:
        parts += [line(across(mark), top - 4, across(mark), bottom, "grid"),
                  text(across(mark), bottom + 16, quantity(mark), "small quiet", "middle")]
    for number, (name, main, largest, others) in enumerate(rows):
        y = top + row * number + row / 2
        parts.append(text(left - 10, y + 4, name, "small", "end"))
        if largest:
            parts.append(f'<line x1="{across(main):.1f}" y1="{y}" x2="{across(largest):.1f}" y2="{y}" class="lockstep" opacity="0.45"/>')
        parts += [f'<circle cx="{across(other):.1f}" cy="{y}" r="2.2" class="floor" opacity="0.75"/>' for other in others]
        parts.append(f'<circle cx="{across(main):.1f}" cy="{y}" r="3.8" class="lockstep"/>')
    return picture(title, description, bottom + 32, parts)
