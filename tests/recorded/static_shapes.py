"""The static shapes of the calls of front_cases inside a tf.function whose arguments have open
sizes: once with no size of the setup's tensors known, once without the first.

record_shapes.py writes TensorFlow's to shape_data.jsonl; tests/python/front/test_shape_answers.py
compares.
"""

from __future__ import annotations

import ast
import json

import front
import numpy as np

DATA = front.HERE / "shape_data.jsonl"
OPEN = {"first": 1, "all": 99}  # how many dimensions, from the first on
# What prints, fails, draws or makes functions of its own has no static shapes to compare.
OTHER_TOPICS = {"mistakes", "printing", "seeds", "tracing", "control_flow"}


def cases():
    for topic in front.topics():
        if topic in OTHER_TOPICS:
            continue
        setup, calls = front.load(topic)
        for call in dict.fromkeys(calls):
            for how in OPEN:
                yield topic, setup, call, how


def static_shapes(tf, setup: str, call: str, how: str):
    """A list of sizes, with None for one that is not known, for each tensor of the result; None for
    an unknown rank. No list at all where the call cannot be traced, or gives no tensors."""
    names = {"tf": tf, "np": np}
    exec(setup, names)
    given = {
        key: value
        for key, value in names.items()
        if isinstance(value, tf.Tensor) and value.dtype != tf.string
    }
    *statements, last = ast.parse(call).body
    found = []

    def trace(tensors):
        names.update(tensors)
        exec(compile(ast.Module(statements, []), "<call>", "exec"), names)
        result = eval(compile(ast.Expression(last.value), "<call>", "eval"), names)
        for leaf in tf.nest.flatten(result):
            if isinstance(leaf, tf.Tensor):
                found.append(None if leaf.shape.rank is None else leaf.shape.as_list())

    specs = {}
    for key, value in given.items():
        sizes, count = value.shape.as_list(), OPEN[how]
        specs[key] = tf.TensorSpec([None] * len(sizes[:count]) + sizes[count:], value.dtype)
    try:
        tf.function(trace, input_signature=[specs], autograph=False).get_concrete_function()
    except Exception:
        return None
    return found or None


def is_open(shapes) -> bool:
    return any(shape is None or None in shape for shape in shapes)


def recorded() -> list[dict]:
    return [json.loads(line) for line in DATA.read_text().splitlines()]
