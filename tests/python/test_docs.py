"""Every C++ program in the README and the docs is built against the library and run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def programs():
    for page in PAGES:
        for i, code in enumerate(re.findall(r"```cpp\n(.*?)```", page.read_text(), re.S)):
            if "int main()" in code:
                yield pytest.param(code, id=f"{page.stem}-{i}")


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


def test_counts_are_up_to_date():
    subprocess.run([sys.executable, ROOT / "tools" / "doc_counts.py", "--check"], check=True)
