"""Writes iCalendar files, and prints the days of their events as recurring_ical_events has them.

calendars.py countries FOLDER        a file for each of some countries, by `holidays`
calendars.py random FOLDER SEED      40 files with recurring events that follow from the seed
calendars.py read FOLDER             the .ics files that are there

Prints a JSON object: the days from 2026 to 2027 by the name of the file.
"""

import datetime
import json
import pathlib
import random
import sys

import dateutil.rrule
import holidays
import holidays.ical
import icalendar
import recurring_ical_events

FIRST, LAST = datetime.date(2026, 1, 1), datetime.date(2027, 12, 31)
DAY = datetime.timedelta(days=1)
COUNTRIES = "AT AU BR CA CH CN CZ DE ES FR GB GR HU IL IN IT JP MX PL RU SE SK UA US ZA".split()


def days(data):
    """The days of the whole-day events of a calendar that are not cancelled."""
    days = set()
    calendar = icalendar.Calendar.from_ical(data)
    # One day more, since an event may be without an end, or may have one that is its start.
    for event in recurring_ical_events.of(calendar).between(FIRST - 400 * DAY, LAST + DAY):
        start = event["DTSTART"].dt
        if isinstance(start, datetime.datetime) or event.get("STATUS") == "CANCELLED":
            continue
        if "DTEND" in event:
            end = event["DTEND"].dt
        else:
            end = start + event["DURATION"].dt if "DURATION" in event else start
        end = end.date() if isinstance(end, datetime.datetime) else end
        # The last day, where it should be the day after it, is one day all the same.
        for distance in range(max((end - start).days, 1)):
            days.add(start + distance * DAY)
    return sorted(str(day) for day in days if FIRST <= day <= LAST)


def write_countries(folder):
    for country in COUNTRIES:
        calendar = holidays.country_holidays(country, years=[2026, 2027])
        data = holidays.ical.ICalExporter(calendar).generate().encode()
        (folder / f"{country}.ics").write_bytes(data)
        assert days(data) == sorted(str(day) for day in calendar), country


def rule(dice):
    """A recurrence rule without its end."""
    day = dice.choice(["MO", "TU", "WE", "TH", "FR", "SA", "SU"])
    month = dice.randint(1, 12)
    which = dice.choice([-2, -1, 1, 2, 3, 4])
    parts = dice.choice(
        [
            "FREQ=YEARLY",
            f"FREQ=YEARLY;BYMONTH={month};BYDAY={which}{day}",
            f"FREQ=YEARLY;BYDAY={which}{day};BYMONTH={month},{month % 12 + 1}",
            f"FREQ=YEARLY;BYMONTH={month};BYMONTHDAY={dice.randint(1, 31)}",
            f"FREQ=YEARLY;BYMONTH={month};BYDAY={day};BYMONTHDAY=2,3,4,5,6,7,8",
            f"FREQ=YEARLY;BYYEARDAY={dice.choice([-1, -100, 1, 60, 200, 366])}",
            f"FREQ=YEARLY;BYWEEKNO={dice.randint(1, 53)};BYDAY={day}",
            f"FREQ=YEARLY;BYDAY={which}{day}",
            f"FREQ=MONTHLY;BYDAY={which}{day}",
            f"FREQ=MONTHLY;BYMONTHDAY={dice.choice([-1, -5, 1, 13, 29, 30, 31])}",
            f"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS={dice.choice([-1, 1, 3])}",
            f"FREQ=WEEKLY;BYDAY={day}",
            f"FREQ=WEEKLY;WKST={dice.choice(['SU', 'MO'])};BYDAY=SU,{dice.choice(['MO', 'FR'])}",
            f"FREQ=DAILY;BYMONTH={month};BYDAY={day}",
            "FREQ=DAILY",
        ]
    )
    if dice.random() < 0.4:
        parts += f";INTERVAL={dice.randint(2, 40 if 'DAILY' in parts else 3)}"
    return parts


def date(day):
    return day.strftime("%Y%m%d")


