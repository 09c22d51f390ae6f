"""Static shapes that follow from what is known of values: shape vectors made of some known numbers
and some unknown ones, sizes that two inputs share, variables. All are what TensorFlow 2.21 says."""

import penstock as tf
import pytest

v1 = tf.compat.v1

# Calls with x and y of [None, 10], an unknown number n and indices i of [None].
CALLS = {
    "tf.reshape(x, [tf.shape(x)[0], 2, 5])": [None, 2, 5],
    "tf.reshape(x, [-1, tf.shape(x)[1]])": [None, 10],
    "tf.reshape(x, tf.concat([tf.shape(x)[:1], [2, 5]], 0))": [None, 2, 5],
    "tf.reshape(x, [n, 10])": [None, 10],
    "tf.reshape(x, (n, -1))": [None, None],
    "tf.reshape(x, [tf.shape(x)[0] * 2, 5])": [None, 5],
    "tf.zeros([n, 7])": [None, 7],
    "tf.zeros([n * 0, 7])": [None, 7],
    "tf.zeros([tf.shape(x)[0] // 1000 // 1000, 7])": [None, 7],
    "tf.zeros([tf.cast(n, tf.int64), 4])": [None, 4],
    "tf.zeros(tf.unstack(tf.shape(x)))": [None, 10],
    "tf.zeros(tf.concat([tf.shape(x), [3]], 0))": [None, 10, 3],
    "tf.fill(tf.stack([n, 3]), 1.0)": [None, 3],
    "tf.random.normal([tf.shape(x)[0], 3])": [None, 3],
    "tf.random.stateless_uniform([n, 3], [1, 2])": [None, 3],
    "tf.broadcast_to(x[:1], [n, 10])": [None, 10],
    "tf.range(tf.shape(x)[1])": [10],
    "tf.range(tf.shape(x)[0])": [None],
    "tf.one_hot(i, tf.shape(x)[1])": [None, 10],
    "tf.tile(x, [n, 2])": [None, 20],
    "tf.tile(x[None], [n, 1, 1])": [None, None, 10],
    "tf.pad(x, [[n, 0], [1, 2]])": [None, 13],
    "tf.slice(x, [n, 0], [2, -1])": [2, 10],
    "tf.slice(x, [0, 0], [n, 2])": [None, 2],
    "x[:n]": [None, 10],
    "x[n:n]": [None, 10],
    "x[n]": [10],
    "x[:, :n]": [None, None],
    "x[:, n:, None]": [None, None, 1],
    "tf.scatter_nd(i[:, None], x, [n, 10])": [None, 10],
    "tf.eye(n, 5)": [None, 5],
    "tf.stack([x, tf.ones([4, 10])])": [2, 4, 10],
    "tf.math.unsorted_segment_mean(x, i, 5)": [5, 10],
    "tf.math.segment_mean(x, [0, 0, 1])": [None, 10],
    "tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=tf.ones([3, 10]))": [3, 10],
    "tf.nn.sparse_softmax_cross_entropy_with_logits([2, 1, 2], x)": [3],
    "tf.nn.conv1d(x[:, :, None], tf.ones([3, 1, 2]), 1, 'VALID')": [None, 8, 2],
    "tf.reverse_sequence(x, [1, 2], 1, 0)": [2, 10],
    "tf.linalg.lstsq(tf.eye(4, 2), x)": [2, 10],
    "tf.cond(n > 0, lambda: tf.zeros([n, 3]), lambda: tf.ones([tf.shape(x)[0], 3]))": [None, 3],
    "tf.while_loop(lambda k, s: k < n, lambda k, s: (k + 1, s + 1), (0, tf.zeros([n, 3])))[1]": [
        None,
        3,
    ],
    "tf.map_fn(lambda e: tf.zeros([3]) + tf.reduce_sum(e), x)": [None, 3],
}
SPECS = {
    "x": ([None, 10], tf.float32),
    "y": ([None, 10], tf.float32),
    "n": ([], tf.int32),
    "i": ([None], tf.int32),
}


def known(result):
    return None if result.shape.rank is None else result.shape.as_list()


@pytest.mark.parametrize("call", CALLS)
def test_in_a_function(call):
    found = []

    def function(x, y, n, i):
        found.append(known(eval(call, {"tf": tf, "x": x, "y": y, "n": n, "i": i})))

    specs = [tf.TensorSpec(shape, dtype) for shape, dtype in SPECS.values()]
    tf.function(function, autograph=False).get_concrete_function(*specs)
    assert found == [CALLS[call]]


@pytest.mark.parametrize("call", CALLS)
def test_in_a_graph(call):
    with tf.Graph().as_default():
        given = {key: v1.placeholder(dtype, shape) for key, (shape, dtype) in SPECS.items()}
        assert known(eval(call, {"tf": tf, **given})) == CALLS[call]


def test_ranks_that_other_arguments_say():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32)
        assert known(tf.tile(x, [1, 2])) == [None, None]
        assert known(tf.pad(x, [[0, 0], [1, 2]])) == [None, None]
        assert known(tf.slice(x, [0, 1], [-1, 2])) == [None, 2]
        assert known(tf.concat([x, tf.ones([3, 10])], 0)) == [None, 10]
        assert known(tf.stack([x, tf.ones([3, 10])])) == [2, 3, 10]


def test_all_sizes_of_a_shape_are_values():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [4, 10])
        size = tf.shape(x)
        assert known(tf.reshape(x, [size[0] // 2, 2, size[1]])) == [2, 2, 10]
        assert known(tf.zeros([tf.size(x), tf.rank(x)])) == [40, 2]
        assert known(tf.range(size[0])) == [4]


def test_a_variable_keeps_its_shape():
    v = tf.Variable(tf.zeros([1, 2]))

    @tf.function(input_signature=[tf.TensorSpec([None, 2])], autograph=False)
    def function(x):
        v.assign_add(x)
        assert known(tf.tanh(v)) == [1, 2]
        assert known(v + 1.0) == [1, 2]
        return tf.identity(v)

    assert function(tf.ones([1, 2])).numpy().tolist() == [[1.0, 1.0]]
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        function(tf.ones([3, 2]))


def test_a_function_of_an_unknown_rank_in_another():
    double = tf.function(lambda x: x * 2)
    outer = tf.function(lambda x: double(x), input_signature=[tf.TensorSpec(None)])
    assert outer(tf.ones([2])).numpy().tolist() == [2.0, 2.0]
