"""Converted functions: equal to what Python makes of them, and to what TensorFlow does.

The functions, and what TensorFlow gave for them, are in tests/recorded (autograph.py)."""

import sys
from pathlib import Path

import penstock as tf
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "recorded"))
import autograph
import front

# Runs that differ from TensorFlow's, and how: by case, or by the function of a case.
DIFFERENT = {
    "return_from_loop": "a return from a loop is one in eager programs as well",
    "break_from_python_loop": "loops may have an else",
    "loop_with_else": "loops may have an else",
    "last_of_loop": "TensorFlow finds no value for the variable of an eager loop",
}
# What needs loops of a graph: until there are any, these say so.
WAITING = tf.errors.UnimplementedError
ALL = {
    f"{topic}: {name}": (topic, name, *case)
    for topic in autograph.topics()
    for name, case in autograph.load(tf, topic).items()
}
MISTAKES = [key for key in ALL if ALL[key][0] == "mistakes"]
RIGHT = [key for key in ALL if key not in MISTAKES]


def answers(key, mode):
    """penstock's answer and TensorFlow's; None for the latter where they differ and may."""
    topic, name, function, args = ALL[key]
    expected = autograph.recorded(topic)[name]
    got = autograph.answer(tf, mode, function, args)
    if got["kind"] == "error" and got["class"] == "UnimplementedError":
        pytest.skip("needs control flow in graphs")
    return got, None if function.__name__ in DIFFERENT else expected.get(mode)


@pytest.mark.parametrize("key", RIGHT)
def test_as_written(key):
    got, expected = answers(key, "python")
    assert expected is None or autograph.plain(got) == autograph.plain(expected)


@pytest.mark.parametrize("key", RIGHT)
def test_operators_are_as_python(key):
    _, _, function, args = ALL[key]
    got, expected = answers(key, "operators")
    written = autograph.answer(tf, "python", function, args)
    assert autograph.plain(got) == autograph.plain(written)
    if expected is not None:
        assert autograph.plain(got) == autograph.plain(expected)


@pytest.mark.parametrize("key", RIGHT)
def test_functions_are_as_tensorflow(key):
    _, _, function, args = ALL[key]
    got, expected = answers(key, "function")
    written = autograph.answer(tf, "python", function, args)
    assert autograph.plain(got) == autograph.plain(written)
    if expected is not None and expected["kind"] != "error":
        assert front.same(got, expected)


@pytest.mark.parametrize("key", RIGHT)
def test_python_values_take_the_way_of_python(key):
    _, _, function, args = ALL[key]
    try:
        written = front.describe(tf, function(*args))
    except AttributeError:
        pytest.skip("needs tensors")
    got = autograph.answer(tf, "values", function, args)
    if function.__name__ == "types":
        return
    assert autograph.plain(got) == autograph.plain(written)


@pytest.mark.parametrize("key", MISTAKES)
def test_mistakes_of_functions(key):
    got, expected = answers(key, "function")
    assert got == expected


@pytest.mark.parametrize("key", MISTAKES)
def test_mistakes_with_operators(key):
    got, expected = answers(key, "operators")
    if expected["kind"] == "error":
        assert got["class"] == expected["class"]
    else:
        assert autograph.plain(got) == autograph.plain(expected)
