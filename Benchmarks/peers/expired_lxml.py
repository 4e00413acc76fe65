#!/usr/bin/env python3
"""expired_lxml.py YYYY.MM.DD CATALOGUE: print how many loans expired before that day, with lxml."""

import sys

from lxml import etree


def main(today, path):
    expired = 0
    for _, book in etree.iterparse(path, tag="book"):
        if book.findtext("expiration", default=today) < today:
            expired += 1
        # Without this the whole tree stays in memory.
        book.clear(keep_tail=True)
        while book.getprevious() is not None:
            del book.getparent()[0]
    print(expired)


if __name__ == "__main__":
    main(*sys.argv[1:])
