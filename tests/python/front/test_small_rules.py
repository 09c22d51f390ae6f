"""TensorFlow's answers in small things: what it refuses, and rows that stay rows."""

import numpy as np
import penstock as tf
import pytest


def listed(tensor):
    return tensor.numpy().tolist()


def test_ranges_and_grids():
    assert tf.range(0, tf.constant(3), dtype=tf.int64).dtype == tf.int64
    assert tf.linspace(0.0, 1.0, 0).shape == (0,)
    assert tf.linspace([0.0, 1.0], [1.0, 2.0], 0, axis=1).shape == (2, 0)
    assert tf.ones(tf.rank(tf.ones([2, 3]))).shape == (2,)
    assert listed(tf.meshgrid([[1, 2], [3, 4]], [5])[0]) == [[1, 2, 3, 4]]
    assert [int(each) for each in reversed(tf.constant([1, 2, 3]))] == [3, 2, 1]


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
def test_windows_begin_with_zero(dtype):
    assert tf.signal.hann_window(8, dtype=dtype)[0] == 0
    assert listed(tf.cos(tf.constant([0.0, -1e-12], dtype))) == [1, 1]


def test_eager_loops_see_what_they_were_given():
    seen = []

    def body(i, x):
        seen.append((type(i), type(x)))
        return i + 1.5, x * 2

    i, x = tf.while_loop(lambda i, x: i < 3, body, (0, np.ones(2)))
    assert seen == [(int, np.ndarray), (float, np.ndarray)]
    assert (i.dtype, listed(x)) == (tf.float32, [4, 4])


