"""Functions of the package on tensors whose sizes are not known while a function is traced."""

import numpy as np
import penstock as tf
import pytest

X = tf.random.stateless_normal([4, 6], [1, 2])
IDS = tf.constant([2, 0, 1, 2])
IMAGE = tf.random.stateless_normal([2, 5, 6, 2], [3, 4])

# Each is called with tensors all of whose sizes are open.
CALLS = {
    "losses": lambda x: [
        tf.losses.mean_squared_error(x, 2 * x),
        tf.losses.MeanSquaredError()(x, 2 * x),
        tf.losses.Huber()(x, 2 * x, sample_weight=tf.reduce_max(x, 1)),
        tf.losses.Hinge()(tf.sign(x), x),
        tf.losses.Hinge()(tf.nn.relu(tf.sign(x)), x),
        tf.losses.CategoricalCrossentropy(True, 0.1)(tf.nn.softmax(x), x),
        tf.losses.BinaryCrossentropy()(tf.nn.sigmoid(x), tf.nn.sigmoid(-x)),
        tf.losses.KLDivergence()(tf.nn.softmax(x), tf.nn.softmax(-x)),
        tf.losses.CosineSimilarity()(x, -x),
    ],
    "losses of classes": lambda x, ids: [
        tf.losses.SparseCategoricalCrossentropy(True)(ids, x),
        tf.losses.sparse_categorical_crossentropy(ids, tf.nn.softmax(x), ignore_class=1),
        tf.nn.sparse_softmax_cross_entropy_with_logits(ids, x),
        tf.nn.sparse_softmax_cross_entropy_with_logits(ids[None], x[None]),
        tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(x), x),
        tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(x, 0), x, axis=0),
        tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(x)[None], x[None]),
        tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.nn.sigmoid(x), logits=x),
        tf.nn.compute_average_loss(tf.reduce_sum(x, 1)),
    ],
    "accuracies": lambda x, ids: [
        tf.metrics.sparse_categorical_accuracy(ids, x),
        tf.metrics.sparse_top_k_categorical_accuracy(ids, x, 2),
        tf.metrics.categorical_accuracy(x, -x),
        tf.metrics.binary_accuracy(tf.sign(x), x),
        tf.math.in_top_k(ids, x, 2),
    ],
    "counting": lambda ids: [
        tf.math.bincount(ids),
        tf.math.bincount(ids, minlength=8),
        tf.math.bincount(ids, maxlength=2),
        tf.math.bincount(ids[:0]),
        tf.math.confusion_matrix(ids, ids[::-1]),
        tf.math.confusion_matrix(ids, ids[::-1], weights=tf.ones_like(ids)),
        tf.sequence_mask(ids),
        tf.one_hot(ids, tf.reduce_max(ids) + 1),
        tf.math.unsorted_segment_sum(ids, ids, tf.size(ids)),
    ],
    "shapes": lambda x: [
        tf.eye(tf.shape(x)[0]),
        tf.eye(tf.shape(x)[0], 3, batch_shape=tf.shape(x)[1:]),
        tf.eye(2, batch_shape=tf.shape(x)),
        tf.fill(tf.shape(x), 2.0),
        tf.rank(x),
        tf.size(x),
        tf.ones([tf.shape(x)[1], 2]),
        tf.stack(x),
        tf.unstack(x, 6, axis=1),
        tf.split(x, 2, 1),
        tf.split(x, [1, -1], 1),
        tf.split(x, tf.stack([1, tf.shape(x)[0] - 1])),
        tf.split(x, tf.stack([-1, tf.shape(x)[0] - 1])),
        tf.repeat(x, tf.shape(x)[0] - 2, axis=1),
        tf.repeat(x, tf.range(tf.shape(x)[0]), axis=0),
        tf.repeat(x, 2),
        tf.meshgrid(x[0], x[:, 0]),
        tf.tile(x, tf.shape(x)),
        tf.pad(x, [[1, 0], [0, 2]]),
        tf.roll(x, 1, 0),
        tf.reduce_sum(x, axis=tf.range(1, tf.rank(x))),
        tf.transpose(x, tf.range(tf.rank(x))[::-1]),
        tf.linspace(0.0, 1.0, tf.shape(x)[0]),
        tf.boolean_mask(x, x[:, 0] > 0),
        tf.broadcast_to(x[0], tf.shape(x)),
        tf.reverse(x, [0]),
        tf.sort(x),
        tf.searchsorted(tf.sort(x), x),
    ],
    "mathematics": lambda x: [
        *tf.nn.moments(x, [0]),
        *tf.nn.weighted_moments(x, [0], tf.abs(x)),
        *tf.nn.sufficient_statistics(x, [0])[:3],
        tf.nn.l2_normalize(x, 1),
        tf.linalg.norm(x, axis=1),
        tf.linalg.normalize(x)[0],
        tf.linalg.norm(x, ord=2, axis=[0, 1]),
        tf.tensordot(x, x, [[1], [1]]),
        tf.tensordot(x, x, 0),
        tf.einsum("ij,kj->ik", x, x),
        tf.linalg.diag(x),
        tf.linalg.diag_part(x @ tf.transpose(x)),
        tf.linalg.inv(x @ tf.transpose(x) + tf.eye(tf.shape(x)[0])),
        tf.math.top_k(x, 2),
        tf.math.reduce_std(x, 0),
        tf.math.cumsum(x, 1),
        tf.clip_by_norm(x, 1.0),
        tf.nn.log_softmax(x),
        tf.nn.local_response_normalization(x[None, None]),
    ],
    "signals": lambda x: [
        tf.signal.rfft(x),
        tf.signal.irfft(tf.signal.rfft(x)),
        tf.signal.rfft2d(x),
        tf.signal.irfft2d(tf.signal.rfft2d(x)),
        tf.signal.fft(tf.cast(x, tf.complex64)),
        tf.signal.dct(x),
        tf.signal.frame(x, 2, 1),
        tf.signal.stft(x, 4, 2),
        tf.signal.inverse_stft(tf.signal.stft(x, 4, 2), 4, 2),
        tf.signal.overlap_and_add(x, 2),
        tf.signal.mdct(x, 4, pad_end=True),
    ],
    "images": lambda image: [
        tf.nn.conv2d(image, tf.ones([2, 2, 2, 3]), 1, "SAME"),
        tf.nn.conv2d(image[None], tf.ones([2, 2, 2, 3]), 2, "VALID"),
        tf.nn.depthwise_conv2d(image, tf.ones([2, 2, 2, 2]), [1, 1, 1, 1], "SAME"),
        tf.nn.max_pool2d(image, 2, 2, "SAME"),
        tf.nn.avg_pool(image, 2, 1, "VALID"),
        tf.nn.pool(image, [2, 2], "MAX", dilations=[2, 2]),
        tf.nn.bias_add(image, [1.0, 2.0]),
        tf.nn.space_to_depth(image[:, :4], 2),
    ],
}
VALUES = {"x": X, "ids": IDS, "image": IMAGE}


