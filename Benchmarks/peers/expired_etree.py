#!/usr/bin/env python3
"""expired_etree.py YYYY.MM.DD CATALOGUE: print how many loans expired before that day.

With xml.etree.ElementTree of the standard library.
"""

import sys
import xml.etree.ElementTree as ElementTree


def main(today, path):
    events = ElementTree.iterparse(path, events=("start", "end"))
    _, root = next(events)
    expired = 0
    for event, element in events:
        if event == "end" and element.tag == "book":
            if element.findtext("expiration", default=today) < today:
                expired += 1
            # Without this the whole tree stays in memory.
            root.clear()
    print(expired)


if __name__ == "__main__":
    main(*sys.argv[1:])
