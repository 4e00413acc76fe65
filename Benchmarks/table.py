#!/usr/bin/env python3
"""table.py TITLE PEAKS HYPERFINE_JSON…: print what run.sh measured as one plain-text table.

The first command of each hyperfine file is what the others in it are compared with.
"""

import json
import sys
from collections import namedtuple

Row = namedtuple("Row", "name wall wall_ratio cpu_ratio peak is_reference")
Mark = namedtuple("Mark", "command label figure is_met")

HEADINGS = ("command", "wall median", "wall ratio", "CPU ratio", "peak MB", "first marks")

MARKS = (
    Mark("check-loans validate BIG", "CPU <= 1.4", "cpu_ratio", lambda value: value <= 1.4),
    Mark("check-loans validate BIG", "peak < 40 MB", "peak", lambda value: value < 40),
    Mark("check-loans validate FILES", "wall <= 1.3", "wall_ratio", lambda value: value <= 1.3),
    Mark("check-loans check BIG, first", "wall <= 4", "wall_ratio", lambda value: value <= 4),
    Mark("check-loans check BIG, first", "peak < 150 MB", "peak", lambda value: value < 150),
    Mark("check-loans validate books.xml", "wall <= 2", "wall_ratio", lambda value: value <= 2),
)


def read_peaks(path):
    """Peak memory by command name, from kilobytes of 1024 bytes to megabytes of 10^6."""
    with open(path, encoding="utf-8") as file:
        pairs = (line.rstrip("\n").split("\t") for line in file)
        return {name: int(kilobytes) * 1024 / 1e6 for name, kilobytes in pairs}


def read_rows(path, peaks):
    with open(path, encoding="utf-8") as file:
        results = json.load(file)["results"]
    reference = results[0]
    return [
        Row(
            name=result["command"],
            wall=result["median"],
            wall_ratio=ratio(result["median"], reference["median"]),
            cpu_ratio=ratio(cpu(result), cpu(reference)),
            peak=peaks[result["command"]],
            is_reference=result is reference,
        )
        for result in results
    ]


def cpu(result):
    """Mean CPU seconds of a run; hyperfine gives no median of them."""
    return result["user"] + result["system"]


def ratio(value, reference):
    return value / reference if reference > 0 else float("nan")


def duration(seconds):
    return f"{seconds:.2f} s " if seconds >= 1 else f"{seconds * 1000:.1f} ms"


def verdicts(row):
    if row.is_reference:
        return ""
    marks = (mark for mark in MARKS if mark.command == row.name)
    return ", ".join(
        f"{mark.label}: {'met' if mark.is_met(getattr(row, mark.figure)) else 'not met'}"
        for mark in marks
    )


def cells(row):
    return (
        row.name,
        duration(row.wall),
        f"{row.wall_ratio:.2f}",
        f"{row.cpu_ratio:.2f}",
        f"{row.peak:.1f}",
        verdicts(row),
    )


def aligned(lines):
    """Text columns (the first and the last) to the left, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    for first, *figures, last in lines:
        middle = (figure.rjust(width) for figure, width in zip(figures, widths[1:]))
        yield "  ".join((first.ljust(widths[0]), *middle, last)).rstrip()


def main():
    title, peaks_path, *paths = sys.argv[1:]
    peaks = read_peaks(peaks_path)
    rows = [row for path in paths for row in read_rows(path, peaks)]
    print(title, end="\n\n")
    print(*aligned([HEADINGS, *map(cells, rows)]), sep="\n")


if __name__ == "__main__":
    main()