def test_products():
    byte = tf.ones([2, 2], tf.int8) * 100
    assert listed(tf.matmul(byte, byte, output_type=tf.int32)) == [[20000, 20000]] * 2
    with pytest.raises(tf.errors.NotFoundError):
        tf.matmul(tf.ones([2, 2]), tf.ones([2, 2]), output_type=tf.float64)
    for side in "ab":
        both = {f"transpose_{side}": True, f"adjoint_{side}": True}
        with pytest.raises(ValueError, match="Only one of"):
            tf.matmul(byte, byte, **both)
    with pytest.raises(TypeError, match=r"matmul\(\) got an unexpected keyword"):
        tf.matmul(byte, byte, other=1)
    with pytest.raises(ValueError, match="more than once"):
        tf.einsum("ij->ii", tf.ones([2, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.add(np.array([1], np.int8), tf.constant([1]))


def test_cases_that_exclude_each_other():
    def choose(a, b):
        pairs = [(a, lambda: 1), (b, lambda: 2)]
        return tf.case(pairs, default=lambda: 3, exclusive=True)

    yes, no = tf.constant(True), tf.constant(False)
    for call in (choose, tf.function(choose)):
        assert int(call(no, yes)) == 2
        with pytest.raises(tf.errors.InvalidArgumentError):
            call(yes, yes)


def test_what_a_numpy_function_returns():
    def call(dtype):
        return tf.numpy_function(lambda: np.float64(1), [], dtype)

    assert call(tf.float32).dtype == tf.float64
    assert tf.function(call)(tf.float64).dtype == tf.float64
    with pytest.raises(tf.errors.InvalidArgumentError, match="float64"):
        tf.function(call)(tf.float32)


def test_dtypes_and_what_is_none():
    for value in ({"a": "xyz"}, {"names": ["a"]}, b"float32", tf.ones([2]), list):
        assert tf.float32 != value
        with pytest.raises(TypeError):
            tf.as_dtype(value)


def test_bounds_that_are_not_numbers():
    for bounds in ((np.nan, 2.0), (0.0, np.nan), (tf.constant(np.nan), 2.0)):
        for call in (tf.clip_by_value, tf.function(tf.clip_by_value)):
            assert np.isnan(call(tf.constant([1.0, 2.0]), *bounds)).all()


def test_rows_stay_rows():
    rows = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([2]), tf.constant([3, 2]))
    for made in (
        tf.cast(rows, tf.float64),
        tf.clip_by_value(rows, 0.0, 1.5),
        tf.stop_gradient(rows),
        tf.scalar_mul(2, rows),
        tf.function(lambda x: tf.cast(x, tf.float16))(rows),
    ):
        assert isinstance(made, tf.IndexedSlices)
        assert listed(made.indices) == [2]
    assert tf.cast(rows, tf.float64).dtype == tf.float64


@pytest.mark.parametrize(
    "reach",
    [
        lambda v: tf.cast(v, tf.float64),
        lambda v: -v,
        lambda v: v + 1.0,
        lambda v: v - tf.ones([3, 2]),
        lambda v: tf.ones([3, 2]) + v,
    ],
)
def test_gradients_of_rows_are_rows(reach):
    v = tf.Variable(tf.reshape(tf.range(6.0), [3, 2]))
    with tf.GradientTape(persistent=True) as tape:
        y = tf.gather(reach(v), [0, 2, 0])
        whole = tf.reduce_sum(tf.gather(reach(v), [0, 2, 0]) * 1)
    found = tape.gradient(y, v)
    assert isinstance(found, tf.IndexedSlices)
    assert listed(found.indices) == [0, 2, 0]
    assert found.dtype == tf.float32
    dense = tf.convert_to_tensor(tape.gradient(whole, v))
    assert listed(tf.convert_to_tensor(found)) == listed(dense)


@pytest.mark.parametrize("clip", [-1.0, 0.0, np.float32(-3.0), tf.constant(-1.0)])
def test_a_negative_norm_to_clip_by_is_none(clip):
    np.testing.assert_array_equal(tf.clip_by_norm([3.0, 4.0], clip), [0.0, 0.0])


@pytest.mark.parametrize(
    "inputs",
    [
        [np.array([1], np.int8), tf.constant([1])],
        [tf.constant([1]), np.array([1], np.int8)],
        [tf.ones([1]), np.array([1.0])],
        [tf.ones([1]), [1]],
        [tf.constant([1], tf.int64), [1]],
        [[1], [1.0]],
    ],
)
def test_sums_of_many_take_one_dtype(inputs):
    for add in (tf.add_n, tf.math.accumulate_n):
        with pytest.raises(tf.errors.InvalidArgumentError):
            add(inputs)


@pytest.mark.parametrize(
    "draw",
    [
        tf.random.uniform,
        tf.random.normal,
        tf.random.truncated_normal,
        lambda shape: tf.random.gamma(shape, 1.0),
        lambda shape: tf.random.poisson(shape, 1.0),
        lambda shape: tf.random.uniform(shape, 0, 5, tf.int32),
        lambda shape: tf.random.stateless_normal(shape, [1, 2]),
        tf.random.Generator.from_seed(1).normal,
    ],
)
def test_a_number_is_no_shape_of_random_numbers(draw):
    for shape in (3, np.int64(3), tf.constant(3), np.array(3)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be a vector"):
            draw(shape)
    with pytest.raises(ValueError, match="must be a vector"):
        tf.function(draw)(3)
    assert draw([3]).shape == draw(np.array([3])).shape == [3]


def test_a_negative_norm_of_embeddings_leaves_nothing():
    found = tf.nn.embedding_lookup(tf.constant([[1.0], [2.0]]), [1, 0], max_norm=-1.0)
    assert found.numpy().tolist() == [[0.0], [0.0]]


def test_constants_of_no_elements_in_a_graph():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        assert session.run(tf.constant(0.5, shape=[0, 2])).shape == (0, 2)
        with pytest.raises(ValueError, match="Too many elements"):
            tf.constant([1.0, 2.0], shape=[1])


def test_losses_of_no_examples():
    empty = tf.zeros([0, 1])
    assert tf.losses.KLDivergence()(empty, empty).shape == (0,)
    assert tf.losses.MeanSquaredError()(empty, empty).shape == (0,)


def test_means_of_losses():
    assert tf.nn.compute_average_loss(tf.zeros([0])).numpy() == 0.0
    total = tf.nn.scale_regularization_loss(tf.constant([1, 2]))
    assert total.dtype == tf.float64
    assert total.numpy() == 3.0


def test_the_loss_of_an_angle_is_least_for_none():
    one, other = [[1.0, 2.0]], [[2.0, 1.0]]
    assert tf.losses.cosine_similarity(one, other).numpy() == pytest.approx([-0.8])
    assert tf.losses.CosineSimilarity()(one, other).numpy() == pytest.approx(-0.8)
    assert tf.metrics.CosineSimilarity()(one, other).numpy() == pytest.approx(0.8)


def test_rows_in_a_graph_have_a_shape_and_a_name():
    with tf.Graph().as_default():
        for sizes in ([4, 3], [None, 3]):
            x = tf.compat.v1.placeholder(tf.float32, sizes)
            with tf.GradientTape() as tape:
                tape.watch(x)
                rows = tf.gather(x, [0, 2])
            found = tape.gradient(rows, x)
            assert found.shape.as_list() == sizes
            assert found.name.startswith("gradient_tape/Reshape")


def expanded_by(axis):
    return tf.function(lambda x: tf.expand_dims(x, axis))


def test_expand_dims_by_an_array_of_one_axis():
    x = tf.ones([2, 3])
    for axis in ([1], (1,), [[1]], np.array([1]), tf.constant([1], tf.int64), tf.constant(1)):
        assert tf.expand_dims(x, axis).shape == (2, 1, 3)
        assert expanded_by(axis)(x).shape == (2, 1, 3)
        with tf.Graph().as_default():
            assert tf.expand_dims(tf.ones([2, 3]), axis).shape == (2, 1, 3)
    for axis in ([], [0, 1], np.array([0, 0])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="single value"):
            tf.expand_dims(x, axis)
        with pytest.raises(ValueError, match="single value"):
            expanded_by(axis)(x)
    with tf.Graph().as_default():
        assert tf.expand_dims(tf.ones([2]), [0], name="wide").name == "wide:0"


def test_gather_by_short_indices():
    table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for indices in (tf.constant([1, 0], tf.int16), np.array([1, 0], np.int16)):
        assert tf.gather(table, indices).numpy().tolist() == [[3.0, 4.0], [1.0, 2.0]]
        assert tf.gather(table, indices, axis=1).numpy().tolist() == [[2.0, 1.0], [4.0, 3.0]]


@pytest.mark.parametrize("repeats", [2, [1, 0, 2]])
def test_gradients_of_repeat_are_dense(repeats):
    x = tf.constant([[1.0], [2.0], [3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.repeat(x, repeats, axis=0)
    expected = np.broadcast_to(repeats, 3).reshape(3, 1)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), expected)
