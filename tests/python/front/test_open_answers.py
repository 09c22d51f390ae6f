"""The recorded calls of tests/recorded inside a tf.function whose arguments have open sizes: the
same results as outside, to the bit. Tensors of a topic's setup are the arguments, once with no size
known and once without the first. What the trace says of a result's shape must hold for it."""

import ast

import numpy as np
import penstock as tf
import pytest
from test_function_answers import IN_PLACE, OTHER_TOPICS, RANDOM, bits, front, is_comparable

# What a call may say inside a function, and why.
REASONS = {
    "only supports singleton tf.Variables": "the call makes a variable each time",
    "are valid indices, got <tf.Var": "a tensor from outside with an index known later",
    "Iterating over a symbolic": "a loop over a tensor is not traced yet",
    "object has no attribute 'numpy'": "the call itself takes a value out",
    "depends on the function's": "a variable's first value is not known while tracing",
    "Cannot infer argument `num`": "how many tensors there are must be known",
    "uninitialized tensors": "what an array holds that was never written is not known",
    "must be a non negative": "an array of no size is a mistake in functions",
    "target to be known": "a jacobian is one gradient for each element of the target",
}


def spec(tensor, how_many):
    sizes = list(tensor.shape)
    return tf.TensorSpec([None] * len(sizes[:how_many]) + sizes[how_many:], tensor.dtype)


# Calls whose answer is another one yet, and why.
OTHER_ANSWERS = {
    "grad(lambda m: tf.gather(m": "the gradient of a gather from an argument is dense",
    "second(lambda x: 2.0 * x, x)": "zeros, not None, where sizes are open",
    "a == ": "tensors of shapes that do not fit are not equal: here an error",
    "a != ": "tensors of shapes that do not fit are not equal: here an error",
}
# Control flow has functions of its own.
TOPICS = [name for name in front.topics() if name not in {*OTHER_TOPICS, "control_flow"}]


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
    try:
        eager = front.run(tf, setup, call)
    except Exception:
        return None
    if not is_comparable(eager):
        return None
    expected = bits(eager)
    try:
        found, known = in_open_function(setup, call, how_many)
    except Exception as error:
        is_listed = any(words in str(error) for words in REASONS)
        return None if is_listed else f"{type(error).__name__}: {error}"
    if bits(found) != expected:
        return f"eager:    {expected}\n  function: {bits(found)}"
    if not all(a.is_compatible_with(b) for a, b in zip(known, shapes(found), strict=True)):
        return f"shapes {shapes(found)} were traced as {known}"
    return None


@pytest.mark.parametrize("how_many", [1, 99], ids=["first", "all"])
@pytest.mark.parametrize("topic", TOPICS)
def test_topic(topic, how_many):
    setup, calls = front.load(topic)
    left_out = (*RANDOM, *OTHER_ANSWERS)
    wrong = {
        call: found
        for call in calls
        if not call.startswith(left_out)
        and not any(words in call for words in IN_PLACE)
        and (found := mistake(setup, call, how_many))
    }
    lines = [f"{call}\n  {found}" for call, found in wrong.items()]
    assert not wrong, f"{len(wrong)} of {len(calls)} calls of {topic}\n" + "\n".join(lines)
