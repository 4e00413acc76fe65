#!/usr/bin/env python3
"""run.py PATH/TO/check-loans: measure it beside other readers of XML; README.md explains."""

import datetime
import json
import os
import platform
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from importlib import metadata
from pathlib import Path

import report

NOW = "2026-11-21T07:00"
TODAY = NOW[:10]
SEED = 1
SMALL_RUNS = 500
# So many runs of one command, then of the other, where two that are so short are compared.
SMALL_ROUND = 25
# What takes more seconds than SLOW is run no more than SLOW_RUNS times, and what takes fewer than
# QUICK is run so many times as often.
SLOW, SLOW_RUNS = 5, 3
QUICK, QUICK_FACTOR = 0.2, 5
# What BIG is changed by before it is read again.
CHANGES = {
    "2% changed": ("--changed", 2),
    "1% new, 1% gone, 2% renewed": ("--exchanged", 1, "--changed", 2),
}
# Of so many loans one is due for delivery: half have expired, some expire tomorrow.
LOANS_PER_NOTICE = 2.1

HERE = Path(__file__).resolve().parent
SMALL = HERE.parent / "books.xml"

NEEDED = {
    "xmllint": "libxml2-utils",
    "hyperfine": "hyperfine",
    "/usr/bin/time": "time",
    "xmlstarlet": "xmlstarlet",
    "gnuplot": "gnuplot-nox",
    "pkg-config": "pkg-config",
    "cc": "gcc",
    "c++": "g++",
}

Settings = namedtuple("Settings", "tool loans runs growth directory")

# How `expired` reads the number of expired loans out of what was printed; None if it is not there.
Command = namedtuple("Command", "name words prepare expired", defaults=(None, None))


def fail(message, status=1):
    print(f"bench: {message}", file=sys.stderr)
    sys.exit(status)


def run(words, **options):
    """Run what is not measured."""
    result = subprocess.run(list(map(str, words)), text=True, **options)
    if result.returncode != 0:
        fail(f"{shlex.join(map(str, words))}: status {result.returncode}")
    return result.stdout


def output_of(*words):
    return run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).strip()


