#!/usr/bin/env python3
"""peak.py FIGURE COMMAND…: run COMMAND and write its maximum resident set, in kilobytes, to FIGURE.

Stands in for GNU time where that is not installed.
"""

import os
import sys


def main():
    figure, *command = sys.argv[1:]
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    with open(figure, "w") as file:
        print(usage.ru_maxrss, file=file)
    code = os.waitstatus_to_exitcode(status)
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
