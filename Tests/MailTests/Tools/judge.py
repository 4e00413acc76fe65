"""Reads the messages 0.eml, 1.eml, … of a directory with Python's email package, and writes what it
made of each beside it: N.headers (subject, names and addresses, each ended by NUL), N.text, N.html.
Prints what is defective.

usage: judge.py DIRECTORY COUNT
"""

import email
import email.header
import email.policy
import email.utils
import pathlib
import sys

folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
for number in range(count):
    path = folder / f"{number}.eml"
    try:
        message = email.message_from_bytes(path.read_bytes(), policy=email.policy.strict)
        old = email.message_from_bytes(path.read_bytes())
        fields = [str(message["subject"])]
        for name in ("from", "to", "reply-to"):
            (address,) = message[name].addresses
            # Python's newer way to read a name puts spaces between its encoded words, the older does not.
            words, _ = email.utils.parseaddr(old[name])
            fields += [
                str(email.header.make_header(email.header.decode_header(words))), address.addr_spec]
        for name, value in message.items():
            for defect in value.defects:
                print(f"{number}: {name}: {defect!r}")
        parts = list(message.walk())
        for part in parts:
            for defect in part.defects:
                print(f"{number}: {defect!r}")
        kinds = [part.get_content_type() for part in parts]
        if kinds != ["multipart/alternative", "text/plain", "text/html"]:
            print(f"{number}: its parts are {kinds}")
        (folder / f"{number}.headers").write_bytes(
            b"".join(field.encode() + b"\0" for field in fields))
        for part, kind in zip(parts[1:], ("text", "html")):
            (folder / f"{number}.{kind}").write_bytes(part.get_payload(decode=True))
    except Exception as error:
        print(f"{number}: {error!r}")
