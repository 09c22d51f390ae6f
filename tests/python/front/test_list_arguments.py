"""Lists as arguments: one that is given is never taken for one that is not."""

import numpy as np
import penstock as tf
import pytest

FAR_OUT = [-(2**63)]
X = np.ones([2, 3], np.float32)
LINE = np.ones([1, 4, 1], np.float32)
IMAGE = np.ones([1, 4, 4, 1], np.float32)
FILTER = np.ones([2, 2, 1, 1], np.float32)


@pytest.mark.parametrize(
    "call",
    [
        lambda axes: tf.reduce_sum(X, axis=axes),
        lambda axes: tf.reduce_max(X, axis=axes),
        lambda axes: tf.reduce_prod(X, axis=axes),
        lambda axes: tf.math.reduce_variance(X, axis=axes),
        lambda axes: tf.reduce_logsumexp(X, axis=axes),
        lambda axes: tf.reverse(X, axis=axes),
        lambda axes: tf.squeeze(X[:1], axis=axes),
        lambda axes: tf.nn.l2_normalize(X, axis=axes),
        lambda axes: tf.nn.moments(X, axes=axes),
        lambda axes: tf.signal.fftshift(X, axes=axes),
        lambda axes: tf.strings.reduce_join([["a", "b"]], axis=axes),
    ],
)
def test_a_number_out_of_every_range_is_not_every_axis(call):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        call(FAR_OUT)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.transpose(X, perm=[]),
        lambda: tf.nn.conv2d(IMAGE, FILTER, 1, "SAME", dilations=[]),
        lambda: tf.raw_ops.Conv2D(
            input=IMAGE, filter=FILTER, strides=[1] * 4, padding="SAME", dilations=[]
        ),
        lambda: tf.nn.conv1d(LINE, FILTER[0], 1, "SAME", dilations=[]),
        lambda: tf.nn.convolution(IMAGE, FILTER, strides=[]),
        lambda: tf.nn.max_pool1d(LINE, [], 1, "SAME"),
        lambda: tf.raw_ops.Repeat(data=X, repeats=2, axis=[]),
        lambda: tf.raw_ops.SequenceMask(lengths=[1, 2], maxlen=[]),
    ],
)
def test_an_empty_list_is_not_the_default(call):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        call()


def test_an_empty_list_where_it_means_something():
    assert tf.transpose(tf.constant(1.0), perm=[]).shape == ()
    assert tf.reduce_sum(X, axis=[]).shape == (2, 3)
    assert tf.squeeze(X[:1], axis=[]).shape == (3,)
    for seed in range(10):  # one decision for all elements
        dropped = tf.nn.dropout(tf.ones([100]), 0.5, noise_shape=[], seed=seed).numpy()
        assert len(set(dropped)) == 1


def test_a_list_that_must_be_given_has_no_default():
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError), match="axis"):
        tf.raw_ops.ReverseV2(tensor=X, axis=None)
