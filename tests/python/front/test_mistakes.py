"""A hundred mistakes, one after the other in one process: each is an error of TensorFlow's class
(recorded from the real package, see tests/recorded/front.py), and leaves nothing behind."""

import sys
from pathlib import Path

import penstock as tf

sys.path.insert(0, str(Path(__file__).parents[2] / "recorded"))
import front

# Mistakes that get another class, and why.
EXHAUSTED = "ResourceExhaustedError"  # sizes past 2**63 are sizes that no memory has
DIFFERENT = {
    "tf.zeros([2**62, 2**62])": EXHAUSTED,
    "tf.ones([2**40, 2**40])": EXHAUSTED,
    "tf.fill([2**33, 2**33], 1.0)": EXHAUSTED,
    "tf.tile(a, [2**62])": EXHAUSTED,
}


def test_mistakes():
    setup, calls = front.load("mistakes")
    recorded = front.recorded("mistakes")
    assert len(calls) - len(DIFFERENT) >= 100
    assert {*DIFFERENT} <= {*calls}
    assert all(recorded[call]["kind"] == "error" for call in calls)
    wrong = []
    for call in calls:
        got = front.answer(tf, setup, call)
        theirs = recorded[call]["class"]
        if got["kind"] != "error" or got["class"] != DIFFERENT.get(call, theirs):
            wrong.append(f"{call}: {theirs}, not {got}")
        if DIFFERENT.get(call) == theirs:
            wrong.append(f"{call}: is listed with TensorFlow's class")
        assert (tf.constant([1.0, 2.0]) * 2).numpy().tolist() == [2.0, 4.0]
    assert not wrong, f"{len(wrong)} of {len(calls)}\n" + "\n".join(wrong)
