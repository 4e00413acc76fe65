#!/usr/bin/env python3
"""report.py RESULTS_JSON: print the tables of a run of run.py, and write its pages and picture.

The pages of a whole run are docs/performance.md and Benchmarks/RESULTS.md; those of a smaller one
stay beside its results.
"""

import itertools
import json
import string
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

HERE = Path(__file__).resolve().parent

LOANS = 1_000_000
GROWTH = (10_000, 100_000, 1_000_000, 10_000_000)
HARD = ("TEXT", "SHORT", "DECOYS")
GROWING = ("xmllint --sax", "validate", "check, again")

SAX = "xmllint --sax --noout BIG"
VALIDATE = "check-loans validate BIG"
SMALL = "xmllint --noout books.xml"
REFERENCES = "xmllint --sax --noout REFERENCES"


def growth_name(program, loans):
    return f"{program}, {loans:,} loans"


# What was aimed at: a figure of `command`, divided by that of `reference` if there is one.
Aim = namedtuple("Aim", "series command figure reference at_most at_least", defaults=(None, None))


def hard_aim(kind):
    one_core = f"check-loans validate --jobs 1 {kind}"
    return Aim(kind, f"check-loans validate {kind}", "wall", one_core, 1.3)


def check_aims(name, most):
    command = f"check-loans check BIG, {name}"
    yield Aim("big", command, "wall", SAX, most)
    yield Aim("big", command, "peak", None, 110)


def mail_aim(channel):
    return Aim("mail", f"check-loans check --notify {channel} MANY", "peak", None, 128)


def growth_aims(program):
    large, small = (growth_name(program, loans) for loans in (GROWTH[-1], GROWTH[-2]))
    yield Aim("growth", large, "wall", small, 12)
    yield Aim("growth", large, "peak", None, 375)


AIMS = (
    Aim("big", VALIDATE, "wall", SAX, 0.95),
    Aim("big", VALIDATE, "peak", None, 60),
    Aim("big", "check-loans validate --jobs 1 BIG", "wall", SAX, 1.65),
    *check_aims("first", 2),
    *check_aims("again", 1.4),
    *check_aims("2% changed", 1.8),
    *check_aims("1% new, 1% gone, 2% renewed", 1.9),
    Aim("files", "check-loans validate FILES", "wall", VALIDATE, 1.3),
    Aim("small", "check-loans validate books.xml", "wall", SMALL, 3.5),
    Aim("small", "check-loans check books.xml, again", "wall", SMALL, 5.5),
    Aim("delivery", "check-loans check --notify stdout DUE", "wall", "check-loans check DUE", 3),
    *map(mail_aim, ("maildir:OUT", "mail")),
    *map(hard_aim, HARD),
    Aim("references", "check-loans validate REFERENCES", "wall", REFERENCES, 1.15),
    *growth_aims(GROWING[1]),
    *growth_aims(GROWING[2]),
)

FIGURES = {"wall": "wall", "cpu": "CPU", "peak": "peak"}


class Results:
    """The rows of a run: by series, in the order of measuring."""

    def __init__(self, path):
        self.all = json.loads(Path(path).read_text())
        self.rows = self.all["rows"]

    def of(self, *series):
        return [row for row in self.rows if row["series"] in series]

    def row(self, series, name):
        return next((row for row in self.of(series) if row["name"] == name), None)

    def to_first(self, row, figure):
        """The ratio to the first of a series, which the others in it take turns with."""
        return row["ratios"][figure] if row["ratios"] else 1

    def is_whole(self):
        return self.all["loans"] == LOANS and tuple(self.all["growth"]) == GROWTH


def ratio(value, reference):
    return value / reference if reference > 0 else float("nan")


def duration(seconds):
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"


def megabytes(peak):
    return f"{peak:.1f} MB"


def about(value):
    """Two digits of it, which is as much as another run would confirm."""
    return float(f"{value:.2g}")


def about_duration(seconds):
    seconds = about(seconds)
    return f"{seconds:g} s" if seconds >= 0.1 else f"{seconds * 1000:g} ms"


def about_megabytes(peak):
    return f"{about(peak):g} MB"


def count(number):
    return "" if number is None else f"{number:,}"


def code(name):
    command, comma, rest = name.partition(", ")
    return f"`{command}`{comma}{rest}"


def without_empty(table):
    """The columns of a table that hold more than their heading."""
    columns = [column for column in zip(*table) if any(column[1:])]
    return list(zip(*columns))


def measured(results, *series):
    """A table of what was measured in some series."""
    yield "command", "wall", "ratio", "CPU", "ratio", "peak", "expired", "runs"
    for row in results.of(*series):
        yield (
            code(row["name"]),
            duration(row["wall"]),
            f"{results.to_first(row, 'wall'):.2f}",
            duration(row["cpu"]),
            f"{results.to_first(row, 'cpu'):.2f}",
            megabytes(row["peak"]),
            count(row["expired"]),
            str(len(row["times"])),
        )


def grown(results, programs=GROWING, time=duration, memory=megabytes):
    figures = ("wall", "peak")
    yield ("loans", *(f"{program}: {figure}" for program in programs for figure in figures))
    for loans in results.all["growth"]:
        rows = [results.row("growth", growth_name(program, loans)) for program in programs]
        cells = ((time(row["wall"]), memory(row["peak"])) for row in rows)
        yield (count(loans), *(cell for pair in cells for cell in pair))


