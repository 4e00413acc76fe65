#!/usr/bin/env python3
"""Prints what rests on what: the targets of Package.swift, and the folders of the larger ones.

Fails if folders rest on each other in a circle; that targets do not, the compiler sees to.
`make lint` compares this with the graph in docs/architecture.md.
"""

import graphlib
import json
import pathlib
import re
import subprocess
import sys

LARGE = ["Runs", "CheckLoans"]
DECLARATION = re.compile(
    r"^(?:(?:package|public|final|indirect) )*(?:struct|enum|class|protocol|typealias) (\w+)", re.M)


def targets():
    """The targets of ours that each one depends on."""
    text = subprocess.check_output(["swift", "package", "dump-package"], text=True)
    targets = {
        target["name"]: {d["byName"][0] for d in target["dependencies"] if "byName" in d}
        for target in json.loads(text)["targets"]
        if any(pathlib.Path("Sources", target["name"]).rglob("*.swift"))
    }
    return {name: needed & targets.keys() for name, needed in targets.items()}


def folders(target):
    """The folders of a target whose types each one names."""
    text = {}
    for file in pathlib.Path("Sources", target).glob("*/*.swift"):
        code = re.sub(r"//.*", "", file.read_text())
        text[file.parent.name] = text.get(file.parent.name, "") + code
    words = {folder: set(re.findall(r"\w+", code)) for folder, code in text.items()}
    return {
        folder: {
            other for other in text
            if other != folder and not words[folder].isdisjoint(DECLARATION.findall(text[other]))
        }
        for folder in text
    }


def lines(graph, prefix=""):
    """A line for each node, after those that it rests on."""
    sorter = graphlib.TopologicalSorter({name: sorted(graph[name]) for name in sorted(graph)})
    for name in sorter.static_order():
        needed = ", ".join(sorted(graph[name]))
        yield f"{prefix}{name} <- {needed}".removesuffix(" <- ")


try:
    print("\n".join(lines(targets())))
    for target in LARGE:
        print("\n".join(lines(folders(target), f"{target}/")))
except graphlib.CycleError as error:
    sys.exit(f"rooms.py: these rest on each other: {' -> '.join(error.args[1])}")