class Meter:
    """Runs commands in series, and keeps what each took."""

    def __init__(self, settings, work):
        self.runs = settings.runs
        self.work = work
        self.rows = []
        self.expired = None

    def measure(self, series, command, beside=None, runs=None, at_once=1):
        """Run once for the output and the peak, then several times for the time.

        `beside` is the series' first command. It takes turns with the other, some runs `at_once`,
        since a machine is not equally fast for minutes, and their ratio is that of each turn.
        """
        print(f"measuring {command.name}", file=sys.stderr)
        seconds, peak, output = self.once(command)
        expired = self.agreed(command, output) if command.expired else None
        row = {"series": series, "name": command.name, "peak": peak, "expired": expired}
        self.rows.append({**row, "wall": 0, "cpu": 0, "times": [], "ratios": None})
        rounds = -(-(runs or self.runs_for(seconds)) // at_once)
        if beside is None:
            self.add(series, command, rounds * at_once)
            return
        turns = []
        for _ in range(rounds):
            reference = self.add(series, beside, at_once)
            result = self.add(series, command, at_once)
            turns.append((result["median"] / reference["median"], cpu(result) / cpu(reference)))
        wall, work = map(statistics.median, zip(*turns))
        self.rows[-1]["ratios"] = {"wall": wall, "cpu": work}

    def add(self, series, command, runs):
        """Adds timed runs to those of a command."""
        row = next(row for row in self.rows if (row["series"], row["name"]) == (series, command.name))
        result = self.timed(command, runs)
        known, new = len(row["times"]), len(result["times"])
        row["cpu"] = (row["cpu"] * known + cpu(result) * new) / (known + new)
        row["times"] += result["times"]
        row["wall"] = statistics.median(row["times"])
        return result

    def once(self, command):
        if command.prepare:
            run(command.prepare)
        figure, printed = self.work / "figure", self.work / "printed"
        metered = ["/usr/bin/time", "-q", "-f", "%M", "-o", figure, *command.words]
        start = time.monotonic()
        with open(printed, "w") as output:
            result = subprocess.run(
                list(map(str, metered)), stdout=output, stderr=subprocess.PIPE, text=True
            )
        seconds = time.monotonic() - start
        if result.returncode != 0:
            complaint = result.stderr.partition("\n")[0]
            fail(f'"{command.name}" exited with status {result.returncode}: {complaint}')
        return seconds, int(figure.read_text()) * 1024 / 1e6, printed

    def agreed(self, command, printed):
        """What the command found, which must be what the first one found that counts."""
        found = command.expired(printed)
        if self.expired is None:
            self.expired = found
        if found != self.expired:
            fail(f'"{command.name}" found {found} expired loans, not {self.expired}')
        return found

    def runs_for(self, seconds):
        if seconds > SLOW:
            return min(self.runs, SLOW_RUNS)
        return self.runs * QUICK_FACTOR if seconds < QUICK else self.runs

    def timed(self, command, runs):
        exported = self.work / "hyperfine.json"
        words = ["hyperfine", "-N", "--style", "basic", "--export-json", exported]
        words += ["--runs", runs, "--command-name", command.name]
        if command.prepare:
            words += ["--prepare", shlex.join(map(str, command.prepare))]
        run([*words, shlex.join(map(str, command.words))], stdout=subprocess.DEVNULL)
        return json.loads(exported.read_text())["results"][0]


def cpu(result):
    return result["user"] + result["system"]


class Bench:
    """The series of the bench, on files that it makes in `work` and leaves there."""

    def __init__(self, settings, work):
        self.tool = settings.tool
        self.loans = settings.loans
        self.growth = settings.growth
        self.work = work
        self.meter = Meter(settings, work)
        self.big = self.catalogue("BIG.xml", self.loans)

    def catalogue(self, name, loans, *options):
        path = self.work / name
        print(f"writing {name}, {loans:,} loans", file=sys.stderr)
        words = [HERE / "generate.py", loans, SEED, "--today", TODAY, "--output", path, *options]
        run([sys.executable, *words])
        # Or else it is written while something is timed.
        os.sync()
        return path

    def fresh_folder(self, name):
        folder = self.work / name
        folder.mkdir(mode=0o700)
        return folder

    def validate(self, name, path, *options):
        words = ["check-loans", "validate", *options, name]
        return Command(" ".join(words), [self.tool, "validate", *options, path])

    def check(self, name, path, state, *options, prepare=None):
        words = [self.tool, "check", "--state", state / "schedule.sqlite", "--now", NOW]
        return Command(f"check-loans check {name}", [*words, *options, path], prepare)

    def measure_big(self):
        commands = self.commands_on_big()
        reference = next(commands)
        self.meter.measure("big", reference)
        for command in commands:
            self.meter.measure("big", command, reference)

    def commands_on_big(self):
        big = self.big
        yield Command("xmllint --sax --noout BIG", ["xmllint", "--sax", "--noout", big])
        yield Command("xmllint --stream --noout BIG", ["xmllint", "--stream", "--noout", big])
        yield self.validate("BIG", big)
        yield self.validate("BIG", big, "--jobs", "1")
        state = self.fresh_folder("state")
        fresh = ["find", state, "-mindepth", "1", "-delete"]
        first = self.check("BIG, first", big, state, prepare=fresh)
        again = self.check("BIG, again", big, state)
        for command in (first, again):
            yield command._replace(expired=expired_in_summary)
        for number, (change, options) in enumerate(CHANGES.items()):
            yield self.check_changed(number, change, *options)
        for name, *words in self.peers():
            words += [TODAY.replace("-", "."), big]
            yield Command(f"{name} BIG", words, expired=expired_alone)

    def check_changed(self, number, change, *options):
        """Each run finds the schedule of BIG, and at BIG's place the catalogue after the change."""
        current, before = self.fresh_folder(f"current{number}"), self.work / f"before{number}"
        daily = self.work / f"daily{number}.xml"
        os.link(self.big, daily)
        command = self.check(f"BIG, {change}", daily, current)
        run(command.words, stdout=subprocess.DEVNULL)
        current.rename(before)
        os.replace(self.catalogue("changed.xml", self.loans, *options), daily)
        # What is left to be written of the copy would be written while the command syncs.
        restore = 'rm -rf -- "$2"; cp -a -- "$1" "$2"; sync -- "$2"/*'
        return command._replace(prepare=["sh", "-euc", restore, "restore", before, current])

    def peers(self):
        """Each peer's name and how it is called, cheapest first."""
        peers = HERE / "peers"
        sax2, pugixml = self.work / "expired_sax2", self.work / "expired_pugixml"
        libxml2 = output_of("pkg-config", "--cflags", "--libs", "libxml-2.0").split()
        run(["cc", "-O2", "-o", sax2, peers / "expired_sax2.c", *libxml2])
        run(["c++", "-O2", "-o", pugixml, peers / "expired_pugixml.cpp", "-lpugixml"])
        yield sax2.name, sax2
        yield pugixml.name, pugixml
        yield "expired_xmlstarlet.sh", peers / "expired_xmlstarlet.sh"
        for script in ("expired_etree.py", "expired_lxml.py"):
            yield script, sys.executable, peers / script

    def measure_files(self):
        folder = self.work / "files"
        run([sys.executable, HERE / "split.py", self.big, folder, 1000])
        os.sync()
        files = [self.tool, "validate", "--files-from", folder / "list"]
        together = self.validate("BIG", self.big)
        self.meter.measure("files", together)
        self.meter.measure("files", Command("check-loans validate FILES", files), together)
        shutil.rmtree(folder)

    def measure_small(self):
        state = self.fresh_folder("usual")
        # As on any day: with the time of the clock.
        words = [self.tool, "check", "--state", state / "schedule.sqlite", SMALL]
        check = Command("check-loans check books.xml, again", words)
        run(check.words, stdout=subprocess.DEVNULL)
        xmllint = Command("xmllint --noout books.xml", ["xmllint", "--noout", SMALL])
        self.meter.measure("small", xmllint, runs=SMALL_RUNS, at_once=SMALL_ROUND)
        for command in (self.validate("books.xml", SMALL), check):
            self.meter.measure("small", command, xmllint, runs=SMALL_RUNS, at_once=SMALL_ROUND)

    def measure_delivery(self):
        """Returns the number of notices."""
        due = self.catalogue("DUE.xml", int(self.loans / 10 * LOANS_PER_NOTICE))
        state = self.fresh_folder("due")
        fresh = ["find", state, "-mindepth", "1", "-delete"]
        silent = self.check("DUE", due, state, prepare=fresh)
        options = ("--notify", "stdout", "--backlog", "send")
        telling = self.check("--notify stdout DUE", due, state, *options, prepare=fresh)
        self.meter.measure("delivery", silent)
        self.meter.measure("delivery", telling, silent)
        run(fresh)
        return len(output_of(*telling.words).splitlines())

    def measure_mail(self):
        """Returns the number of readers, each with a loan that expires tomorrow."""
        readers = self.loans // 10
        many, few = self.readers("MANY.xml", readers), self.readers("FEW.xml", readers // 10)
        state, out = self.fresh_folder("mail"), self.fresh_folder("OUT")
        fresh = ["find", state, out, "-mindepth", "1", "-delete"]
        silent = self.check("MANY", many, state, prepare=fresh)
        self.meter.measure("mail", silent)
        options = ["--mail-from", "desk@example.org", "--mail-limit", readers]
        options += ["--mail-program", "true"]
        for channel, words in (("maildir:OUT", f"maildir:{out}"), ("mail", "mail")):
            for name, path in (("FEW", few), ("MANY", many)):
                command = self.check(
                    f"--notify {channel} {name}", path, state, "--notify", words, *options,
                    prepare=fresh,
                )
                self.meter.measure("mail", command, silent, runs=1)
                if channel != "mail":
                    written = len(os.listdir(out / "new"))
                    if written != (readers if name == "MANY" else readers // 10):
                        fail(f'"{command.name}" wrote {written} messages')
        run(fresh)
        return readers

    def readers(self, name, count):
        path = self.work / name
        tomorrow = datetime.date.fromisoformat(TODAY) + datetime.timedelta(days=1)
        with open(path, "w") as file:
            file.write("<books>\n")
            for number in range(count):
                file.write(
                    f'<book id="{number}"><title>Book {number}</title><borrower>Reader {number}'
                    f"</borrower><email>reader{number}@example.org</email>"
                    f"<expiration>{tomorrow:%Y.%m.%d}</expiration></book>\n"
                )
            file.write("</books>\n")
        os.sync()
        return path

    def hard(self, kind):
        path = self.work / f"{kind}.xml"
        with open(path, "wb") as file:
            run([sys.executable, HERE / "hard.py", kind, self.loans], stdout=file)
        os.sync()
        return path

    def measure_hard(self):
        for kind in report.HARD:
            path = self.hard(kind)
            alone = self.validate(kind, path, "--jobs", "1")
            together = self.validate(kind, path)
            if output_of(*alone.words) != output_of(*together.words):
                fail(f'"{together.name}" says something else than "{alone.name}"')
            self.meter.measure(kind, alone)
            self.meter.measure(kind, together, alone)
            path.unlink()

    def measure_references(self):
        path = self.hard("REFERENCES")
        xmllint = Command(report.REFERENCES, ["xmllint", "--sax", "--noout", path])
        self.meter.measure("references", xmllint)
        self.meter.measure("references", self.validate("REFERENCES", path), xmllint)
        path.unlink()

    def measure_growth(self):
        for loans in self.growth:
            path = self.catalogue("growing.xml", loans)
            state = self.fresh_folder("growing")
            check = self.check("again", path, state)
            run(check.words, stdout=subprocess.DEVNULL)
            xmllint = ["xmllint", "--sax", "--noout", path]
            commands = (Command("", xmllint), self.validate("", path), check)
            for name, command in zip(report.GROWING, commands):
                command = command._replace(name=report.growth_name(name, loans))
                self.meter.measure("growth", command)
            path.unlink()
            shutil.rmtree(state)


def expired_in_summary(printed):
    """From the last line of check-loans' report: `19008 loans, 9584 expired, …`."""
    with open(printed, "rb") as file:
        file.seek(max(0, printed.stat().st_size - 1000))
        summary = file.read().decode(errors="replace").splitlines()[-1]
    return int(re.search(r"(\d+) expired", summary)[1])


def expired_alone(printed):
    return int(printed.read_text())


def machine():
    """What the figures depend on, and nothing that tells whose machine it is."""
    cpu = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    libxml2 = int(re.search(r"libxml version (\d+)", output_of("xmllint", "--version"))[1])
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": cpu[1] if cpu else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": f"{memory / 1e9:.0f} GB",
        "system": platform.freedesktop_os_release()["PRETTY_NAME"],
        "libxml2": f"{libxml2 // 10000}.{libxml2 // 100 % 100}.{libxml2 % 100}",
        "lxml": metadata.version("lxml"),
        "python": platform.python_version(),
        "pugixml": output_of("pkg-config", "--modversion", "pugixml"),
        "xmlstarlet": output_of("xmlstarlet", "--version").splitlines()[0],
        "compiler": output_of("cc", "--version").splitlines()[0],
    }


def positive(name, text):
    if not re.fullmatch("[1-9][0-9]{0,7}", text) or int(text) > 10_000_000:
        fail(f'{name}: expected 1 to 10000000, found "{text}"', 64)
    return int(text)


def settings():
    if len(sys.argv) != 2:
        fail("usage: Benchmarks/run.py PATH/TO/check-loans", 64)
    tool = Path(sys.argv[1]).resolve()
    if not os.access(tool, os.X_OK) or not tool.is_file():
        fail(f"no program at {sys.argv[1]}: build it first")
    growth = os.environ.get("BENCH_GROWTH", " ".join(map(str, report.GROWTH))).split() or [""]
    return Settings(
        tool=tool,
        loans=positive("BENCH_LOANS", os.environ.get("BENCH_LOANS", "1000000")),
        runs=positive("BENCH_RUNS", os.environ.get("BENCH_RUNS", "5")),
        growth=tuple(positive("BENCH_GROWTH", loans) for loans in growth),
        directory=Path(os.environ.get("BENCH_DIR", ".build-bench")).resolve(),
    )


def check_needs(settings):
    for program, package in NEEDED.items():
        if not shutil.which(program):
            fail(f"{program} not found: install {package}")
    try:
        metadata.version("lxml")
    except metadata.PackageNotFoundError:
        fail(f"no lxml for {sys.executable}: install python3-lxml, or take another python3")
    needed = 500 * max(settings.growth) + 2000 * settings.loans
    free = shutil.disk_usage(settings.directory).free
    if free < needed:
        fail(f"expected {needed / 1e9:.1f} GB free in {settings.directory}, found {free / 1e9:.1f}")


def isolate(work):
    """The user's own settings would change what is measured."""
    for variable in list(os.environ):
        if variable.startswith("CHECK_LOANS_") or variable == "GITHUB_ACTIONS":
            del os.environ[variable]
    os.environ.update(TZ="UTC", XDG_CONFIG_HOME=str(work))


def measure(settings, work):
    isolate(work)
    bench = Bench(settings, work)
    bytes_of_big = bench.big.stat().st_size
    bench.measure_big()
    bench.measure_files()
    bench.measure_small()
    notices = bench.measure_delivery()
    readers = bench.measure_mail()
    bench.measure_hard()
    bench.measure_references()
    bench.measure_growth()
    return {
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
        "loans": settings.loans,
        "bytes": bytes_of_big,
        "growth": settings.growth,
        "notices": notices,
        "readers": readers,
        "rows": bench.meter.rows,
    }


def main():
    chosen = settings()
    chosen.directory.mkdir(parents=True, exist_ok=True)
    check_needs(chosen)
    with tempfile.TemporaryDirectory(prefix="work.", dir=chosen.directory) as work:
        results = measure(chosen, Path(work))
    path = chosen.directory / "results.json"
    path.write_text(json.dumps(results, indent=1) + "\n")
    report.main(path)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