def aimed(results):
    yield "command", "aim", "measured", ""
    for aim in AIMS:
        value = value_of(aim, results)
        yield code(aim.command), sentence(aim), *verdict(aim, value)


def value_of(aim, results):
    row = results.row(aim.series, aim.command)
    if row is None or aim.reference is None:
        return row and row[aim.figure]
    reference = results.row(aim.series, aim.reference)
    if reference is None:
        return None
    if aim.series == "growth" or aim.figure == "peak":
        return ratio(row[aim.figure], reference[aim.figure])
    return ratio(*(results.to_first(each, aim.figure) for each in (row, reference)))


def sentence(aim):
    bound = f"at most {aim.at_most}" if aim.at_least is None else f"at least {aim.at_least}"
    unit = "MB" if aim.reference is None else f"× {code(aim.reference)}"
    return f"{FIGURES[aim.figure]} {bound} {unit}"


def verdict(aim, value):
    if value is None:
        return "", "not measured"
    shown = megabytes(value) if aim.reference is None else f"{value:.2f}"
    is_met = value <= aim.at_most if aim.at_least is None else value >= aim.at_least
    return shown, "met" if is_met else "not met"


def aligned(table, texts=1):
    """As plain text: the first columns to the left, the figures to the right."""
    lines = [[cell.replace("`", "") for cell in line] for line in table]
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        cells = zip(line, widths)
        left = [cell.ljust(width) for cell, width in itertools.islice(cells, texts)]
        yield "  ".join((*left, *(cell.rjust(width) for cell, width in cells))).rstrip()


def markdown(table, texts=1):
    headings, *lines = table
    yield f"| {' | '.join(headings)} |"
    yield f"|{'---|' * texts}{'---:|' * (len(headings) - texts)}"
    for line in lines:
        yield f"| {' | '.join(line)} |"


def tables(results):
    """What the page has a place for, and how many columns of it are text."""
    yield "aims", list(aimed(results)), 2
    for series in ("big", "files", "small", "delivery", "mail", "references"):
        yield series, without_empty(measured(results, series)), 1
    yield "hard", without_empty(measured(results, *HARD)), 1
    yield "growth", list(grown(results)), 1


def text(results):
    everything = results.all
    yield (
        f"BIG: {everything['loans']:,} loans, {everything['bytes'] / 1e6:.1f} MB; "
        f"DUE: {everything['notices']:,} notices"
    )
    for _, table, texts in tables(results):
        yield ""
        yield from aligned(table, texts)


def summary(results):
    """What the short page has in place of the tables."""

    def wall(series, name):
        return results.row(series, name)["wall"]

    def rate(channel):
        """Messages in a second."""
        seconds = wall("mail", f"check-loans check --notify {channel} MANY")
        return count(int(about(results.all["readers"] / seconds)))

    def of_big(name):
        return about_duration(wall("big", f"check-loans check BIG, {name}"))

    sizes = grown(results, GROWING[1:], about_duration, about_megabytes)
    return {
        "validate": about_duration(wall("big", VALIDATE)),
        "validate_peak": about_megabytes(results.row("big", VALIDATE)["peak"]),
        "xmllint": about_duration(wall("big", SAX)),
        "first": of_big("first"),
        "again": of_big("again"),
        "day": of_big("1% new, 1% gone, 2% renewed"),
        "small": about_duration(wall("small", "check-loans check books.xml, again")),
        "written": rate("maildir:OUT"),
        "handed": rate("mail"),
        "sizes": "\n".join(markdown(list(sizes))),
    }


def page(template, results, places):
    """A page, of a template and what is different in each run."""
    everything = results.all
    return string.Template((HERE / template).read_text()).substitute(
        places,
        **everything["machine"],
        date=everything["date"],
        loans=count(everything["loans"]),
        size=f"{everything['bytes'] / 1e6:.1f} MB",
        notices=count(everything["notices"]),
        readers=count(everything["readers"]),
    )


def draw(results, picture):
    """One block of figures for each program, as growth.gnuplot wants them."""
    with tempfile.NamedTemporaryFile("w", suffix=".dat") as data:
        for program in GROWING:
            print(f'"{program}"', file=data)
            for loans in results.all["growth"]:
                row = results.row("growth", growth_name(program, loans))
                print(loans, row["wall"], row["peak"], file=data)
            print("\n", file=data)
        data.flush()
        subprocess.run(["gnuplot", "-c", HERE / "growth.gnuplot", data.name, picture], check=True)


def main(path):
    results = Results(path)
    beside = Path(path).parent
    printed = "\n".join(text(results)) + "\n"
    (beside / "results.txt").write_text(printed)
    print(printed, end="")
    docs, here = (HERE.parent / "docs", HERE) if results.is_whole() else (beside, beside)
    shown = {name: "\n".join(markdown(table, texts)) for name, table, texts in tables(results)}
    for place, template, places in (
        (docs / "performance.md", "performance.md.in", summary(results)),
        (here / "RESULTS.md", "results.md.in", shown),
    ):
        place.write_text(page(template, results, places))
        print(f"wrote {place}", file=sys.stderr)
    draw(results, docs / "performance.svg")


if __name__ == "__main__":
    main(*sys.argv[1:])