def same(ours, eager):
    ours, eager = tf.nest.flatten(ours), tf.nest.flatten(eager)
    assert len(ours) == len(eager)
    for i, (a, b) in enumerate(zip(ours, eager, strict=True)):
        assert a.dtype == b.dtype, i
        np.testing.assert_array_equal(a, b, err_msg=str(i))


@pytest.mark.parametrize("topic", CALLS)
def test_open_sizes(topic):
    call = CALLS[topic]
    names = call.__code__.co_varnames[: call.__code__.co_argcount]
    args = [VALUES[name] for name in names]
    signature = [tf.TensorSpec([None] * arg.shape.rank, arg.dtype) for arg in args]
    f = tf.function(call, input_signature=signature)
    same(f(*args), call(*args))


def test_what_needs_sizes_that_are_known():
    def tried(call):
        tf.function(call, input_signature=[tf.TensorSpec([None, 3])])(tf.ones([2, 3]))

    with pytest.raises(ValueError, match=r"Cannot infer argument `num` from shape \(None, 3\)"):
        tried(tf.unstack)
    with pytest.raises(ValueError, match=r"Cannot infer argument `num` from shape \(None,\)"):
        tried(lambda x: tf.split(x, tf.shape(x)[tf.shape(x)[0] :]))
    with pytest.raises(ValueError, match="target to be known"):
        tried(lambda x: jacobian(lambda x: x * x, x))


def test_parts_must_add_up():
    signature = [tf.TensorSpec([None, 3]), tf.TensorSpec([2], tf.int32)]
    f = tf.function(lambda x, sizes: tf.split(x, sizes), input_signature=signature)
    same(f(tf.ones([3, 3]), tf.constant([1, 2])), tf.split(tf.ones([3, 3]), [1, 2]))
    for sizes in ([1, 1], [2, 2], [4, -1], [1, 3]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            f(tf.ones([3, 3]), tf.constant(sizes))


def jacobian(function, x, way="jacobian"):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return getattr(tape, way)(y, x)


def test_jacobians_of_open_sources():
    for call in (
        lambda x: jacobian(lambda x: tf.reduce_sum(x * x, 0), x),
        lambda x: jacobian(lambda x: x * x, x, "batch_jacobian"),
    ):
        f = tf.function(call, input_signature=[tf.TensorSpec([None, 3])])
        x = tf.random.stateless_normal([2, 3], [1, 2])
        same(f(x), call(x))


def test_metrics_over_open_batches():
    mine, eager = tf.metrics.Mean(), tf.metrics.Mean()
    hits, eager_hits = (tf.metrics.SparseCategoricalAccuracy() for _ in range(2))

    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None], tf.int64)])
    def update(x, labels):
        mine.update_state(x)
        hits.update_state(labels, x, sample_weight=tf.reduce_max(x, 1))

    for n in (1, 4, 2):
        x = tf.random.stateless_uniform([n, 3], [n, 2])
        labels = tf.argmax(x[::-1], 1)
        update(x, labels)
        eager.update_state(x)
        eager_hits.update_state(labels, x, sample_weight=tf.reduce_max(x, 1))
        same([mine.result(), hits.result()], [eager.result(), eager_hits.result()])


