"""Every program in the README and the docs runs: C++ ones, Python blocks, and shell sessions.

The Python blocks of a page are one session, in their order; where a block is followed by a `text`
block, that is what it prints (`...` stands for anything). A block under `<!-- file: NAME -->` is a
file, and a `console` block a shell session beside it: commands after `$`, and what they print.
"""

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]
BLOCK = re.compile(
    r"(?:^<!-- (?P<action>file|append): (?P<path>\S+) -->\n)?"
    r"^```(?P<language>\w+)\n(?P<code>.*?)^```\n(?:\n*^```text\n(?P<prints>.*?)^```\n)?",
    re.S | re.M,
)
SESSION = """
import contextlib, io, json, linecache, sys
outputs, lines, names = [], [], {"__name__": "__main__"}
linecache.cache[sys.argv[1]] = 1, None, lines, sys.argv[1]  # what tf.function converts has a source
for line, code in json.load(sys.stdin):
    lines += ["\\n"] * (line - len(lines)) + code.splitlines(True)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile("\\n" * line + code, sys.argv[1], "exec"), names)
    outputs.append(out.getvalue())
json.dump(outputs, sys.stdout)
"""


def blocks(page, language, is_file=False):
    """(line, block) of a language on a page."""
    text = page.read_text()
    for match in BLOCK.finditer(text):
        if match["language"] == language and (match["action"] is not None) == is_file:
            yield text[: match.start("code")].count("\n"), match


def programs():
    for page in PAGES:
        for i, (_, block) in enumerate(blocks(page, "cpp")):
            if "int main()" in block["code"]:
                yield pytest.param(block["code"], id=f"{page.stem}-{i}")


def pages_with(language):
    return [pytest.param(page, id=page.stem) for page in PAGES if [*blocks(page, language)]]


def assert_prints(want, got):
    if not doctest.OutputChecker().check_output(want, got, doctest.ELLIPSIS):
        assert got == want


@pytest.mark.parametrize("code", programs())
def test_program(code, tmp_path):
    source = tmp_path / "program.cc"
    source.write_text(code)
    includes = [f"-I{ROOT / 'include'}", f"-I{BUILD / 'generated' / 'include'}"]
    link = [f"-L{BUILD}", "-lpenstock", f"-Wl,-rpath,{BUILD}"]
    program = tmp_path / "program"
    subprocess.run(
        ["g++", "-std=c++20", "-Wall", *includes, source, *link, "-o", program], check=True
    )
    subprocess.run([program], check=True, timeout=60)


@pytest.mark.parametrize("page", pages_with("python"))
def test_python_blocks(page, tmp_path):
    found = [*blocks(page, "python")]
    done = subprocess.run(
        [sys.executable, "-c", SESSION, page.name],
        input=json.dumps([(line, block["code"]) for line, block in found]),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    for (_, block), output in zip(found, json.loads(done.stdout), strict=True):
        if block["prints"] is not None:
            assert_prints(block["prints"], output)


@pytest.mark.parametrize("page", pages_with("console"))
def test_shell_sessions(page, tmp_path):
    command = tmp_path / "bin" / "penstock"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m penstock "$@"\n')
    command.chmod(0o755)
    for _, block in blocks(page, "python", is_file=True):
        (tmp_path / block["path"]).write_text(block["code"])
    environment = os.environ | {"PATH": f"{command.parent}:{os.environ['PATH']}"}
    for _, block in blocks(page, "console"):
        for line, prints in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block["code"], re.M):
            done = subprocess.run(
                line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True
            )
            assert_prints(prints, done.stdout + done.stderr)


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)
    for path, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", text):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), anchor


def test_the_readme_takes_a_minute():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


@pytest.mark.parametrize("tool", ["doc_counts", "doc_support"])
def test_what_tools_write_is_up_to_date(tool):
    subprocess.run([sys.executable, ROOT / "tools" / f"{tool}.py", "--check"], check=True)
