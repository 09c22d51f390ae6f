"""tf.compat.v1.layers and nn.rnn_cell, over the collections of a graph."""

import numpy as np
import penstock as tf
import pytest

v1 = tf.compat.v1
pytestmark = pytest.mark.usefixtures("graph_collections")
rng = np.random.RandomState(0)


def values():
    return {v.name[:-2]: v.numpy() for v in v1.global_variables()}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_dense():
    x = rng.randn(4, 3).astype(np.float32)
    made = v1.layers.dense(x, 2, tf.nn.relu, bias_initializer=v1.constant_initializer(0.5))
    found = values()
    assert list(found) == ["dense/kernel", "dense/bias"]
    np.testing.assert_allclose(made, np.maximum(x @ found["dense/kernel"] + 0.5, 0), rtol=1e-5)
    assert v1.layers.dense(tf.ones([2, 5, 3]), 4, use_bias=False).shape == [2, 5, 4]
    assert list(values())[2:] == ["dense_1/kernel"]
    with v1.variable_scope("", reuse=True):
        again = v1.layers.dense(x, 2, tf.nn.relu, name="dense")
    np.testing.assert_array_equal(again, made)
    layer = v1.layers.Dense(2, name="own")
    np.testing.assert_array_equal(layer(x), layer(x))
    assert [v.name for v in layer.trainable_variables] == ["own/kernel:0", "own/bias:0"]
    with pytest.raises(ValueError, match="already exists"):
        v1.layers.dense(x, 2, name="own")


def test_regularizers_add_losses():
    v1.layers.dense(tf.ones([1, 2]), 3, kernel_regularizer=tf.nn.l2_loss)
    (loss,) = v1.losses.get_regularization_losses()
    np.testing.assert_allclose(loss, (values()["dense/kernel"] ** 2).sum() / 2, rtol=1e-5)


def test_images():
    x = tf.constant(rng.randn(2, 6, 6, 3), tf.float32)
    made = v1.layers.conv2d(x, 4, 3, padding="same", name="c")
    np.testing.assert_allclose(made, tf.nn.conv2d(x, values()["c/kernel"], 1, "SAME"), rtol=1e-5)
    assert v1.layers.conv2d(x, 4, [3, 2], strides=2).shape == [2, 2, 3, 4]
    assert v1.layers.max_pooling2d(x, 2, 2).shape == [2, 3, 3, 3]
    assert v1.layers.average_pooling2d(x, (3, 3), 1, "same").shape == [2, 6, 6, 3]
    assert v1.layers.conv2d_transpose(x, 5, 3, 2, "same").shape == [2, 12, 12, 5]
    assert v1.layers.conv2d_transpose(x, 5, 3, 2).shape == [2, 13, 13, 5]
    assert v1.layers.flatten(x).shape == [2, 108]


def test_dropout():
    x = tf.ones([50, 50])
    assert v1.layers.dropout(x, 0.4) is x
    kept = v1.layers.dropout(x, 0.4, training=True).numpy()
    assert set(np.unique(kept)) == {0, np.float32(1 / 0.6)}
    np.testing.assert_array_equal(v1.layers.dropout(x, 0.4, training=tf.constant(False)), x)


def test_dropout_draws_numbers_only_while_training():
    drawn = []
    for evaluates in (False, True):
        with tf.Graph().as_default(), v1.Session() as session:
            v1.set_random_seed(3)
            training = v1.placeholder_with_default(False, [])
            kept = v1.layers.dropout(tf.ones([64]), 0.5, training=training)
            first = session.run(kept, {training: True})
            if evaluates:
                assert (session.run(kept) == 1.0).all()
            drawn.append([first, session.run(kept, {training: True})])
    np.testing.assert_array_equal(*drawn)
    assert (drawn[0][0] != drawn[0][1]).any()


