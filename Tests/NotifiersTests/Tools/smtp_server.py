"""A mail server for a test: it writes the port it listens on to the file `port` of a directory, and each
message it accepts to `0.eml`, `1.eml`, … with the recipients in `0.to`, `1.to`, …

usage: smtp_server.py DIRECTORY accept|sender|recipient|data|slow [REPLY]
       REPLY is what it says to the sender, the recipient or the message.
"""

import asyncio
import os
import pathlib
import sys

from aiosmtpd.smtp import SMTP

folder, mode, *reply = sys.argv[1:]
folder = pathlib.Path(folder)


class Handler:
    count = 0

    async def handle_MAIL(self, server, session, envelope, address, options):
        if mode == "sender":
            return reply[0]
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if mode == "recipient":
            return reply[0]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if mode == "data":
            return reply[0]
        if mode == "slow":
            await asyncio.sleep(60)
        content = envelope.original_content.replace(b"\r\n", b"\n")
        (folder / f"{self.count}.eml").write_bytes(content)
        people = [envelope.mail_from, *envelope.rcpt_tos]
        (folder / f"{self.count}.to").write_text("\n".join(people))
        self.count += 1
        return "250 OK"


async def main():
    handler = Handler()
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(handler, enable_SMTPUTF8=True, hostname="localhost"), "127.0.0.1", 0)
    (folder / "port.new").write_text(str(server.sockets[0].getsockname()[1]))
    os.rename(folder / "port.new", folder / "port")
    await asyncio.sleep(600)


asyncio.run(main())
