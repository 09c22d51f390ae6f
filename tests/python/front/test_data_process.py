"""Iterators when the process ends, forks or is interrupted, and when they are dropped."""

import os
import subprocess
import sys
from pathlib import Path

import ending_iterators
import pytest

PROGRAM = Path(__file__).parent / "ending_iterators.py"


@pytest.mark.parametrize("kind", ending_iterators.SAID, ids=lambda kind: kind.__name__)
def test_iterators_end_well(kind):
    ended = subprocess.run(
        [sys.executable, str(PROGRAM), kind.__name__],
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, ending_iterators.SAID[kind], "")