def event(dice, number):
    """Lines of an event, and of those that take the place of occurrences of it."""
    start = datetime.date(dice.randint(2019, 2026), 1, 1) + dice.randrange(365) * DAY
    lines, occurrences = [], [start]
    if dice.random() < 0.8:
        recurrence = rule(dice)
        found = dateutil.rrule.rrulestr(recurrence, dtstart=at(start)).between(
            at(start), at(LAST), inc=True
        )
        if not found:
            return event(dice, number)
        # An event that does not begin with an occurrence means nothing.
        start = found[0].date()
        if dice.random() < 0.3:
            recurrence += f";COUNT={dice.randint(1, 30)}"
        elif dice.random() < 0.5:
            until = dice.choice(found).date()
            recurrence += ";UNTIL=" + date(until) + dice.choice(["", "T000000Z", "T235959Z"])
        found = dateutil.rrule.rrulestr(recurrence.replace("Z", ""), dtstart=at(start))
        occurrences = [day.date() for day in found.between(at(start), at(LAST), inc=True)]
        lines.append("RRULE:" + recurrence)
    length = dice.choice([1, 1, 1, 2, 3, 10])
    ends = [
        lambda start: [f"DTEND;VALUE=DATE:{date(start + length * DAY)}"],
        lambda start: [f"DURATION:P{length}D"],
        lambda start: [f"DTEND;VALUE=DATE:{date(start)}"],
        lambda start: [],
    ]
    end = dice.choice(ends)
    if dice.random() < 0.3:
        excluded = dice.sample(occurrences, min(len(occurrences), 2))
        lines.append("EXDATE;VALUE=DATE:" + ",".join(map(date, excluded)))
        occurrences = [day for day in occurrences if day not in excluded] or [start]
    if dice.random() < 0.2:
        added = [FIRST + dice.randrange(700) * DAY for _ in range(3)]
        lines.append("RDATE;VALUE=DATE:" + ",".join(map(date, sorted(set(added)))))
    lines += [f"DTSTART;VALUE=DATE:{date(start)}"] + end(start)
    dice.shuffle(lines)
    events = [lines]
    if dice.random() < 0.3 and len(occurrences) > 1:
        for replaced in dice.sample(occurrences, 2):
            moved = replaced + dice.randint(-20, 20) * DAY
            change = [f"RECURRENCE-ID;VALUE=DATE:{date(replaced)}", "SEQUENCE:1"]
            change += [f"DTSTART;VALUE=DATE:{date(moved)}"] + end(moved)
            if dice.random() < 0.3:
                change.append("STATUS:CANCELLED")
            events.append(change)
    for lines in events:
        lines += [f"UID:{number}@example.org", "SUMMARY:Ünnep\\, név " + "á" * dice.randrange(90)]
        lines += ["DTSTAMP:20260101T000000Z", "TRANSP:TRANSPARENT"]
    return events


def at(day):
    return datetime.datetime.combine(day, datetime.time())


def fold(dice, line):
    data, parts = line.encode(), []
    while len(data) > 75:
        size = dice.randint(20, 74)
        parts.append(data[:size])
        data = data[size:]
    return parts + [data]


def write_random(folder, seed):
    dice = random.Random(seed)
    for number in range(40):
        lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//example.org//EN"]
        events = [one for index in range(dice.randint(1, 4)) for one in event(dice, index)]
        dice.shuffle(events)
        for one in events:
            lines += ["BEGIN:VEVENT"] + one + ["END:VEVENT"]
        lines.append("END:VCALENDAR")
        end = dice.choice([b"\n", b"\r\n"])
        data = b"".join((end + dice.choice([b" ", b"\t"])).join(fold(dice, x)) + end for x in lines)
        (folder / f"{seed}-{number}.ics").write_bytes(data)


def main():
    kind, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if kind == "countries":
        write_countries(folder)
    if kind == "random":
        write_random(folder, int(sys.argv[3]))
    files = sorted(folder.glob("*.ics"))
    print(json.dumps({file.name: days(file.read_bytes()) for file in files}))


main()
