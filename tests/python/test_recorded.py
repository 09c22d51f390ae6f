"""The calls recorded from TensorFlow: what op_check --mode replay (a ctest) has to go by."""

import json
from collections import Counter
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "recorded" / "data"


def test_there_are_many_of_every_kind():
    calls = [json.loads(line) for path in DATA.glob("*.jsonl") for line in path.open()]
    assert len(calls) >= 600
    kinds = Counter("error" if "error" in call else "outputs" for call in calls)
    assert kinds["error"] >= 100
    dtypes = {tensor[0] for call in calls for tensor in call["inputs"]}
    assert len(dtypes) == 16, dtypes
    assert any(0 in tensor[1] for call in calls for tensor in call["inputs"])


def test_no_call_is_there_twice():
    lines = [line for path in DATA.glob("*.jsonl") for line in path.open()]
    assert len(lines) == len(set(lines))
