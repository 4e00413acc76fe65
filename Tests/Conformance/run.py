#!/usr/bin/env python3
"""run.py CHECK_LOANS XMLCONF_DIR: hold `validate` against the W3C XML conformance test suite.

XMLCONF_DIR is the suite's folder with xmlconf.xml in it. Each document has to be judged as the
suite says and as `xmllint --noout --nonet` does, with the fault on the same line, but for the
differences named below. Ends with 0 if every difference has its reason, else 1 after a line each.
"""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter, namedtuple
from concurrent.futures import ThreadPoolExecutor

# A document is "read" by check-loans, or refused with one of the codes that concern all of it.
READ = "read"
REFUSALS = (
    "malformed-xml", "external-entity", "declared-text", "unsupported-encoding", "not-a-catalogue",
)
# What follows the path in a line of text.
FINDING = re.compile(
    r":(?P<line>\d+):\d+: (?:error|warning): (?P<message>.*) \[(?P<code>[a-z-]+)\]"
)
# Seconds after which a program that is still at it is taken to hang.
PATIENCE = 60

Test = namedtuple("Test", "id path type entities recommendation versions editions")
Verdict = namedtuple("Verdict", "code line message")
Difference = namedtuple("Difference", "reason applies")


def is_outside(test):
    """Whether the suite's word is about another language than XML 1.0, fifth edition."""
    return (
        test.recommendation.startswith(("XML1.1", "NS"))
        or (test.versions and "1.0" not in test.versions)
        or (test.editions and "5" not in test.editions)
    )


def mentions_entities(test):
    """Whether the document itself declares or names something that may lie outside it."""
    with open(test.path, "rb") as file:
        text = file.read().replace(b"\0", b"")
    return re.search(rb"SYSTEM|PUBLIC|<!ENTITY\s+%", text) is not None


def declares_texts(test, verdict):
    """Whether the document is refused for what its document type declares, as it should be."""
    with open(test.path, "rb") as file:
        text = file.read().replace(b"\0", b"")
    return verdict.code == "declared-text" and re.search(rb"<!(ENTITY|ATTLIST)", text) is not None


DECLARED_TEXT = Difference("entities and values of attributes that it declares are not read", declares_texts)

# Where check-loans and the suite may differ.
FROM_THE_SUITE = (
    DECLARED_TEXT,
    Difference(
        "another version or edition of XML, or namespaces: only xmllint is the judge",
        lambda test, verdict: is_outside(test),
    ),
    Difference(
        "what lies outside the document is never read, nor what only that could define",
        lambda test, verdict: verdict.code == "external-entity" and mentions_entities(test),
    ),
    Difference(
        "the defect is in a text outside the document",
        lambda test, verdict: test.type == "not-wf" and test.entities != "none",
    ),
    Difference(
        "libxml2 takes the byte order mark's word against that of the declaration",
        lambda test, verdict: verdict.code == READ and test.id in ("hst-lhs-007", "hst-lhs-008"),
    ),
)

# Where check-loans and xmllint may differ.
FROM_XMLLINT = (
    DECLARED_TEXT,
    Difference(
        "what lies outside the document is never read, nor what only that could define",
        lambda test, verdict: verdict.code == "external-entity" and mentions_entities(test),
    ),
)

# Where the two may tell another line.
FROM_XMLLINTS_LINE = (
    Difference(
        "the fault is in the text of a parameter entity",
        lambda test, verdict: test.id == "not-wf-not-sa-002",
    ),
)


def read_suite(folder):
    """The tests of xmlconf.xml, whose collections are external entities."""
    with open(os.path.join(folder, "xmlconf.xml"), encoding="utf-8") as file:
        text = file.read()
    names = dict(re.findall(r'<!ENTITY\s+(\S+)\s+SYSTEM\s+"([^"]+)"', text))
    text = re.sub(r"<!DOCTYPE.*?\]\s*>", "", text, flags=re.DOTALL)
    collections = {name: read_collection(folder, path) for name, path in names.items()}
    text = re.sub("&([^;#]+);", lambda found: collections.get(found[1], found[0]), text)
    return list(tests_in(ET.fromstring(text.encode()), folder))


def read_collection(folder, path):
    with open(os.path.join(folder, path), encoding="utf-8") as file:
        return re.sub(r"^\s*<\?xml.*?\?>", "", file.read())


