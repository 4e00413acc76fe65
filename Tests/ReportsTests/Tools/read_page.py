#!/usr/bin/python3
"""read_page.py FILE: prints as JSON what a page consists of, as html5lib reads it by the standard."""

import base64
import collections
import hashlib
import json
import sys

import html5lib

page = open(sys.argv[1], "rb").read().decode()
parser = html5lib.HTMLParser(namespaceHTMLElements=False)
elements = [element for element in parser.parse(page).iter() if isinstance(element.tag, str)]
ids = [element.get("id") for element in elements if element.get("id")]
links = [element.get("href") for element in elements if element.get("href")]
metas = [element for element in elements if element.tag == "meta"]


def text(tag):
    return [" ".join("".join(e.itertext()).split()) for e in elements if e.tag == tag]


def digest(element):
    hashed = hashlib.sha256((element.text or "").encode()).digest()
    return f"{element.tag}-src 'sha256-{base64.b64encode(hashed).decode()}'"


json.dump(
    {
        "errors": [f"{place} {code}" for place, code, _ in parser.errors],
        "tags": collections.Counter(element.tag for element in elements),
        "inline": [
            name for e in elements for name in e.keys() if name.startswith("on") or name == "style"
        ],
        "ids": ids,
        "twice": [name for name, count in collections.Counter(ids).items() if count > 1],
        "away": [link for link in links if not link.startswith("#")]
        + [e.tag for e in elements for name in ("src", "action", "data") if e.get(name)],
        "lost": [link for link in links if link.startswith("#") and link[1:] not in ids],
        "digests": [digest(e) for e in elements if e.tag in ("style", "script")],
        "metas": {m.get("http-equiv") or m.get("name") or "": m.get("content") for m in metas},
        "languages": [e.get("lang") for e in elements if e.get("lang")],
        "title": text("title"),
        "headings": text("h1") + text("h2"),
        "counts": text("li"),
        "rows": text("tr"),
        "address": text("address"),
        "paragraphs": text("p"),
        "bars": [
            "".join(e.itertext()) for e in elements if e.tag.split("}")[-1] == "title"
        ][1:],
    },
    sys.stdout,
)
