"""Converted functions: equal to what Python makes of them, and to what TensorFlow does.

The functions, and what TensorFlow gave for them, are in tests/recorded (autograph.py)."""

import sys
from pathlib import Path

import penstock as tf
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "recorded"))
import autograph
import front

TOPICS = [topic for topic in autograph.topics() if topic != "mistakes"]
cases = {topic: autograph.load(tf, topic) for topic in autograph.topics()}


def check(topic, mode, is_right, listed=()):
    """Runs the functions of a topic, and names those whose answers are not right, or are though
    they are listed."""
    recorded, wrong = autograph.recorded(topic), []
    for name, (function, args) in cases[topic].items():
        got = autograph.answer(tf, mode, function, args)
        expected = recorded[name].get(mode)
        if is_right(function, args, got, expected) == (name in listed):
            how = "no longer differs, TensorFlow" if name in listed else "TensorFlow"
            wrong.append(f"{name}\n  {how}: {expected}\n  penstock:   {got}")
    assert not wrong, f"{len(wrong)} of {topic}, {mode}\n" + "\n".join(wrong)


def as_written(function, args, got, expected) -> bool:
    return autograph.plain(got) == autograph.plain(autograph.answer(tf, "python", function, args))


def as_tensorflow(function, args, got, expected) -> bool:
    if expected["kind"] == "error":
        return got == expected
    return autograph.plain(got) == autograph.plain(expected)


def as_tensorflow_traces(function, args, got, expected) -> bool:
    return got == expected if expected["kind"] == "error" else front.same(got, expected)


def as_python(function, args, got, expected) -> bool:
    try:
        written = front.describe(tf, function(*args))
    except AttributeError:  # it needs tensors
        return False
    return autograph.plain(got) == autograph.plain(written)


# Functions whose runs differ are listed, each by its name and arguments, in
# tests/recorded/otherwise/autograph.txt.
def listed(mode):
    return front.otherwise("autograph", mode)


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("mode", autograph.MODES)
def test_as_written(topic, mode):
    check(topic, mode, as_written, listed(f"{mode}, not as Python"))


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("mode", ["python", "operators"])
def test_eager(topic, mode):
    check(topic, mode, as_tensorflow, listed(mode))


@pytest.mark.parametrize("topic", TOPICS)
def test_function(topic):
    check(topic, "function", as_tensorflow_traces, listed("function"))


@pytest.mark.parametrize("topic", TOPICS)
def test_python_values_take_the_way_of_python(topic):
    check(topic, "values", as_python, listed("values"))


def test_the_list_names_functions():
    names = {name for topic in TOPICS for name in cases[topic]}
    modes = [*autograph.MODES, "values", *(f"{mode}, not as Python" for mode in autograph.MODES)]
    assert {name for mode in modes for name in listed(mode)} <= names
    assert {mode for mode, _ in front.otherwise_entries("autograph")} <= {*modes}


def test_every_recorded_answer_is_compared():
    assert {path.stem for path in autograph.DATA.glob("*.json")} == {*autograph.topics()}
    for topic in autograph.topics():
        assert {*autograph.recorded(topic)} == {*cases[topic]}, topic
        assert len(cases[topic]) >= 10, topic


def test_mistakes_in_functions():
    check("mistakes", "function", lambda function, args, got, expected: got == expected)


def test_mistakes_with_operators():
    def is_right(function, args, got, expected):
        if expected["kind"] == "error":
            return got["class"] == expected["class"]
        return autograph.plain(got) == autograph.plain(expected)

    check("mistakes", "operators", is_right)
