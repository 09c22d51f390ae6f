"""Random ops inside functions: TensorFlow's numbers for the same seeds. Those here are its answers
to the same programs."""

import numpy as np
import penstock as tf


def numbers(tensors):
    return [tensor.numpy().tolist() for tensor in tensors]


def test_op_seeds_count_within_the_function_and_streams_go_on():
    @tf.function
    def f():
        return tf.random.uniform([2]), tf.random.normal([2]), tf.random.uniform([1], seed=5)

    first = [[0.7537285, 0.0779376], [-0.5408054, 1.122033], [0.8669311]]
    tf.random.set_seed(7)
    np.testing.assert_allclose(np.concatenate(numbers(f())), np.concatenate(first), rtol=1e-6)
    np.testing.assert_allclose(
        np.concatenate(numbers(f())),
        [0.3971016, 0.6849351, 0.7477177, -0.2027248, 0.0890802],
        rtol=1e-6,
    )
    tf.random.set_seed(7)
    np.testing.assert_allclose(np.concatenate(numbers(f())), np.concatenate(first), rtol=1e-6)


def test_each_function_counts_for_itself():
    inner = tf.function(lambda: tf.random.uniform([1]))
    outer = tf.function(lambda: (tf.random.uniform([1]), inner(), inner(), tf.random.uniform([1])))
    tf.random.set_seed(7)
    np.testing.assert_allclose(
        np.ravel(numbers(outer())), [0.7537285, 0.7537285, 0.7537285, 0.4603748], rtol=1e-6
    )
    np.testing.assert_allclose(
        np.ravel(numbers(outer())), [0.5876015, 0.5876015, 0.5876015, 0.5189736], rtol=1e-6
    )
    tf.random.set_seed(7)
    assert abs(tf.random.uniform([1]).numpy()[0] - 0.8344538) < 1e-6


def test_distributions():
    tf.random.set_seed(1)
    for make, wanted in [
        (lambda: tf.random.gamma([3], 0.5), [[0.5702693, 0.0249769, 0.0098857], [0.0090232]]),
        (lambda: tf.random.poisson([3], 4.0), [[2, 3, 3], [4, 1, 4]]),
        (lambda: tf.random.categorical([[0.0, 1.0, 2.0]], 5)[0], [[2, 1, 2, 0, 2]]),
        (lambda: tf.random.truncated_normal([3]), [[0.3052047, 0.5671378], [0.0703289]]),
        (lambda: tf.random.uniform([3], 0, 10, tf.int32), [[2, 6, 2], [6, 3, 9]]),
        (lambda: tf.nn.dropout(tf.ones([6]), 0.5), [[2, 0, 2, 0, 0, 2], [0, 0, 0, 2, 0, 2]]),
        (lambda: tf.random.shuffle([1, 2, 3, 4]), [[1, 2, 3, 4]]),
    ]:
        f = tf.function(make)
        for numbers_wanted in wanted:
            got = f().numpy()[: len(numbers_wanted)]
            np.testing.assert_allclose(got, numbers_wanted, rtol=2e-5)


def test_generators():
    generator = tf.random.Generator.from_seed(1)
    f = tf.function(lambda: (generator.normal([2]), generator.uniform([2])))
    got = np.ravel([numbers(f()), numbers(f())])
    np.testing.assert_allclose(
        got,
        [0.4384227, -0.5343984, 0.2645696, 0.2492341, -0.7925308, 0.3764686, 0.242532, 0.9569695],
        rtol=1e-5,
    )
    assert generator.state.numpy().tolist() == [2049, 0, 0]
