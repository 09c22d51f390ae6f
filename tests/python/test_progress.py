"""tools/progress.py: what is said while a build or tests run, and at the end."""

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import progress  # noqa: E402

GTEST = """\
[==========] Running 4 tests from 2 test suites.
[----------] 3 tests from Shape
[ RUN      ] Shape.Scalar
[       OK ] Shape.Scalar (0 ms)
[ RUN      ] Shape.Wrong
shape_test.cc:7: Failure
[  FAILED  ] Shape.Wrong (1 ms)
"""


@pytest.mark.parametrize(
    ("lines", "text", "shown"),
    [
        (["[0/1] Re-running CMake...", "[123/494] Building a.o"], "123/494 (24 %)", []),
        (["[  3%] Building a.o", "[ 25%] Linking b"], "25 %", []),
        (["gmake[1]: Entering directory '/x'", "a.cc:1: error: no"], "", ["a.cc:1: error: no"]),
        (["      Start  1: a", " 1/20 Test  #1: a ..... Passed  0.1 sec"], "1/20 (5 %)", []),
        ([" 2/20 Test #12: b ...***Failed"], "2/20 (10 %)", [" 2/20 Test #12: b ...***Failed"]),
        (
            GTEST.splitlines(),
            "2/4 (50 %)",
            ["shape_test.cc:7: Failure", "[  FAILED  ] Shape.Wrong (1 ms)"],
        ),
    ],
)
def test_lines_that_count_are_not_shown(lines, text, shown):
    counter = progress.Counter()
    left = [line for line in lines if not counter.read(line)]
    assert (counter.text(), left) == (text, shown)


def run(tmp_path, *commands, is_terminal=False, every=30):
    out = io.StringIO()
    display = progress.Display("build: x", out, is_terminal, every)
    command = ["sh", "-c", "; ".join(commands)]
    status = progress.run(command, tmp_path / "folder" / "log", display, out)
    return status, out.getvalue()


def test_a_build_says_its_warnings_in_full(tmp_path):
    noise = ["echo '[1/3] a'", "echo note", "echo '[2/3] b'"]
    status, text = run(tmp_path, *noise, "echo 'b: warning: odd'", "echo '  why'", "echo '[3/3] c'")
    assert (status, text) == (0, "b: warning: odd\n  why\n")
    assert "note" in (tmp_path / "folder" / "log").read_text()


def test_a_failure_says_everything_but_the_counts(tmp_path):
    status, text = run(
        tmp_path, "echo '[1/2] a'", "echo wrong >&2", "printf 'no line end'", "exit 3"
    )
    assert (status, text) == (3, "wrong\nno line end\n")
    status, text = run(tmp_path, "kill -9 $$")
    assert (status, text) == (137, "sh was ended by signal 9\n")


def test_how_far_it_is(tmp_path):
    commands = ["echo '[1/4] a'", "sleep 0.4", "echo '[2/4] b'"]
    _, text = run(tmp_path, *commands, every=0.1)
    assert re.fullmatch(r"(build: x: \d/4 \(\d+ %\), \d+ s\n)+", text)
    assert "build: x: 2/4 (50 %), " in text
    _, text = run(tmp_path, *commands, is_terminal=True)
    assert re.fullmatch(r"(\rbuild: x: \d/4 \(\d+ %\), \d+ s\x1b\[K)+\r\x1b\[K", text)
    assert run(tmp_path, *commands)[1] == "", "a short build says nothing before its end"


@pytest.mark.parametrize(("seconds", "text"), [(59, "59 s"), (61, "1 min"), (600, "10 min")])
def test_durations(seconds, text):
    assert progress.duration(seconds) == text


def test_as_a_command(tmp_path):
    head = [sys.executable, ROOT / "tools" / "progress.py", "--label", "build: x"]
    head += ["--log", tmp_path / "log", "--done", "is up to date"]
    done = subprocess.run([*head, "true", "--flag"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "build: x is up to date (0 s)\n")
    done = subprocess.run([*head, "no-such-command"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (127, "")
    assert "no-such-command" in done.stderr
