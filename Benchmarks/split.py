#!/usr/bin/env python3
"""split.py CATALOGUE DIRECTORY RECORDS: cut what generate.py wrote into files of so many records.

Writes DIRECTORY/list, the paths of the files, one a line.
"""

import os
import sys

END = "  </book>\n"


def records(catalogue):
    """The records of a catalogue, each as the lines that generate.py gives it."""
    record = []
    for line in catalogue:
        if record or line.startswith("  <book "):
            record.append(line)
            if line == END:
                yield "".join(record)
                record = []


def main(catalogue, directory, size):
    os.makedirs(directory, exist_ok=True)
    paths, batch = [], []

    def write():
        if not batch:
            return
        path = os.path.join(directory, f"{len(paths):05}.xml")
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write('<?xml version="1.0" encoding="UTF-8"?>\n<books>\n')
            file.writelines(batch)
            file.write("</books>\n")
        paths.append(path)
        batch.clear()

    with open(catalogue, encoding="utf-8", newline="\n") as file:
        for record in records(file):
            batch.append(record)
            if len(batch) == size:
                write()
    write()
    with open(os.path.join(directory, "list"), "w", encoding="utf-8") as file:
        file.writelines(f"{path}\n" for path in paths)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
