"""The calls recorded from TensorFlow: what op_check --mode replay (a ctest) has to go by."""

import json
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "recorded" / "data"


def test_there_are_many_of_every_kind():
    calls = [json.loads(line) for path in DATA.glob("*.jsonl") for line in path.open()]
    assert len(calls) >= 600
    kinds = Counter("error" if "error" in call else "outputs" for call in calls)
    assert kinds["error"] >= 100
    dtypes = {tensor[0] for call in calls for tensor in call["inputs"]}
    assert len(dtypes) == 16, dtypes
    assert any(0 in tensor[1] for call in calls for tensor in call["inputs"])


def is_compared(call) -> bool:
    """Whether anything of the answer is: an output that is null is left open."""
    return "error" in call or any(output is not None for output in call["outputs"])


def test_every_file_has_many_that_are_compared():
    compared = {
        path.stem: sum(is_compared(json.loads(line)) for line in path.open())
        for path in DATA.glob("*.jsonl")
    }
    assert {*compared} == families()
    assert sum(compared.values()) >= 4200, compared
    assert all(count >= 50 for count in compared.values()), compared


def families():
    """The sections of op_list.inc: a heading stands alone after an empty line."""
    text = (ROOT / "src/ops/op_list.inc").read_text()
    return {name.replace(" ", "_") for name in re.findall(r"\n\n// (.+)\n", text)}


def test_no_call_is_there_twice():
    lines = [line for path in DATA.glob("*.jsonl") for line in path.open()]
    assert len(lines) == len(set(lines))
