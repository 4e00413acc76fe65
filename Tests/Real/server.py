#!/usr/bin/python3
"""server.py FOLDER: an SMTP server on 127.0.0.1:2525 that keeps what it gets in FOLDER.

FOLDER/behaviour is read again for every command: `250` takes everything, `451` and `550` refuse
every recipient, `550 ADDRESS` this recipient or this sender, `slow` answers the next greeting after
15 seconds. Every recipient that is asked for is a line of FOLDER/tries, every message one of
FOLDER/received.
"""

import asyncio
import json
import pathlib
import sys

from aiosmtpd.controller import Controller

FOLDER = pathlib.Path(sys.argv[1])


def append(name, line):
    with open(FOLDER / name, "a", encoding="utf-8") as file:
        file.write(line + "\n")


def refusal(address):
    """The answer to an address that is refused, or None."""
    code, _, only = (FOLDER / "behaviour").read_text().strip().partition(" ")
    if code in ("451", "550") and only in ("", address):
        return f"{code} <{address}> is not taken"
    return None


class Handler:
    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        session.host_name = hostname
        if (FOLDER / "behaviour").read_text().strip() == "slow":
            (FOLDER / "behaviour").write_text("250\n")
            await asyncio.sleep(15)
        return responses

    async def handle_MAIL(self, server, session, envelope, address, options):
        # A behaviour without an address is about recipients.
        only = " " in (FOLDER / "behaviour").read_text()
        if only and (answer := refusal(address)):
            return answer
        envelope.mail_from = address
        return "250 taken"

    async def handle_RCPT(self, server, session, envelope, address, options):
        append("tries", address)
        if answer := refusal(address):
            return answer
        envelope.rcpt_tos.append(address)
        return "250 taken"

    async def handle_DATA(self, server, session, envelope):
        message = {
            "sender": envelope.mail_from,
            "recipients": envelope.rcpt_tos,
            "bytes": envelope.original_content.decode("latin-1"),
        }
        append("received", json.dumps(message))
        return "250 taken"


Controller(Handler(), hostname="127.0.0.1", port=2525).start()
(FOLDER / "ready").touch()
asyncio.new_event_loop().run_forever()
