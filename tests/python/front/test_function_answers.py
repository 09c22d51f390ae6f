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
from test_answers import DIFFERENT, MISSING

# Mistakes are errors outside too, seeds are said elsewhere, some make functions or variables of
# their own, conversions are made before a function has them, and the others give no tensors.
OTHER_TOPICS = {
    *("mistakes", "printing", "seeds", "tracing"),
    *("conversions", "refusals", "sizes_and_axes", "slices_of_rows"),
    *("dtype_rules", "printed_forms", "training", "v1_metrics"),
}
TOPICS = [name for name in front.topics() if name not in OTHER_TOPICS]
# How many calls of a topic must be compared at least: a list that grows is noticed.
FLOOR, FEW = 10, {"v1_flags": 1, "v1_summaries": 4}


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


def bits(value):
    """Texts that are equal when the values are, with their kinds of nan."""
    return repr(front.describe(tf, value))


def mistake(setup, call, run, mode):
    """What is wrong with a call as `run(setup, call)` makes it, next to an eager one."""
    expected = bits(front.run(tf, setup, call))
    try:
        got = bits(run(setup, call))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None if got == expected else f"eager: {expected}\n  {mode}: {got}"


def check_topic(topic, mode, mistake):
    """Every call of a topic that TensorFlow answers with tensors. Those of which `mistake(setup,
    call)` has something to say are listed by their whole text (tests/recorded/otherwise), and no
    others are."""
    setup, calls = front.load(topic)
    recorded, listed = front.recorded(topic), front.otherwise(mode, topic)
    comparable = [
        call
        for call in dict.fromkeys(calls)
        if front.is_tensors(recorded[call]) and call not in DIFFERENT and call not in MISSING
    ]
    found = {call: mistake(setup, call) for call in comparable}
    wrong = [f"{call}\n  {what}" for call, what in found.items() if what and call not in listed]
    stale = [call for call in listed if not found.get(call)]
    assert not wrong, f"{len(wrong)} of {len(calls)} calls of {topic}\n" + "\n".join(wrong)
    assert not stale, f"{topic}, {mode}: no longer otherwise\n" + "\n".join(stale)
    assert len(found) - len(listed) >= FEW.get(topic, FLOOR)


@pytest.mark.parametrize("topic", TOPICS)
def test_topic(topic):
    check_topic(
        topic, "function", lambda setup, call: mistake(setup, call, in_function, "function")
    )
