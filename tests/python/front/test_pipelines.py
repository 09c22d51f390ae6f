"""Input pipelines as TensorFlow runs them: elements, order, specs, cardinalities and errors, as
recorded (tests/recorded/pipelines.py)."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import penstock as tf
import pytest

RECORDED = Path(__file__).resolve().parents[2] / "recorded"
sys.path.insert(0, str(RECORDED))
import pipelines  # noqa: E402

# Calls with another answer, and why: a reason, then the calls, one to a line, indented.
OTHERWISE = RECORDED / "pipeline_otherwise.txt"


def _otherwise() -> dict[str, str]:
    reasons, reason = {}, None
    for line in OTHERWISE.read_text().splitlines():
        if line.startswith("    "):
            reasons[line.strip()] = reason
        elif line and not line.startswith("#"):
            reason = line
    return reasons


OTHER = _otherwise()
PARTS = 4  # of a topic: so that they run in parallel


@pytest.fixture(scope="module")
def modules():
    """The modules of the topics; some have datasets of their own."""
    return {topic: pipelines.load(tf, topic) for topic in pipelines.topics()}


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("topic", pipelines.topics())
def test_answers(modules, topic, part):
    module, recorded = modules[topic], pipelines.recorded(topic)
    wrong = []
    for call in list(recorded)[part::PARTS]:
        answer = json.loads(json.dumps(pipelines.answer(tf, module, call)))
        is_same = pipelines.same(answer, recorded[call])
        if is_same == (call in OTHER):
            wrong.append(f"{call}\n  here       {answer}\n  TensorFlow {recorded[call]}")
    assert not wrong, f"{len(wrong)} calls\n" + "\n".join(wrong)


def test_reasons_are_of_recorded_calls():
    calls = {call for topic in pipelines.topics() for call in pipelines.recorded(topic)}
    assert set(OTHER) <= calls
