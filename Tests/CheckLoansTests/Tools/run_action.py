"""Plays the part of GitHub: runs a job of a workflow as the runner does, as far as bash goes.

Of the actions that a workflow uses, those given by --action are run from their folder if they are
composite; checking out clones the repository given by --repository; all others are only noted. Prints one JSON document and ends with 0 if the job succeeded, else with 1.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml


class Expression:
    """The value of what stands in ${{ }}: literals, contexts, comparisons and status functions."""

    TOKEN = re.compile(r"\s*('(?:[^']|'')*'|==|!=|&&|\|\||[!(),]|[A-Za-z_][A-Za-z0-9_.-]*)")

    def __init__(self, text, contexts, has_failed):
        self.contexts = contexts
        self.has_failed = has_failed
        self.asks_for_status = False
        self.tokens = []
        place = 0
        while text[place:].strip():
            match = self.TOKEN.match(text, place)
            if not match:
                raise ValueError(f"not understood: {text[place:]}")
            self.tokens.append(match[1])
            place = match.end()

    def value(self):
        value = self.either()
        if self.tokens:
            raise ValueError(f"not understood: {self.tokens}")
        return value

    def next_is(self, *tokens):
        return self.tokens[:1] and self.tokens[0] in tokens

    def either(self):
        value = self.both()
        while self.next_is("||"):
            self.tokens.pop(0)
            other = self.both()
            value = value or other
        return value

    def both(self):
        value = self.comparison()
        while self.next_is("&&"):
            self.tokens.pop(0)
            other = self.comparison()
            value = value and other
        return value

    def comparison(self):
        value = self.single()
        while self.next_is("==", "!="):
            is_equality = self.tokens.pop(0) == "=="
            value = (value == self.single()) is is_equality
        return value

    def single(self):
        token = self.tokens.pop(0)
        if token == "!":
            return not self.single()
        if token == "(":
            value = self.either()
            self.tokens.pop(0)
            return value
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if self.next_is("("):
            del self.tokens[:2]
            return self.status_function(token)
        value = self.contexts
        for key in token.split("."):
            value = value.get(key, "") if isinstance(value, dict) else ""
        return value

    def status_function(self, name):
        self.asks_for_status = True
        return {
            "always": True,
            "cancelled": False,
            "success": not self.has_failed,
            "failure": self.has_failed,
        }[name]


class Job:
    def __init__(self, options):
        self.options = options
        self.state = pathlib.Path(options.state)
        self.temporary = self.state / "temp"
        self.home = self.state / "home"
        self.workspace = self.state / "work"
        for folder in (self.temporary, self.home, self.workspace):
            folder.mkdir(parents=True, exist_ok=True)
        self.summary = self.temporary / "summary"
        self.summary.touch()
        self.variables = {}
        self.paths = []
        self.matchers = []
        self.annotations = []
        self.commands = []
        self.log = []
        self.steps = []
        self.has_failed = False

    # Steps

    def run(self, steps, contexts, folder=None):
        """Runs the steps of a job, or of a composite action in its folder."""
        contexts.setdefault("steps", {})
        for step in steps:
            wanted = step.get("if", "success()")
            wanted = re.sub(r"^\s*\$\{\{(.*)\}\}\s*$", r"\1", str(wanted))
            condition = Expression(wanted, contexts, self.has_failed)
            value = condition.value()
            if not value or (self.has_failed and not condition.asks_for_status):
                self.note(step, "skipped")
                continue
            outputs = {}
            if "uses" in step:
                outputs = self.use(step, contexts)
            else:
                outputs = self.run_script(step, contexts, folder)
            contexts["steps"][step.get("id", "")] = {"outputs": outputs}

    def note(self, step, outcome):
        name = step.get("name") or step.get("uses") or step["run"].splitlines()[0]
        self.steps.append({"name": name, "outcome": outcome})

    def filled(self, text, contexts):
        """The text with the values of its expressions."""
        return re.sub(
            r"\$\{\{(.*?)\}\}",
            lambda match: str(Expression(match[1], contexts, self.has_failed).value()),
            self.plain(text),
        )

    @staticmethod
    def plain(value):
        return str(value).lower() if isinstance(value, bool) else str(value)

    def filled_all(self, values, contexts):
        return {key: self.filled(text, contexts) for key, text in (values or {}).items()}

    def use(self, step, contexts):
        name = step["uses"].split("@")[0]
        given = self.filled_all(step.get("with"), contexts)
        folder = self.options.actions.get(name)
        if folder:
            return self.run_composite(name, folder, given)
        if name == "actions/checkout":
            self.check_out()
        else:
            self.note(step, "not played")
            return {}
        self.note(step, "success")
        return {}

    def run_composite(self, name, folder, given):
        action = yaml.safe_load((pathlib.Path(folder) / "action.yml").read_text())
        unknown = set(given) - set(action["inputs"])
        if unknown:
            raise ValueError(f"the action has no input {unknown}")
        inputs = {
            key: given.get(key, self.plain(value.get("default", "")))
            for key, value in action["inputs"].items()
        }
        contexts = {"inputs": inputs, "github": {"action_repository": name}, "steps": {}}
        self.run(action["runs"]["steps"], contexts, folder)
        return self.filled_all(
            {key: output["value"] for key, output in action["outputs"].items()}, contexts
        )

    def check_out(self):
        shutil.rmtree(self.workspace)
        command = ["git", "clone", "-q", "--branch", self.options.branch]
        subprocess.run(
            [*command, self.options.repository, str(self.workspace)],
            check=True,
            stdout=sys.stderr,
        )

    # Scripts

    def run_script(self, step, contexts, folder):
        files = {}
        for name in ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT"):
            descriptor, files[name] = tempfile.mkstemp(dir=self.temporary)
            os.close(descriptor)
        script = self.temporary / "step.sh"
        script.write_text(self.filled(step["run"], contexts))
        # What the runner takes for `shell: bash`, and for none.
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
        if "shell" not in step:
            command = ["bash", "-e", str(script)]
        environment = {
            **self.environment(),
            **files,
            **({"GITHUB_ACTION_PATH": str(folder)} if folder else {}),
            **self.filled_all(step.get("env"), contexts),
        }
        status = self.watch(command, environment)
        if status:
            self.has_failed = True
            self.log.append(f"Error: Process completed with exit code {status}.")
        self.note(step, "failure" if status else "success")
        self.paths = self.lines(files["GITHUB_PATH"]) + self.paths
        self.variables.update(self.pairs(files["GITHUB_ENV"]))
        return self.pairs(files["GITHUB_OUTPUT"])

    def environment(self):
        return {
            "PATH": ":".join(self.paths + [os.environ["PATH"]]),
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "RUNNER_TEMP": str(self.temporary),
            "RUNNER_TOOL_CACHE": str(self.state / "tools"),
            "GITHUB_SERVER_URL": "https://github.com",
            # Where the repositories are that are not at GitHub.
            "GIT_CONFIG_GLOBAL": os.environ.get("GIT_CONFIG_GLOBAL", "/dev/null"),
            **self.variables,
        }

    @staticmethod
    def lines(path):
        return pathlib.Path(path).read_text().splitlines()

    def pairs(self, path):
        return dict(line.split("=", 1) for line in self.lines(path))

    def watch(self, command, environment):
        """Runs a command and reads what it prints, on both streams, as the runner does."""
        process = subprocess.run(
            command,
            cwd=self.workspace,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for line in re.split(r"\r\n|\n|\r", process.stdout.decode(errors="replace")):
            self.read(line)
        return process.returncode

    # What a step prints

    COMMAND = re.compile(r"^\s*::([A-Za-z-]+)(?: ([^:]*))?::(.*)$")

    def read(self, line):
        match = self.COMMAND.match(line)
        old = re.match(r"^.*##\[([a-z-]+)[^\]]*\]", line)
        if match:
            self.obey(match[1], match[2] or "", match[3])
        elif old:
            self.commands.append(old[1])
        elif line:
            self.log.append(line)
            self.match(line)

    def obey(self, name, properties, data):
        self.commands.append(name)
        if name == "add-matcher":
            text = (self.workspace / data).read_text()
            self.matchers += json.loads(text)["problemMatcher"]
        if name not in ("error", "warning", "notice"):
            return
        found = {"level": name, "message": self.unescaped(data)}
        for part in filter(None, properties.split(",")):
            key, value = part.split("=", 1)
            found[key] = self.unescaped(value, is_property=True)
        self.annotations.append(found)

    @staticmethod
    def unescaped(text, is_property=False):
        """The text that actions/toolkit's command.ts has escaped."""
        if is_property:
            text = text.replace("%3A", ":").replace("%2C", ",")
        return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")

    def match(self, line):
        for matcher in self.matchers:
            (pattern,) = matcher["pattern"]
            match = re.search(pattern["regexp"], line)
            if match:
                found = {key: match[number] for key, number in pattern.items() if key != "regexp"}
                # As a workflow command would have it.
                found["level"] = found.pop("severity")
                found["col"] = found.pop("column")
                found["title"] = found.pop("code")
                self.annotations.append(found)
                return

    def report(self):
        return {
            "conclusion": "failure" if self.has_failed else "success",
            "annotations": self.annotations,
            "commands": self.commands,
            "steps": self.steps,
            "log": self.log,
            "summary": self.summary.read_text(),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workflow", help="the workflow's path in the repository")
    parser.add_argument("--repository", required=True, help="what is checked out")
    parser.add_argument("--branch", default="main")
    parser.add_argument("--state", required=True, help="a folder for the runner itself")
    parser.add_argument(
        "--action", action="append", default=[], help="NAME=FOLDER: where to find an action"
    )
    options = parser.parse_args()
    options.actions = dict(text.split("=", 1) for text in options.action)
    shown = subprocess.run(
        ["git", "-C", options.repository, "show", f"{options.branch}:{options.workflow}"],
        check=True,
        stdout=subprocess.PIPE,
    )
    (job,) = yaml.safe_load(shown.stdout)["jobs"].values()
    runner = Job(options)
    runner.run(job["steps"], {})
    print(json.dumps(runner.report(), ensure_ascii=False, indent=1))
    return 1 if runner.has_failed else 0


if __name__ == "__main__":
    sys.exit(main())
