#!/usr/bin/python3
"""judge.py SYSTEM EXPECTED RECEIVED: compare what arrived with what a dry run had printed.

EXPECTED is the mbox of the dry run. RECEIVED is the file of server.py, or a folder with a folder in
the form Maildir for each user of example.org. Prints a line for each check, and ends with 1 if one
failed.
"""

import email
import email.policy
import email.utils
import json
import mailbox
import pathlib
import sys

BOUNCE = "bounce@example.org"
SENDER = "Városi Könyvtár"
# The due date, and words of the text, by address; the last of them where quotation marks are not taken.
READERS = {
    "eszter@example.org": ("2026. november 28.", "„Árvíztűrő tükörfúrógép” határideje 3 nap múlva"),
    "anna+books@example.org": ("2026. november 22.", "„Téli 📚🦉 mesék” határideje 3 napja lejárt"),
    "vadas@example.org": ("2026. november 26.", "„Evil Bcc: spy@example.org . From me” határideje holnap"),
    '"bela jr"@example.org': ("2026. november 14.", "„Abigél” határideje 11 napja lejárt"),
    "dot@example.org": ("2026. november 25.", "„.” határideje ma jár le"),
    "bela@example.org": ("2026. november 14.", "„Abigél” határideje 11 napja lejárt"),
}
HEADERS = ("Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "Content-Language")


def parse(data):
    return email.message_from_bytes(data, policy=email.policy.default)


def body(data):
    """The bytes after the header, without an empty line at the end, which mbox adds."""
    return data.partition(b"\n\n")[2].rstrip(b"\n")


def expected(path):
    """The messages of a dry run by address."""
    folder = mailbox.mbox(path, create=False)
    messages = [folder.get_bytes(key) for key in folder.keys()]
    return {address(parse(message)): message for message in messages}


def address(message):
    (one,) = message["To"].addresses
    return one.addr_spec


def received(path):
    """Sender, recipients and bytes of each message."""
    if path.is_file():
        for line in path.read_text().splitlines():
            entry = json.loads(line)
            data = entry["bytes"].encode("latin-1")
            # SMTP has other line breaks than Unix.
            yield entry["sender"], entry["recipients"], data.replace(b"\r\n", b"\n")
    elif path.is_dir():
        for user in sorted(path.iterdir()):
            if not (user / "Maildir").is_dir():
                continue
            for file in sorted((user / "Maildir" / "new").iterdir()):
                data = file.read_bytes()
                message = parse(data)
                sender = message["Return-Path"].strip("<>")
                yield sender, [message["Delivered-To"] or message["Envelope-To"]], data


def faults(sender, recipient, data, wanted):
    """What is wrong with a message."""
    message, model = parse(data), parse(wanted)
    end, words = READERS[recipient]
    if sender != BOUNCE:
        yield f"the envelope's sender is {sender}"
    for part in message.walk():
        if part.defects:
            yield f"{part.get_content_type()} has defects: {part.defects}"
    for name in HEADERS:
        if message.get_all(name) != model.get_all(name):
            yield f"{name} is {message.get_all(name)} instead of {model.get_all(name)}"
        if message[name].defects:
            yield f"{name} has defects: {message[name].defects}"
    for name in ("Bcc", "Cc"):
        if name in message:
            yield f"there is a header {name}"
    if message["Subject"] != f"1 visszahozandó könyv, határidő: {end}":
        yield f"the subject is {message['Subject']}"
    if message["From"].addresses[0].display_name != SENDER:
        yield f"the sender's name is {message['From']}"
    if address(message) != recipient:
        yield f"the recipient is {message['To']}"
    if words not in message.get_body(("plain",)).get_content():
        yield f"the text has no {words!r}"
    for kind in ("plain", "html"):
        parts = [each.get_body((kind,)).get_payload(decode=True) for each in (message, model)]
        if parts[0] != parts[1]:
            yield f"the part {kind} is another"
    if body(data) != body(wanted):
        yield "the body's bytes are others"


def main():
    system, models, path = sys.argv[1], expected(sys.argv[2]), pathlib.Path(sys.argv[3])
    counts = dict.fromkeys(models, 0)
    failed = False

    def say(is_good, words):
        nonlocal failed
        failed = failed or not is_good
        print("ok" if is_good else "FAILED", f"{system}: {words}", flush=True)

    say(len(models) == 5 and set(models) <= set(READERS), "a dry run has a message for each reader")
    for sender, recipients, data in received(path):
        if len(recipients) != 1 or recipients[0] not in models:
            say(False, f"a message has gone to {recipients}")
            continue
        recipient = recipients[0]
        counts[recipient] += 1
        found = list(faults(sender, recipient, data, models[recipient]))
        details = "".join(f"\n  {fault}" for fault in found)
        say(not found, f"{recipient} gets it as written{details}")
    for recipient, count in counts.items():
        if count != 1:
            say(False, f"{recipient} gets {count} messages")
    return failed


sys.exit(main())
