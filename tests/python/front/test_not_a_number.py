"""A nan among numbers is not lost, at any position and for any number of elements."""

import numpy as np
import penstock as tf
import pytest

SIZES = [1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 64, 100, 5000]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("reduce", [tf.reduce_max, tf.reduce_min, tf.reduce_sum, tf.reduce_mean])
def test_reductions(reduce, dtype):
    for size in SIZES:
        for place in {0, size // 2, size - 1}:
            x = np.linspace(-1, 1, size).astype(dtype)
            x[place] = np.nan
            assert np.isnan(reduce(x))
            assert np.isnan(reduce(np.stack([x, x], 0), 1)).all()
            assert np.isnan(reduce(np.stack([x, x], 1), 0)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("pick", [tf.maximum, tf.minimum])
def test_the_larger_and_the_smaller(pick, dtype):
    fused = tf.function(lambda x, y: pick(x * 2, y + 1) - 1)
    for size in SIZES:
        x, y = np.ones(size, dtype), np.linspace(-1, 1, size).astype(dtype)
        x[0] = y[-1] = np.nan
        for found in (pick(x, y), fused(x, y)):
            assert np.array_equal(np.isnan(found), np.isnan(x) | np.isnan(y))


@pytest.mark.parametrize("channels", [1, 3, 8, 16, 40])
def test_max_pool(channels):
    x = np.zeros([1, 4, 4, channels], np.float32)
    x[0, 0, 0] = np.nan
    with tf.GradientTape() as tape:
        value = tf.constant(x)
        tape.watch(value)
        found = tf.nn.max_pool2d(value, 2, 2, "VALID")
    assert np.isnan(found[0, 0, 0]).all()
    assert not np.isnan(found[0, 1:]).any()
    assert (tape.gradient(found, value).numpy()[0, 0, 0] == 1).all()