@pytest.mark.parametrize("shape", [[8, 3], [4, 2, 2, 3]])
def test_batch_normalization(shape):
    x = (3 * rng.randn(*shape) + 1).astype(np.float32)
    layer = v1.layers.BatchNormalization(momentum=0.75, epsilon=0.0)
    np.testing.assert_allclose(layer(x), x, rtol=1e-5)  # nothing has been seen yet
    made = np.asarray(layer(x, training=tf.constant(True))).reshape(-1, 3)
    np.testing.assert_allclose(made.mean(0), 0, atol=1e-5)
    np.testing.assert_allclose(made.std(0), 1, rtol=1e-4)
    rows = x.reshape(-1, 3)
    np.testing.assert_allclose(layer.moving_mean, rows.mean(0) / 4, rtol=1e-4)
    variance = rows.var(0, ddof=1 if len(shape) == 4 else 0)
    np.testing.assert_allclose(layer.moving_variance, 0.75 + variance / 4, rtol=1e-4)
    assert len(v1.get_collection(v1.GraphKeys.UPDATE_OPS)) == 2
    assert [v.name for v in layer.non_trainable_variables] == [
        "batch_normalization/moving_mean:0",
        "batch_normalization/moving_variance:0",
    ]


def test_lstm():
    steps = [rng.randn(2, 3).astype(np.float32) for _ in range(3)]
    cell = v1.nn.rnn_cell.BasicLSTMCell(4)
    outputs, state = v1.nn.static_rnn(cell, steps, dtype=tf.float32, sequence_length=[3, 1])
    kernel = values()["rnn/basic_lstm_cell/kernel"]
    c = h = np.zeros([2, 4])
    for x in steps:
        i, j, f, o = np.split(np.concatenate([x, h], 1) @ kernel, 4, 1)
        c = c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
        h = np.tanh(c) * sigmoid(o)
    np.testing.assert_allclose(state.c[0], c[0], rtol=1e-4)
    np.testing.assert_allclose(outputs[2][0], h[0], rtol=1e-4)
    np.testing.assert_array_equal(outputs[1][1], np.zeros(4))
    np.testing.assert_array_equal(state.h[1], outputs[0][1])


def test_cells_above_each_other():
    rnn_cell = v1.nn.rnn_cell
    cell = rnn_cell.MultiRNNCell(
        [rnn_cell.GRUCell(4), rnn_cell.DropoutWrapper(rnn_cell.BasicRNNCell(2), 1.0)]
    )
    assert cell.state_size == (4, 2)
    steps = [tf.ones([3, 5])] * 2
    outputs, _ = v1.nn.static_rnn(cell, steps, cell.zero_state(3, tf.float32))
    assert outputs[1].shape == [3, 2]
    assert [name for name in values() if "bias" not in name] == [
        "rnn/multi_rnn_cell/cell_0/gru_cell/gates/kernel",
        "rnn/multi_rnn_cell/cell_0/gru_cell/candidate/kernel",
        "rnn/multi_rnn_cell/cell_1/basic_rnn_cell/kernel",
    ]
    with pytest.raises(ValueError, match="`dtype` must be specified"):
        v1.nn.static_rnn(rnn_cell.GRUCell(4), steps)
    with pytest.raises(TypeError, match="must be a sequence"):
        v1.nn.static_rnn(rnn_cell.GRUCell(4), tf.ones([2, 3, 4]), dtype=tf.float32)


def test_both_directions():
    steps = [tf.constant(rng.randn(2, 3), tf.float32) for _ in range(3)]
    cells = [v1.nn.rnn_cell.BasicRNNCell(2), v1.nn.rnn_cell.BasicRNNCell(2)]
    with v1.variable_scope("same", initializer=v1.constant_initializer(0.1)):
        outputs, forward, backward = v1.nn.static_bidirectional_rnn(*cells, steps, dtype=tf.float32)
    turned, *_ = v1.nn.static_bidirectional_rnn(*cells, steps[::-1], dtype=tf.float32)
    np.testing.assert_array_equal(outputs[-1][:, :2], forward)
    np.testing.assert_array_equal(outputs[0][:, 2:], backward)
    np.testing.assert_array_equal(turned[0][:, 2:], forward)
