"""tf.variable_creator_scope, as TensorFlow has it."""

import threading

import penstock as tf
import pytest


def naming(suffix, seen):
    def creator(next_creator, **arguments):
        seen.append((suffix, arguments["initial_value"], arguments["trainable"]))
        arguments["name"] = (arguments["name"] or "v") + suffix
        return next_creator(**arguments)

    return creator


def test_the_inner_scope_is_asked_first():
    seen = []
    with tf.variable_creator_scope(naming("_a", seen)):
        with tf.variable_creator_scope(naming("_b", seen)):
            v = tf.Variable(2.0, name="w", trainable=False)
        w = tf.Variable(initial_value=3.0)
    assert (v.name, v.trainable, w.name) == ("w_b_a:0", False, "v_a:0")
    assert seen == [("_b", 2.0, False), ("_a", 2.0, False), ("_a", 3.0, None)]
    assert tf.Variable(1.0).name == "Variable:0"


def test_a_creator_may_give_something_else():
    with tf.variable_creator_scope(lambda next_creator, **arguments: "else"):
        assert tf.Variable(1.0) == "else"
        names = []
        thread = threading.Thread(target=lambda: names.append(tf.Variable(1.0).name))
        thread.start()
        thread.join()
    assert names == ["Variable:0"]


def test_the_scope_ends_with_an_error():
    with pytest.raises(ValueError, match="no"), tf.variable_creator_scope(naming("_a", [])):
        raise ValueError("no")
    assert tf.Variable(1.0).name == "Variable:0"
