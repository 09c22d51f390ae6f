"""The recorded calls of tests/recorded as nodes of a graph that a session runs: the same results as
calls that run at once, to the bit. Tensors of a topic's setup are fed."""

import ast

import numpy as np
import penstock as tf
import pytest
from test_function_answers import TOPICS, check_topic, mistake

v1 = tf.compat.v1


def in_graph(setup, call):
    names, eager = {"tf": tf, "np": np}, {"tf": tf, "np": np}
    exec(setup, eager)
    *statements, last = ast.parse(call).body
    with tf.Graph().as_default(), v1.Session() as sess:
        exec(setup, names)
        feeds = {
            value: eager[key]
            for key, value in names.items()
            if isinstance(value, tf.Tensor) and hasattr(value, "_value")
        }
        exec(compile(ast.Module(statements, []), "<call>", "exec"), names)
        made = eval(compile(ast.Expression(last.value), "<call>", "eval"), names)
        leaves = tf.nest.flatten(made)
        leaves = [None if isinstance(leaf, tf.Operation) else leaf for leaf in leaves]
        sess.run(v1.global_variables_initializer())
        found = iter(sess.run([leaf for leaf in leaves if leaf is not None], feeds))
    values = [None if leaf is None else as_tensor(leaf, next(found)) for leaf in leaves]
    return tf.nest.pack_sequence_as(made, values)


def as_tensor(leaf, value):
    if isinstance(leaf, tf.IndexedSlices):
        return tf.IndexedSlices(tf.constant(value.values), tf.constant(value.indices))
    return tf.constant(value, leaf.dtype)


@pytest.mark.parametrize("topic", TOPICS)
def test_topic(topic):
    check_topic(topic, "graph", lambda setup, call: mistake(setup, call, in_graph, "graph"))
