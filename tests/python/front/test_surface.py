"""A broad sample of the public functions, next to NumPy."""

import numpy as np
import penstock as tf
import pytest

x = np.random.RandomState(0).randn(4, 6).astype(np.float32)
square = x[:, :4] @ x[:, :4].T + 4 * np.eye(4, dtype=np.float32)
image = np.random.RandomState(1).randn(2, 6, 6, 3).astype(np.float32)
signal = np.random.RandomState(2).randn(32).astype(np.float32)


def softmax(values, axis):
    raised = np.exp(values - values.max(axis=axis, keepdims=True))
    return raised / raised.sum(axis=axis, keepdims=True)


CASES = {
    "linspace of ints": (lambda: tf.linspace(0, 10, 5), np.linspace(0, 10, 5)),
    "einsum": (lambda: tf.einsum("ij,kj->ik", x, x), x @ x.T),
    "tensordot": (lambda: tf.tensordot(x, x, [[1], [1]]), x @ x.T),
    "tensordot of a number": (lambda: tf.tensordot(x, x.T, 1), x @ x.T),
    "meshgrid": (lambda: tf.meshgrid([1, 2], [3, 4, 5])[1], np.meshgrid([1, 2], [3, 4, 5])[1]),
    "repeat": (lambda: tf.repeat(x, 2, axis=-1), np.repeat(x, 2, axis=-1)),
    "roll": (lambda: tf.roll(x, [1, 2], [0, 1]), np.roll(x, [1, 2], [0, 1])),
    "sort": (lambda: tf.sort(x, direction="DESCENDING"), -np.sort(-x)),
    "argsort": (lambda: tf.argsort(x, 0), np.argsort(x, 0)),
    "searchsorted": (lambda: tf.searchsorted([1, 3, 5], [2, 3], "right"), [1, 2]),
    "transpose": (lambda: tf.transpose(image, [0, 3, 1, 2]), image.transpose(0, 3, 1, 2)),
    "strided_slice": (lambda: tf.strided_slice(x, [0, 1], [3, -1]), x[0:3, 1:-1]),
    "sequence_mask": (lambda: tf.sequence_mask([1, 2], dtype=tf.int32), [[1, 0], [1, 1]]),
    "one_hot takes the dtype of its values": (lambda: tf.one_hot([1], 2, 5, 1), [[1, 5]]),
    "clip_by_value": (lambda: tf.clip_by_value(x, -0.5, 0.5), np.clip(x, -0.5, 0.5)),
    "norm": (lambda: tf.norm(x, np.inf, axis=1), np.abs(x).max(axis=1)),
    "spectral norm": (lambda: tf.norm(x, 2, axis=(0, 1)), np.linalg.norm(x, 2)),
    "reduce_std": (lambda: tf.math.reduce_std(x, 1), x.std(axis=1)),
    "bincount": (lambda: tf.math.bincount([1, 1, 3]), np.bincount([1, 1, 3])),
    "top_k": (lambda: tf.math.top_k(x, 2).values, -np.sort(-x)[:, :2]),
    "polyval": (lambda: tf.math.polyval([1.0, 2.0, 3.0], x), np.polyval([1, 2, 3], x)),
    "count_nonzero": (lambda: tf.math.count_nonzero([[0, 1], [2, 3]], axis=0), [1, 2]),
    "xlogy": (lambda: tf.math.xlogy(0.0, x), np.zeros_like(x)),
    "bitwise": (lambda: tf.bitwise.bitwise_xor([5], [3]), [6]),
    "softmax": (lambda: tf.nn.softmax(x, axis=0), softmax(x, 0)),
    "l2_normalize": (lambda: tf.nn.l2_normalize(x), x / np.linalg.norm(x)),
    "moments": (lambda: tf.nn.moments(x, [0])[1], x.var(axis=0)),
    "embedding": (lambda: tf.nn.embedding_lookup([x[:2], x[2:]], [3, 1]), x[[3, 1]]),
    "solve": (lambda: tf.linalg.solve(square, x), np.linalg.solve(square, x)),
    "svd": (lambda: tf.linalg.svd(x, compute_uv=False), np.linalg.svd(x, compute_uv=False)),
    "diag": (lambda: tf.linalg.diag([1, 2], k=1), np.diag([1, 2], k=1)),
    "rfft": (lambda: tf.signal.rfft(signal), np.fft.rfft(signal)),
    "irfft": (lambda: tf.signal.irfft(tf.signal.rfft(x)), x),
    "join": (lambda: tf.strings.join(["a", ["b", "c"]], "-"), [b"a-b", b"a-c"]),
    "to_number": (lambda: tf.strings.to_number(["1", "2"], tf.int32), [1, 2]),
}


