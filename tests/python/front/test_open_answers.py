"""The recorded calls of tests/recorded inside a tf.function whose arguments have open sizes: the
same results as outside, to the bit. Tensors of a topic's setup are the arguments, once with no size
known and once without the first. What the trace says of a result's shape must hold for it."""

import ast

import numpy as np
import penstock as tf
import pytest
from test_function_answers import TOPICS, bits, check_topic, front


def spec(tensor, how_many):
    sizes = list(tensor.shape)
    return tf.TensorSpec([None] * len(sizes[:how_many]) + sizes[how_many:], tensor.dtype)


def in_open_function(setup, call, how_many):
    """The results, and what the trace knew of their shapes."""
    names = {"tf": tf, "np": np}
    exec(setup, names)
    given = {
        key: value
        for key, value in names.items()
        if isinstance(value, tf.Tensor) and value.dtype != tf.string
    }
    *statements, last = ast.parse(call).body
    known = []

    @tf.function(input_signature=[{key: spec(value, how_many) for key, value in given.items()}])
    def f(tensors):
        names.update(tensors)  # the functions of the setup see them too
        exec(compile(ast.Module(statements, []), "<call>", "exec"), names)
        result = eval(compile(ast.Expression(last.value), "<call>", "eval"), names)
        known.extend(shapes(result))
        return result

    return f(given), known


def shapes(result):
    return [leaf.shape for leaf in tf.nest.flatten(result) if isinstance(leaf, tf.Tensor)]


def mistake(setup, call, how_many):
    """What is wrong with a call's answer, if something is."""
    expected = bits(front.run(tf, setup, call))
    try:
        found, known = in_open_function(setup, call, how_many)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if bits(found) != expected:
        return f"eager:    {expected}\n  function: {bits(found)}"
    if not all(a.is_compatible_with(b) for a, b in zip(known, shapes(found), strict=True)):
        return f"shapes {shapes(found)} were traced as {known}"
    return None


@pytest.mark.parametrize(("mode", "how_many"), [("open_first", 1), ("open_all", 99)])
@pytest.mark.parametrize("topic", [name for name in TOPICS if name != "control_flow"])
def test_topic(topic, mode, how_many):
    check_topic(topic, mode, lambda setup, call: mistake(setup, call, how_many))
