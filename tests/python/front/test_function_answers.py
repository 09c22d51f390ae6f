"""The recorded calls of tests/recorded inside a tf.function: the same results as outside, to the
bit. Tensors of a topic's setup are the function's arguments."""

import ast
import sys
from pathlib import Path

import numpy as np
import penstock as tf
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "recorded"))
import front

# What a call may say inside a function, and why.
REASONS = {
    "only supports singleton tf.Variables": "the call makes a variable each time",
    "are valid indices, got <tf.Var": "a tensor from outside with an index known later",
    "after one iteration": "a loop has variables of one shape",
    "type should remain constant": "and of one dtype",
    "Iterating over a symbolic": "the call is not converted",
    "must have the same number, type": "branches that a tensor picks are alike",
    "expected bool": "conditions in functions are bools",
    "cond_graph has 0 outputs": "the same",
    "2.5": "and limits of loops whole numbers",
    "only contains uninitialized tensors": "a TensorArray of which nothing is known",
    "num_elements to reserve": "the size of a TensorArray is not negative",
    "object has no attribute 'numpy'": "the call itself takes a value out",
}
# Inside a function random ops have other op seeds (TensorFlow's too): test_function_random.py.
RANDOM = ("tf.random.set_seed", "v1.set_random_seed", "tf.random.normal([2])")
# In functions TensorFlow's too: arrays do not change, and the loop of map_fn knows of its rows.
IN_PLACE = ("a.close(); a.size()", "a.read(0); a.stack()", "tf.stack([x,x]), c([], tf.float32)")
# Mistakes are errors outside too, what is printed are no tensors, seeds are said above, and some
# make functions of their own.
OTHER_TOPICS = {"mistakes", "printing", "seeds", "tracing"}


def in_function(setup, call):
    names = {"tf": tf, "np": np}
    exec(setup, names)
    given = {
        key: value
        for key, value in names.items()
        if isinstance(value, tf.Tensor) and value.dtype != tf.string
    }
    *statements, last = ast.parse(call).body

    @tf.function
    def f(tensors):
        names.update(tensors)  # the functions of the setup see them too
        exec(compile(ast.Module(statements, []), "<call>", "exec"), names)
        return eval(compile(ast.Expression(last.value), "<call>", "eval"), names)

    return f(given)


def is_comparable(value):
    leaves = tf.nest.flatten(value)
    return bool(leaves) and all(
        leaf is None or isinstance(leaf, (tf.Tensor, tf.IndexedSlices)) for leaf in leaves
    )


def bits(value):
    """Texts that are equal when the values are, with their kinds of nan."""
    return repr(front.describe(tf, value))


def check_topic(topic, run, mode, reasons=REASONS, skipped=()):
    """The calls of a topic as `run(setup, call)` makes them, next to eager ones. `reasons` are what
    it may say instead; calls with one of `skipped` in them are passed over."""
    setup, calls = front.load(topic)
    wrong = []
    for call in calls:
        if call.startswith(RANDOM) or any(words in call for words in skipped):
            continue
        try:
            eager = front.run(tf, setup, call)
        except Exception:
            continue
        if not is_comparable(eager):
            continue
        expected = bits(eager)
        del eager
        try:
            got = bits(run(setup, call))
        except Exception as error:
            if not any(words in str(error) for words in reasons):
                wrong.append(f"{call}\n  {type(error).__name__}: {error}")
            continue
        if got != expected:
            wrong.append(f"{call}\n  eager: {expected}\n  {mode}: {got}")
    assert not wrong, f"{len(wrong)} of {len(calls)} calls of {topic}\n" + "\n".join(wrong)


@pytest.mark.parametrize("topic", [name for name in front.topics() if name not in OTHER_TOPICS])
def test_topic(topic):
    check_topic(topic, in_function, "function", skipped=IN_PLACE)