@pytest.mark.parametrize("name", CASES)
def test_as_numpy(name):
    run, expected = CASES[name]
    found, expected = run().numpy(), np.asarray(expected)
    assert found.shape == expected.shape
    if expected.dtype.kind == "S":
        assert found.tolist() == expected.tolist()
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("strides", [2, [2], [2, 2], [1, 2, 2, 1]])
def test_strides_and_sizes_in_every_form(strides):
    kernel = np.ones([2, 2, 3, 1], np.float32)
    blocks = image.reshape(2, 3, 2, 3, 2, 3)
    found = tf.nn.conv2d(image, kernel, strides, "VALID")[..., 0]
    np.testing.assert_allclose(found, blocks.sum(axis=(2, 4, 5)), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(tf.nn.max_pool(image, 2, strides, "SAME"), blocks.max((2, 4)))


def test_padding_by_sizes():
    kernel = np.ones([3, 3, 3, 2], np.float32)
    same = tf.nn.conv2d(image, kernel, 1, "SAME")
    np.testing.assert_allclose(
        tf.nn.conv2d(image, kernel, 1, [[0, 0], [1, 1], [1, 1], [0, 0]]), same
    )
    with pytest.raises(ValueError, match="must be a list"):
        tf.nn.conv2d(image, kernel, 1, "EXPLICIT")
    with pytest.raises(ValueError, match="length 1, 2 or 4"):
        tf.nn.conv2d(image, kernel, [1, 2, 3], "SAME")


def test_generator_gives_the_numbers_of_tensorflow():
    generator = tf.random.Generator.from_seed(1234)
    np.testing.assert_allclose(generator.normal([3]), [0.9356609, 1.0854305, -0.93788373])
    np.testing.assert_array_equal(generator.state, [2002, 0, 0])
    np.testing.assert_array_equal(generator.uniform([2], 0, 10, tf.int32), [9, 5])
    np.testing.assert_allclose(
        tf.random.stateless_normal([2], [1, 2], 1.0, 2.0), [2.0882201, 1.4147606], rtol=1e-6
    )
    np.testing.assert_array_equal(tf.random.split([1, 2])[0], [1105988140, 1738052849])


def test_dropout_refuses_a_rate_of_one_and_integers():
    with pytest.raises(ValueError, match=r"\[0, 1\)"):
        tf.nn.dropout(x, 1.0)
    with pytest.raises(ValueError, match="floating point"):
        tf.nn.dropout([1, 2], 0.5)
    np.testing.assert_array_equal(tf.nn.dropout(x, 0.0), x)


@pytest.mark.parametrize("draw", [tf.random.normal, tf.random.truncated_normal, tf.random.uniform])
def test_random_numbers_are_scaled_in_one_buffer(draw):
    before = tf.config.experimental.get_memory_info()["current"]
    tf.config.experimental.reset_memory_stats()
    made = draw([100_000], -1.0, 2.0)
    peak = tf.config.experimental.get_memory_info()["peak"] - before
    assert peak < 1.1 * 4 * made.shape[0]


@pytest.mark.parametrize(
    ("module", "name", "near"),
    [
        (tf, "matmull", " Near names: matmul."),
        (tf.nn, "rleu", " Near names: relu."),
        (tf.raw_ops, "MatMull", " Near names: MatMul."),
    ],
)
def test_a_missing_name_has_near_ones(module, name, near):
    """Names that only share letters are no help: tf.data is not a slip for tf.atan."""
    with pytest.raises(AttributeError, match="penstock does not have it") as caught:
        getattr(module, name)
    assert str(caught.value).endswith("(yet)." + near)
