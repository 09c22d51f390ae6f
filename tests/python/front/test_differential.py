"""Programs that once differed from TensorFlow, next to its recorded answers, in every mode.

tests/differential finds such programs, makes them small and keeps them (corpus.py)."""

import sys
from pathlib import Path

import penstock as tf
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "differential"))
import compare
import corpus
import worker

runner = worker.Runner(tf, is_penstock=True)


def otherwise():
    """{(name, mode, kind): reason} of what is known to differ."""
    listed, reason = {}, None
    for line in (corpus.CORPUS / "otherwise.txt").read_text().splitlines():
        if line.startswith("# "):
            reason = line[2:]
        elif line:
            listed[tuple(line.split(" | "))] = reason
    return listed


def differences(name):
    expected = corpus.answers(name)
    found = {}
    for mode in [*expected, "jit"] if "function" in expected else expected:
        answer = runner.run(corpus.text(name), [mode])[mode]
        wrong = compare.alone(answer, mode)
        if mode != "jit":
            wrong += compare.against(answer, expected[mode], mode, expected.get("eager"))
        elif not expected["function"]["error"]:
            wrong += compare.against(answer, expected["function"], mode, expected["eager"])
        wrong = [each for each in wrong if each.kind != "name" or mode == "script"]
        found |= {(name, mode, each.kind): each.detail for each in wrong}
    return found


@pytest.mark.parametrize("name", corpus.names())
def test_program(name):
    found = differences(name)
    listed = {key: why for key, why in otherwise().items() if key[0] == name}
    assert {key: what for key, what in found.items() if key not in listed} == {}
    assert [key for key in listed if key not in found] == [], "no longer differ: take them out"


def test_the_list_names_programs():
    assert {key[0] for key in otherwise()} <= {*corpus.names()}
    assert len(corpus.names()) >= FEWEST


FEWEST = 1
