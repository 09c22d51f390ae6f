"""Converted functions: equal to what Python makes of them, and to what TensorFlow does.

The functions, and what TensorFlow gave for them, are in tests/recorded (autograph.py)."""

import sys
from pathlib import Path

import penstock as tf
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "recorded"))
import autograph
import front

# Functions whose runs differ from TensorFlow's, and how.
DIFFERENT = {
    "non_local": "TensorFlow loses what a nested function changes",
    "return_from_loop": "a return from a loop over values is a return",
    "break_from_python_loop": "loops may have an else",
    "loop_with_else": "loops may have an else",
    "last_of_loop": "TensorFlow finds no value for the variable of an eager loop",
}
# Those that Python runs otherwise: the options of a loop are for converted code.
NOT_AS_PYTHON = ("at_most",)
TOPICS = [topic for topic in autograph.topics() if topic != "mistakes"]
cases = {topic: autograph.load(tf, topic) for topic in autograph.topics()}


def check(topic, mode, is_right):
    """Runs the functions of a topic, and names those whose answers are not right."""
    recorded, wrong = autograph.recorded(topic), []
    for name, (function, args) in cases[topic].items():
        got = autograph.answer(tf, mode, function, args)
        expected = recorded[name].get(mode)
        if not is_right(function, args, got, expected):
            wrong.append(f"{name}\n  TensorFlow: {expected}\n  penstock:   {got}")
    assert not wrong, f"{len(wrong)} of {topic}, {mode}\n" + "\n".join(wrong)


def as_written(function, args, got) -> bool:
    written = autograph.answer(tf, "python", function, args)
    is_same = autograph.plain(got) == autograph.plain(written)
    return is_same or function.__name__ in NOT_AS_PYTHON


def as_tensorflow(function, got, expected) -> bool:
    is_same = autograph.plain(got) == autograph.plain(expected)
    return is_same or expected["kind"] == "error" or function.__name__ in DIFFERENT


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("mode", ["python", "operators"])
def test_eager(topic, mode):
    def is_right(function, args, got, expected):
        return as_written(function, args, got) and as_tensorflow(function, got, expected)

    check(topic, mode, is_right)


@pytest.mark.parametrize("topic", TOPICS)
def test_function(topic):
    def is_right(function, args, got, expected):
        if expected["kind"] == "error" and got["kind"] == "error":
            return got == expected
        is_same = expected["kind"] == "error" or front.same(got, expected)
        return as_written(function, args, got) and (is_same or function.__name__ in DIFFERENT)

    check(topic, "function", is_right)


@pytest.mark.parametrize("topic", TOPICS)
def test_python_values_take_the_way_of_python(topic):
    def is_right(function, args, got, expected):
        if function.__name__ in ("types", "factorial", *NOT_AS_PYTHON):
            return True  # these ask for tensors
        if got["kind"] == "error" and got["class"] == "NotImplementedError":
            return function.__name__ == "return_from_loop"
        return autograph.plain(got) == autograph.plain(front.describe(tf, function(*args)))

    check(topic, "values", is_right)


def test_mistakes_in_functions():
    check("mistakes", "function", lambda function, args, got, expected: got == expected)


def test_mistakes_with_operators():
    def is_right(function, args, got, expected):
        if expected["kind"] == "error":
            return got["class"] == expected["class"]
        return autograph.plain(got) == autograph.plain(expected)

    check("mistakes", "operators", is_right)
