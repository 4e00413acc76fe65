#!/usr/bin/python3
"""Reads the calendars 0.ics, 1.ics, … of a directory with icalendar and with vobject, and writes what
both made of each beside it, as N.LIBRARY: the identity, the day, the summary, the description and the
location of each entry, each text ended by NUL.

usage: judge.py DIRECTORY COUNT
"""

import sys

import icalendar
import vobject


def by_icalendar(data):
    calendar = icalendar.Calendar.from_ical(data)
    assert not calendar.errors, calendar.errors
    texts = []
    for entry in calendar.subcomponents:
        assert not entry.errors, entry.errors
        day = (entry.get("dtstart") or entry["due"]).dt
        texts += [entry["uid"], day.strftime("%Y%m%d"), entry["summary"], entry["description"]]
        texts.append(entry.get("location", ""))
    return texts


def by_vobject(data):
    calendar = vobject.readOne(data.decode())
    texts = []
    for entry in calendar.components():
        day = (entry.dtstart if hasattr(entry, "dtstart") else entry.due).value
        texts += [entry.uid.value, day.strftime("%Y%m%d")]
        texts += [entry.summary.value, entry.description.value]
        texts.append(entry.location.value if hasattr(entry, "location") else "")
    return texts


def main():
    directory, count = sys.argv[1], int(sys.argv[2])
    for number in range(count):
        with open(f"{directory}/{number}.ics", "rb") as file:
            data = file.read()
        for library, read in (("icalendar", by_icalendar), ("vobject", by_vobject)):
            with open(f"{directory}/{number}.{library}", "wb") as file:
                file.write("".join(f"{text}\0" for text in read(data)).encode())


main()
