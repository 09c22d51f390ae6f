"""Static shapes: as known as TensorFlow's, and never wrong (op_check shapes has the ops)."""

import functools

import numpy as np
import penstock as tf
import pytest

v1 = tf.compat.v1


def in_graph(test):
    @functools.wraps(test)
    def run():
        with tf.Graph().as_default():
            test()

    return run


@in_graph
def test_dropout_by_a_placeholder():
    x = v1.placeholder(tf.float32, [None, 10])
    rate = v1.placeholder(tf.float32)
    for dropped in (
        v1.nn.dropout(x, rate),
        v1.nn.dropout(x, rate=rate),
        tf.nn.dropout(x, rate),
        tf.nn.dropout(x, rate, noise_shape=[None, 1]),
    ):
        assert dropped.shape.as_list() == [None, 10]
    loss = v1.nn.softmax_cross_entropy_with_logits(labels=x, logits=v1.nn.dropout(x, rate))
    assert loss.shape.as_list() == [None]
    with v1.Session() as session:
        kept = session.run(tf.nn.dropout(x, rate), {x: np.ones([4, 10]), rate: 0.75})
        assert set(np.unique(kept)) <= {0.0, 4.0}
        assert session.run(loss, {x: np.full([2, 10], 0.1), rate: 1.0}).shape == (2,)


@in_graph
def test_cross_entropy_of_an_unknown_rank():
    x = v1.placeholder(tf.float32)
    loss = tf.nn.softmax_cross_entropy_with_logits(labels=x, logits=x)
    with v1.Session() as session:
        np.testing.assert_allclose(
            session.run(loss, {x: np.full([2, 4, 2], 0.5)}), np.full([2, 4], np.log(2)), rtol=1e-6
        )


@in_graph
def test_where_of_tensorflow_1():
    x = v1.placeholder(tf.float32, [None, 10])
    anything = v1.placeholder(tf.float32)
    rows = v1.placeholder(tf.bool, [None])
    picked = v1.where(rows, x, 2 * x)
    for each in (picked, v1.where(anything > 0, x, x), v1.where(x > 0, x, anything)):
        assert each.shape.as_list() == [None, 10]
    with pytest.raises(ValueError, match="compatible"):
        v1.where(x > 0, x, v1.placeholder(tf.float32, [None, 9]))
    with v1.Session() as session:
        found = session.run(picked, {rows: [True, False], x: np.ones([2, 10])})
        np.testing.assert_array_equal(found, [[1.0] * 10, [2.0] * 10])


# A call, and what is known of it where x is [None] and y [None, None]: what only sizes beyond those
# that are tried would show is not known.
CALLS = {
    "x[1000000:]": [None],
    "x[:1000000]": [None],
    "x[5:-5:-1]": [None],
    "x[100:-100:-1]": [None],
    "y[2, 0:2]": [None],
    "y[2:3, 5]": [None],
    "tf.zeros([tf.shape(x)[0] // 1000000])": [None],
    "tf.zeros([tf.cast(tf.shape(x)[0] > 1000000, tf.int32)])": [None],
    "tf.zeros([tf.shape(x)[0] % 7])": [None],
    "tf.zeros([tf.minimum(tf.shape(x)[0], 9)])": [None],
    "tf.reshape(y, [tf.shape(y)[0], -1, 1])": [None, None, 1],
    "tf.reshape(x, [-1, 10])[:, 3:5]": [None, 2],
    "tf.nn.conv1d(y[:, :, None], y[:, :, None], 1, 'VALID')": [None, None, 1],
    "tf.linalg.diag_part(y, k=(-1, 1))": [3, None],
    "y @ tf.ones([4, 3])": [None, 3],
    "tf.math.top_k(y, 3).values": [None, 3],
    "tf.one_hot(tf.cast(x, tf.int32), 50000)": [None, 50000],
}
SIZES = [([n], [m, k]) for n in (0, 1, 7, 200, 1000003) for m, k in ((0, 4), (3, 4), (7, 9))]


@pytest.mark.parametrize("call", CALLS)
def test_what_is_known_holds(call):
    known = []

    def function(x, y):
        result = eval(call, {"tf": tf, "x": x, "y": y})
        known.append(result.shape.as_list())
        return tf.shape(result)

    specs = [tf.TensorSpec([None]), tf.TensorSpec([None, None])]
    f = tf.function(function, input_signature=specs, autograph=False)
    f.get_concrete_function()
    assert known == [CALLS[call]]
    for x, y in SIZES:
        if "one_hot" in call and x[0] > 1000:
            continue
        try:
            found = f(tf.zeros(x), tf.zeros(y)).numpy()
        except tf.errors.InvalidArgumentError:
            continue
        assert all(a in (None, b) for a, b in zip(known[0], found, strict=True)), (x, y)


@in_graph
def test_sums_of_many_open_sizes_are_not_taken_for_each_other():
    sizes = [tf.shape(v1.placeholder(tf.float32, [None]))[0] for _ in range(20)]
    for i in range(20):
        for j in range(i):
            assert tf.zeros([tf.abs(sizes[i] - sizes[j])]).shape.as_list() == [None]
    for i in range(16):
        a, b, c, d = sizes[i : i + 4]
        assert tf.zeros([tf.abs(a + d - b - c)]).shape.as_list() == [None]
