"""Every command has a help with examples, and the examples are right."""

import re
import shlex
import subprocess
import sys

import pytest
from penstock import _cli

COMMANDS = ("run", "doctor", "plan", "report", "top", "info")


def help_of(*command):
    return subprocess.run(
        [sys.executable, "-m", "penstock", *command, "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def examples(text):
    """The command lines below `examples:`, as lists of words."""
    lines = text.partition("\nexamples:\n")[2].partition("\n\n")[0].splitlines()
    for line in lines:
        words = shlex.split(line, comments=True)
        while re.match(r"[A-Z_]+=", words[0]):
            words.pop(0)
        yield words[: words.index(">")] if ">" in words else words


def test_all_commands_are_listed():
    assert re.findall(r"^    (\w+) ", help_of(), re.M) == [*COMMANDS]


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)], ids="-".join)
def test_examples_are_right(command):
    text = help_of(*command)
    lines = [words for words in examples(text) if words[0] == "penstock"]
    assert lines
    assert any(words[1 : 1 + len(command)] == [*command] for words in lines)
    for _, *words in lines:
        options = _cli.make_parser().parse_args(_cli._with_default_profile(words))
        assert not getattr(options, "script", "script.py").startswith("-")
    assert all(len(line) <= 100 for line in text.splitlines())


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("run --profile a.py", ""),
        ("run --profile=b.penprof a.py", "b.penprof"),
        ("run --profile b.penprof a.py", "b.penprof"),
        ("run --tf1 --profile a.py --profile c", ""),
        ("run a.py --profile", None),
        ("doctor --profile a.py", ""),
        ("doctor --fail-on-growth 1MiB --profile a.py", ""),
        ("doctor --profile b.penprof --json a.py", "b.penprof"),
        ("doctor --fail-on-growth 1MiB a.py --profile c", None),
    ],
)
def test_a_profile_with_and_without_a_path(words, path):
    options = _cli.make_parser().parse_args(_cli._with_default_profile(words.split()))
    assert (options.script, options.profile) == ("a.py", path)


def test_the_example_of_plan_runs(tmp_path):
    command = "set -e\n" + help_of("plan").partition("examples:\n")[2]
    command = command.replace("penstock", f"{shlex.quote(sys.executable)} -m penstock")
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "height       150\n" in done.stdout
    assert (tmp_path / "placed.csv").read_text().startswith("id,lower,upper,size,offset\n")