def test_shapes_are_checked_when_the_function_runs():
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None])])
    def f(x, y):
        tf.debugging.assert_shapes([(x, ("N", 3)), (y, ("N",))])
        return tf.reduce_sum(x) + tf.reduce_sum(y)

    assert f(tf.ones([2, 3]), tf.ones([2])) == 8
    with pytest.raises(tf.errors.InvalidArgumentError, match="dimension 0 must have size 2"):
        f(tf.ones([2, 3]), tf.ones([4]))

    g = tf.function(lambda x: tf.debugging.assert_rank(x, 1), input_signature=[tf.TensorSpec(None)])
    g(tf.ones([2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have rank 1"):
        g(tf.ones([2, 2]))


def test_random_numbers_of_open_sizes():
    dropout = tf.nn.experimental.stateless_dropout

    def draws(x, generator):
        return [
            generator.normal(tf.shape(x)),
            generator.uniform([tf.shape(x)[0], 2], maxval=3, dtype=tf.int32),
            tf.random.stateless_normal(tf.shape(x), [1, 2]),
            dropout(x, 0.5, [1, 2]),
            dropout(x, 0.5, [1, 2], noise_shape=[None, 1]),
            dropout(x, 0.5, [1, 2], noise_shape=[tf.shape(x)[0], 1]),
            dropout(x, 0.5, [1, 2], noise_shape=tf.stack([1, tf.shape(x)[1]])),
        ]

    inside, outside = (tf.random.Generator.from_seed(1) for _ in range(2))
    f = tf.function(lambda x: draws(x, inside), input_signature=[tf.TensorSpec([None, 3])])
    for n in (2, 5):
        same(f(tf.ones([n, 3])), draws(tf.ones([n, 3]), outside))


def test_tensor_arrays_of_open_elements():
    def call(x, i):
        array = tf.TensorArray(tf.float32, 3).write(1, x[0])
        rows = tf.TensorArray(tf.float32, 2).scatter([1, 0], x)
        return array.stack(), rows.stack(), rows.unstack(x).gather(i)

    signature = [tf.TensorSpec([None, None]), tf.TensorSpec([None], tf.int32)]
    x, i = tf.ones([2, 3]), tf.constant([1, 0])
    same(tf.function(call, input_signature=signature)(x, i), call(x, [1, 0]))


def test_runs_of_words():
    for texts in (["a", "b", "c"], [["a", "b"], ["c", "d"]], np.zeros([0, 2], object)):
        texts = tf.constant(texts, tf.string)
        spec = tf.TensorSpec([None] * texts.shape.rank, tf.string)
        f = tf.function(lambda texts: tf.strings.ngrams(texts, 2), input_signature=[spec])
        assert f(texts).numpy().tolist() == tf.strings.ngrams(texts, 2).numpy().tolist()
        assert f(texts).shape == tf.strings.ngrams(texts, 2).shape


def test_what_needs_a_rank_that_is_known():
    def tried(call):
        tf.function(call, input_signature=[tf.TensorSpec(None)])(tf.ones([2, 3]))

    for call, words in (
        (lambda x: x[x > 0], "Number of mask dimensions must be specified"),
        (lambda x: tf.tensordot(x, x, 1), "ranks that are known"),
        (lambda x: tf.nn.sufficient_statistics(x, [0]), "rank is known"),
        (lambda x: tf.nn.moments(x, None), "rank is known"),
        (lambda x: tf.nn.max_pool(x, 2, 2, "SAME"), "rank` must be 3, 4 or 5"),
        (tf.unstack, "Cannot infer argument `num` from shape <unknown>"),
    ):
        with pytest.raises(ValueError, match=words):
            tried(call)


def test_signals_of_any_rank():
    x = tf.random.stateless_normal([2, 6], [1, 2])
    call = lambda x: [tf.signal.rfft(x), tf.signal.irfft(tf.signal.rfft(x))]  # noqa: E731
    same(tf.function(call, input_signature=[tf.TensorSpec(None)])(x), call(x))
