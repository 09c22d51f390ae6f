"""Graphs of TensorFlow 1: building, names, scopes, control dependencies, modes."""

import numpy as np
import penstock as tf
import pytest

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def in_a_graph():
    with tf.Graph().as_default():
        yield


def names(graph):
    return [op.name for op in graph.get_operations()]


def test_ops_become_nodes():
    graph = v1.get_default_graph()
    one = tf.constant(1.0)
    two = tf.constant(2.0, name="two")
    assert names(graph) == ["Const", "two"]
    assert (one.name, two.op.name, two.op.type) == ("Const:0", "two", "Const")
    assert one.graph is graph
    assert repr(two) == "<tf.Tensor 'two:0' shape=() dtype=float32>"
    assert graph.get_tensor_by_name("two:0") == two
    assert graph.get_operation_by_name("two") is two.op
    assert not tf.executing_eagerly()


def test_names_are_unique():
    graph = v1.get_default_graph()
    tf.constant(1.0)
    assert tf.constant(1.0).name == "Const_1:0"
    assert graph.unique_name("Const") == "Const_2"


def test_name_scopes():
    graph = v1.get_default_graph()
    with v1.name_scope("a"):
        first = tf.constant(1)
        with tf.name_scope("b") as scope:
            assert scope == "a/b/"
            inner = tf.constant(2)
    with v1.name_scope("a"):
        again = tf.constant(3)
    with v1.name_scope("a/"):
        back = tf.constant(4)
    assert [t.op.name for t in (first, inner, again, back)] == [
        "a/Const",
        "a/b/Const",
        "a_1/Const",
        "a/Const_1",
    ]
    assert graph.get_name_scope() == ""


def test_every_graph_has_its_own_scope():
    with v1.name_scope("outer"):
        with tf.Graph().as_default():
            assert tf.constant(1).name == "Const:0"
        assert tf.constant(1).name == "outer/Const:0"


def test_inputs_and_consumers():
    x = v1.placeholder(tf.float32, [2])
    y = tf.square(x)
    assert [each.name for each in y.op.inputs] == ["Placeholder:0"]
    assert [op.name for op in x.consumers()] == [y.op.name]
    assert y.op.outputs == [y]


def test_graph_def_is_readable():
    graph = v1.get_default_graph()
    x = v1.placeholder(tf.float32, [2], name="x")
    tf.square(x)
    text = str(graph.as_graph_def())
    assert all(part in text for part in ('name: "x"', 'op: "Square"', 'input: "x"'))
    assert [node.op for node in graph.as_graph_def().node] == ["Placeholder", "Square"]


def test_tensors_are_keys_and_equal_themselves():
    a, b = tf.constant(1), tf.constant(1)
    assert a == a
    assert a != b
    assert {a: 1, b: 2}[a] == 1


def test_unknown_shapes():
    x = v1.placeholder(tf.float32)
    y = v1.placeholder(tf.float32, [None, 3])
    assert x.shape.rank is None
    assert y.shape.as_list() == [None, 3]
    assert tf.matmul(y, tf.zeros([3, 2])).shape.as_list() == [None, 2]


def test_control_dependencies_order_effects():
    v = v1.Variable(1.0)
    with tf.control_dependencies([v.assign(5.0)]):
        read = v.read_value()
    with v1.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(read) == 5.0
        assert sess.run(v) == 5.0


def test_group_runs_all():
    a, b = v1.Variable(1.0), v1.Variable(2.0)
    both = tf.group(a.assign(3.0), b.assign(4.0))
    with v1.Session() as sess:
        assert sess.run(both) is None
        assert sess.run([a, b]) == [3.0, 4.0]


def test_collections():
    graph = v1.get_default_graph()
    v = v1.get_variable("v", [2])
    v1.get_variable("w", [2], trainable=False)
    assert v1.trainable_variables() == [v]
    assert len(v1.global_variables()) == 2
    v1.add_to_collection("mine", 3)
    assert graph.get_collection("mine") == [3]
    assert "mine" in graph.get_all_collection_keys()


def test_finalize_and_reset():
    graph = v1.get_default_graph()
    one = tf.constant(1.0)
    graph.finalize()
    with pytest.raises(RuntimeError, match="finalized"):
        tf.constant(2.0)
    with v1.Session() as sess:
        assert sess.run(one) == 1.0


def test_modes():
    with tf.init_scope():
        pass
    assert not v1.executing_eagerly()


def test_graph_mode_of_a_program():
    import subprocess
    import sys

    program = """
import tensorflow as tf
tf.compat.v1.disable_eager_execution()
assert not tf.executing_eagerly()
x = tf.constant(2.0)
with tf.compat.v1.Session() as sess:
    assert sess.run(x * 3) == 6.0
graph = tf.compat.v1.get_default_graph()
tf.compat.v1.reset_default_graph()
assert tf.compat.v1.get_default_graph() is not graph
tf.compat.v1.enable_eager_execution()
assert tf.constant(1.0).numpy() == 1.0
"""
    made = "import penstock; penstock.install_as_tensorflow()\n" + program
    done = subprocess.run([sys.executable, "-c", made], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_seeds_of_graphs():
    def draw():
        with tf.Graph().as_default(), v1.Session() as sess:
            v1.set_random_seed(7)
            return sess.run([v1.random_normal([2]), v1.random_uniform([2], seed=3)])

    for first, second in zip(draw(), draw(), strict=True):
        np.testing.assert_array_equal(first, second)


def test_gradients_of_all_kinds():
    x, y = tf.constant(3.0), tf.constant(4.0)
    v = v1.Variable(2.0)
    z = x * y + v * v * x
    found = v1.gradients(z, [x, y, v])
    assert v1.gradients(z, [tf.constant(1.0)]) == [None]
    zero = v1.gradients(x, [y], unconnected_gradients="zero")
    weighted = v1.gradients([z, z], [y], grad_ys=[tf.constant(2.0), None])
    w = x * x
    stopped = v1.gradients(w * x, [x], stop_gradients=[w])
    assert stopped[0].name == "gradients_4/mul_4_grad/Mul_1:0"  # as in TensorFlow: no sum
    (at_stop,) = v1.gradients(w * x, [w], stop_gradients=[w])  # it is not gone past, but reached
    (at_input,) = v1.gradients(x * y, [y], stop_gradients=[y])
    with v1.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(found) == [8.0, 3.0, 12.0]
        assert sess.run([zero, weighted, stopped]) == [[0.0], [9.0], [9.0]]
        assert sess.run([at_stop, at_input]) == [3.0, 3.0]


def test_rows_have_gradients_of_rows():
    table = v1.Variable(tf.ones([4, 2]))
    rows = tf.nn.embedding_lookup(table, [1, 1, 3])
    (found,) = v1.gradients(rows, [table])
    (both,) = v1.gradients(tf.reduce_sum(rows) + tf.reduce_sum(table), [table])
    with v1.Session() as sess:
        sess.run(table.initializer)
        got = sess.run(found)
        np.testing.assert_array_equal(got.indices, [1, 1, 3])
        np.testing.assert_array_equal(sess.run(both)[:, 0], [1, 3, 1, 2])


def test_gradients_that_nothing_begins():
    x = v1.placeholder(tf.float32, [])
    with pytest.raises(TypeError, match="string"):
        v1.gradients(tf.strings.as_string(x), x)
    with pytest.raises(TypeError, match="grad_ys"):
        v1.gradients(tf.complex(x, x), x)
    assert v1.gradients(x, tf.constant("a")) == [None]
