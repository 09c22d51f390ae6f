"""A hundred mistakes, one after the other in one process: each is an error of TensorFlow's class
(recorded from the real package, see tests/recorded/front.py), and leaves nothing behind."""

import sys
from pathlib import Path

import penstock as tf

sys.path.insert(0, str(Path(__file__).parents[2] / "recorded"))
import front

# Mistakes that get another class, and why.
EXHAUSTED = "ResourceExhaustedError"  # sizes past 2**63 are sizes that no memory has
INVALID = "InvalidArgumentError"  # it is the op that refuses, as for two tensors
DIFFERENT = {
    "tf.zeros([2**62, 2**62])": EXHAUSTED,
    "tf.ones([2**40, 2**40])": EXHAUSTED,
    "tf.fill([2**33, 2**33], 1.0)": EXHAUSTED,
    "tf.tile(a, [2**62])": EXHAUSTED,
    'tf.constant(["a"]) * 2': INVALID,
    "tf.stack([a, a], axis=4)": INVALID,
    "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 2, 3], logits=m)": INVALID,
}


def test_mistakes():
    setup, calls = front.load("mistakes")
    recorded = front.recorded("mistakes")
    assert len(calls) - len(DIFFERENT) >= 100
    assert all(recorded[call]["kind"] == "error" for call in calls)
    wrong = []
    for call in calls:
        got = front.answer(tf, setup, call)
        allowed = (recorded[call]["class"], DIFFERENT.get(call))
        if got["kind"] != "error" or got["class"] not in allowed:
            wrong.append(f"{call}: {recorded[call]['class']}, not {got}")
        assert (tf.constant([1.0, 2.0]) * 2).numpy().tolist() == [2.0, 4.0]
    assert not wrong, f"{len(wrong)} of {len(calls)}\n" + "\n".join(wrong)