def tests_in(element, folder):
    folder = os.path.join(
        folder, element.get("{http://www.w3.org/XML/1998/namespace}base", "")
    )
    for child in element:
        if child.tag == "TEST":
            yield read_test(child, folder)
        else:
            yield from tests_in(child, folder)


def read_test(element, folder):
    path = os.path.normpath(os.path.join(folder, element.get("URI")))
    if not os.path.exists(path):
        # A slip in the suite's own list.
        path = path.replace("eduni/namespaces/misc", "eduni/misc")
    return Test(
        id=element.get("ID"),
        path=path,
        type=element.get("TYPE"),
        entities=element.get("ENTITIES", "none"),
        recommendation=element.get("RECOMMENDATION", "XML1.0"),
        versions=element.get("VERSION", "").split(),
        editions=element.get("EDITION", "").split(),
    )


def run(command):
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        env={"PATH": os.environ["PATH"], "TZ": "UTC", "XML_CATALOG_FILES": ""},
        check=False,
    )


def judge(program, test):
    """What check-loans says: a verdict, or one that no test expects where it has failed."""
    try:
        result = run([program, "validate", "-q", test.path])
    except subprocess.TimeoutExpired:
        return Verdict("hang", None, "")
    if result.returncode not in (0, 1):
        message = result.stderr.decode(errors="replace").strip()
        return Verdict(f"status {result.returncode}", None, message)
    for line in result.stdout.decode().splitlines():
        found = FINDING.fullmatch(line.removeprefix(test.path))
        if found is None:
            return Verdict("no finding", None, line)
        if found["code"] in REFUSALS:
            return Verdict(found["code"], int(found["line"]), found["message"])
    return Verdict(READ, None, "")


def judge_as_xmllint(test):
    """Whether xmllint takes the document, and the line of its first error."""
    result = run(["xmllint", "--noout", "--nonet", test.path])
    errors = result.stderr.decode(errors="replace")
    line = re.search(r"^.*?:(\d+): (?:parser |encoding )?error : ", errors, re.MULTILINE)
    return result.returncode == 0, int(line[1]) if line else None


def is_as_suite_says(test, verdict):
    if test.type == "error":
        return verdict.code == READ or verdict.code in REFUSALS
    if test.type == "not-wf":
        # An HTML page is refused for what it is, whether it would be well-formed or not.
        return verdict.code in ("malformed-xml", "unsupported-encoding", "not-a-catalogue")
    return verdict.code == READ


def explain(differences, test, verdict):
    return next((one.reason for one in differences if one.applies(test, verdict)), None)


def compare(program, test):
    """Each difference of one test as its judge and its reason, or None for the reason."""
    verdict = judge(program, test)
    takes, line = judge_as_xmllint(test)
    found = []
    if not is_as_suite_says(test, verdict):
        found.append(("the suite", explain(FROM_THE_SUITE, test, verdict)))
    if takes != (verdict.code == READ):
        found.append(("xmllint", explain(FROM_XMLLINT, test, verdict)))
    elif verdict.code == "malformed-xml" and line is not None and line != verdict.line:
        found.append(("xmllint's line", explain(FROM_XMLLINTS_LINE, test, verdict)))
    if verdict.code != READ and verdict.code not in REFUSALS:
        found.append(("any document", None))
    return test, verdict, found


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split(":")[0])
    program, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    tests = read_suite(folder)
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        results = list(workers.map(lambda test: compare(program, test), tests))
    verdicts = Counter((test.type, verdict.code) for test, verdict, _ in results)
    for (kind, code), count in sorted(verdicts.items()):
        print(f"{count:5} {kind}: {code}")
    reasons = Counter(difference for _, _, found in results for difference in found)
    for (judge_name, reason), count in sorted(reasons.items(), key=str):
        if reason:
            print(f"{count:5} otherwise than {judge_name}: {reason}")
    unexplained = [
        f"{test.path}: {test.type} by the suite, but {verdict.code}, otherwise than {judge_name}"
        + (f": {verdict.message}" if verdict.message else "")
        for test, verdict, found in results
        for judge_name, reason in found
        if not reason
    ]
    print(f"{len(tests)} tests, {len(unexplained)} differences without a reason")
    for line in unexplained:
        print(line)
    return 1 if unexplained or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
