"""Reruns the programs of docs/findings and writes the doctor's output into the pages.

Figures that vary from run to run are `...` in a page, and stay so.
"""

import doctest
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGES = sorted((Path(__file__).resolve().parents[1] / "docs" / "findings").glob("*.md"))
FILE = re.compile(r"^<!-- file: (\S+) -->\n```python\n(.*?)^```\n", re.S | re.M)
SESSION = re.compile(r"(?<=^```console\n)\$ penstock (.*?)\n(.*?)(?=^```\n)", re.S | re.M)


def main():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            for name, code in FILE.findall(text):
                Path(folder, name).write_text(code, encoding="utf-8")
            page.write_text(
                SESSION.sub(lambda session: said(session, folder), text), encoding="utf-8"
            )


def said(session, folder) -> str:
    command, before = session.groups()
    done = subprocess.run(
        [sys.executable, "-m", "penstock", *command.split()],
        cwd=folder,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    same = doctest.OutputChecker().check_output(before, done.stdout, doctest.ELLIPSIS)
    return f"$ penstock {command}\n{before if same else done.stdout}"


if __name__ == "__main__":
    main()
