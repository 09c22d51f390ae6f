"""Branches and loops in graphs of TensorFlow 1: variables in them, recurrent networks."""

import numpy as np
import penstock as tf
import pytest

v1 = tf.compat.v1
STEPS = np.linspace(-1.0, 1.0, 2 * 3 * 2, dtype=np.float32).reshape(2, 3, 2)


def run(build, **feeds):
    """What `build(**placeholders)` gives in a new graph, after its variables have their values."""
    with v1.Graph().as_default(), v1.Session() as session:
        fed = {name: v1.placeholder(tf.constant(x).dtype, np.shape(x)) for name, x in feeds.items()}
        made = build(**fed)
        session.run(v1.global_variables_initializer())
        return session.run(made, {fed[name]: x for name, x in feeds.items()})


def counter():
    return v1.get_variable("count", [], initializer=v1.zeros_initializer())


@pytest.mark.parametrize("pred", [True, False])
def test_a_branch_assigns_where_it_runs(pred):
    def build(pred):
        count = counter()
        result = v1.cond(pred, lambda: v1.assign_add(count, 2.0), lambda: count + 10.0)
        with v1.control_dependencies([result]):
            return [result, count.read_value()]

    assert run(build, pred=pred) == ([2.0, 2.0] if pred else [10.0, 0.0])


@pytest.mark.parametrize("pred", [True, False])
def test_branches_of_operations(pred):
    def build(pred):
        count = counter()
        done = v1.cond(pred, lambda: v1.group(v1.assign_add(count, 2.0)), lambda: v1.no_op())
        with v1.control_dependencies([done]):
            return count.read_value()

    assert run(build, pred=pred) == 2.0 * pred


def test_a_loop_assigns_in_every_iteration():
    def build(n):
        count = counter()

        def body(i):
            inner = v1.cond(i % 2 == 0, lambda: v1.assign_add(count, 1.0), lambda: count)
            with v1.control_dependencies([inner]):
                return i + 1

        last = v1.while_loop(lambda i: i < n, body, [0])
        with v1.control_dependencies([last]):
            return [last, count.read_value()]

    assert run(build, n=5) == [5, 3.0]


def test_variables_made_inside_belong_to_the_graph():
    def build():
        def body(i, x):
            weight = v1.get_variable("w", [], initializer=v1.constant_initializer(3.0))
            return i + 1, x * weight

        with v1.variable_scope("loop", reuse=v1.AUTO_REUSE):
            y = v1.while_loop(lambda i, x: i < 2, body, [0, 1.0])[1]
        (weight,) = v1.trainable_variables()
        assert weight.name == "loop/w:0"
        return [y, v1.gradients(y, weight)[0]]

    assert run(build) == [9.0, 6.0]


def test_a_training_step_goes_through_a_loop():
    def build(x):
        weight = v1.get_variable("w", [2, 2], initializer=v1.ones_initializer())
        y = v1.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, tf.matmul(y, weight)), [0, x])[1]
        step = v1.train.GradientDescentOptimizer(0.01).minimize(tf.reduce_sum(y))
        with v1.control_dependencies([step]):
            return weight.read_value()

    np.testing.assert_allclose(run(build, x=np.eye(2, dtype=np.float32)), np.full((2, 2), 0.96))


def test_names_and_single_results():
    def build(pred):
        made = v1.cond(pred, lambda: [tf.constant(1)], lambda: [tf.constant(2)])
        loop = v1.while_loop(lambda i: i < 3, lambda i: i + 1, [made], name="up")
        assert (made.name, loop.name) == names
        return loop

    names = ("cond/Identity:0", "up/Identity_2:0")
    assert run(build, pred=True) == 3
    v1.disable_control_flow_v2()
    try:
        names = ("cond/Merge:0", "up/Exit:0")
        assert run(build, pred=True) == 3
    finally:
        v1.enable_control_flow_v2()
    with pytest.raises(TypeError, match="must not be a Python bool"):
        run(lambda: v1.cond(True, lambda: 1, lambda: 2))
    with pytest.raises(ValueError, match="must have a return value"):
        run(lambda pred: v1.cond(pred, lambda: None, lambda: 2), pred=True)


def test_an_exclusive_case():
    def build(first, second):
        pairs = [(first, lambda: tf.constant(1)), (second, lambda: tf.constant(2))]
        return v1.case(pairs, default=lambda: tf.constant(3), exclusive=True)

    assert run(build, first=False, second=True) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="More than one condition"):
        run(build, first=True, second=True)


CELLS = [v1.nn.rnn_cell.BasicRNNCell, v1.nn.rnn_cell.LSTMCell, v1.nn.rnn_cell.GRUCell]


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("lengths", [None, [1, 3]])
def test_dynamic_rnn_is_static_rnn(cell, lengths):
    def network(make):
        def build(x):
            ones = v1.constant_initializer(0.3)
            with v1.variable_scope("net", initializer=ones):
                outputs, state = make(cell(4), x)
            slopes = v1.gradients(tf.reduce_sum(outputs), v1.trainable_variables())
            return [outputs, *tf.nest.flatten(state), *slopes]

        return build

    def dynamic(cell, x):
        return v1.nn.dynamic_rnn(cell, x, lengths, dtype=tf.float32)

    def static(cell, x):
        steps = tf.unstack(x, axis=1)
        outputs, state = v1.nn.static_rnn(cell, steps, dtype=tf.float32, sequence_length=lengths)
        return tf.stack(outputs, 1), state

    made = run(network(dynamic), x=STEPS), run(network(static), x=STEPS)
    for one, other in zip(*made, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_dynamic_rnn_of_open_shapes():
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, None, 2])
        outputs, _ = v1.nn.dynamic_rnn(v1.nn.rnn_cell.GRUCell(3), x, dtype=tf.float32)
        assert outputs.shape.as_list() == [None, None, 3]
        session.run(v1.global_variables_initializer())
        assert session.run(outputs, {x: STEPS}).shape == (2, 3, 3)
        assert session.run(outputs, {x: STEPS[:1, :2]}).shape == (1, 2, 3)


def test_both_directions():
    def build(x):
        cells = v1.nn.rnn_cell.BasicRNNCell(3), v1.nn.rnn_cell.BasicRNNCell(3)
        with v1.variable_scope("net", initializer=v1.ones_initializer()):
            outputs, states = v1.nn.bidirectional_dynamic_rnn(
                *cells, x, sequence_length=[2, 3], dtype=tf.float32
            )
        return [*outputs, *states]

    forward, backward, last, first = run(build, x=STEPS)
    np.testing.assert_array_equal(forward[0, 2], 0.0)
    np.testing.assert_array_equal(forward[1, 2], last[1])
    np.testing.assert_array_equal(backward[:, 0], first)


def test_mistakes_of_dynamic_rnn():
    cell = v1.nn.rnn_cell.BasicRNNCell(3)
    for kind, call in [
        (TypeError, lambda x: v1.nn.dynamic_rnn(3, x, dtype=tf.float32)),
        (ValueError, lambda x: v1.nn.dynamic_rnn(cell, x)),
        (ValueError, lambda x: v1.nn.dynamic_rnn(cell, x, [[1]], dtype=tf.float32)),
        (ValueError, lambda x: v1.nn.dynamic_rnn(cell, x[0, 0], dtype=tf.float32)),
    ]:
        with pytest.raises(kind):
            run(call, x=STEPS)
