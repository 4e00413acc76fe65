#!/usr/bin/env python3
"""hard.py KIND RECORDS: write a catalogue that is hard to read in parallel to standard output.

TEXT is a single record with 9 MB of text, whatever RECORDS is; libxml2 takes 10 MB at most.
SHORT is RECORDS records with one byte of title each.
DECOYS has the size of a catalogue of RECORDS records, all of it inside a few records, in CDATA
sections and comments: whoever looks for the next `<book` from any byte finds one that is none.
REFERENCES is a usual catalogue of RECORDS records with an `&amp;` in each title.
"""

import datetime
import itertools
import sys

import generate

TEXT_BYTES = 9_000_000
SECTION_BLOCKS = 16
EXPIRATION = b"<expiration>2026.12.01</expiration>"


def text(_):
    words = itertools.repeat(b"word ", TEXT_BYTES // 5)
    return [b'<book id="bk1"><title>', *words, b"</title>", EXPIRATION, b"</book>\n"]


def short(records):
    for number in range(records):
        yield b'<book id="%d"><title>x</title>%b</book>\n' % (number, EXPIRATION)


def decoys(records):
    blocks = generate.blocks(records, seed=1, changed=0, exchanged=0, today=datetime.date(2026, 11, 21))
    next(blocks)
    hidings = itertools.cycle(((b"<summary><![CDATA[\n", b"]]></summary>"), (b"<!--\n", b"-->")))
    for number, (before, after) in enumerate(hidings):
        hidden = list(itertools.islice(blocks, SECTION_BLOCKS))
        if not hidden:
            return
        yield b'  <book id="true%d">\n    <title>True</title>\n    %b' % (number, before)
        yield from hidden
        yield b"%b\n    %b\n  </book>\n" % (after, EXPIRATION)


def references(records):
    blocks = generate.blocks(records, seed=1, changed=0, exchanged=0, today=datetime.date(2026, 11, 21))
    next(blocks)
    for block in itertools.takewhile(lambda block: block != b"</books>\n", blocks):
        yield block.replace(b"<title>", b"<title>Sense &amp; ")


KINDS = {"TEXT": text, "SHORT": short, "DECOYS": decoys, "REFERENCES": references}


def main(kind, records):
    output = sys.stdout.buffer
    output.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<books>\n')
    output.writelines(KINDS[kind](int(records)))
    output.write(b"</books>\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
