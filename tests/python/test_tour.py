"""The tour of `make demo`: every leaky program is named, every mended one is clean."""

import subprocess
import sys
from pathlib import Path

import pytest

TOUR = Path(__file__).resolve().parents[2] / "examples" / "tour" / "tour.py"


@pytest.mark.slow
def test_tour(tmp_path):
    done = subprocess.run(
        [sys.executable, TOUR, tmp_path], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("_mended.py: nothing found") == 6
    table = done.stdout[done.stdout.rindex("-----") :].splitlines()[1:7]
    causes = {line.split()[0]: line.split()[1] for line in table}
    assert causes == {
        "allocations": "eager_loop",
        "tracing": "retracing",
        "graph": "graph_growth",
        "variables": "variables_in_loop",
        "loops": "long_tape",
        "sessions": "open_sessions",
    }
    assert "kept_tensors" in (tmp_path / "report.html").read_text()
