"""Python values as tensors: TensorFlow's dtypes, and its errors."""

import collections

import numpy as np
import penstock as tf
import pytest


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (1, "int32", ()),
        (2**31, "int64", ()),
        (1.5, "float32", ()),
        (True, "bool", ()),
        (1 + 2j, "complex128", ()),
        ("x", "string", ()),
        (b"x", "string", ()),
        ([], "float32", (0,)),
        ([[]], "float32", (1, 0)),
        ([1, 2.5], "float32", (2,)),
        ([1, True], "int32", (2,)),
        ([[1, 2], [3, 4]], "int32", (2, 2)),
        ((1.0, 2.0), "float32", (2,)),
        (range(3), "int32", (3,)),
        (["a", b"b"], "string", (2,)),
        (np.int64(1), "int64", ()),
        (np.ones(2), "float64", (2,)),
        ([np.float64(1), 2.0], "float64", (2,)),
        ([np.int64(1), 2], "int32", (2,)),
        ([np.ones(2), np.ones(2)], "float64", (2, 2)),
        (np.array(["a", "bc"]), "string", (2,)),
        (np.zeros((0, 3), np.int8), "int8", (0, 3)),
    ],
)
def test_natural_dtypes(value, dtype, shape):
    tensor = tf.constant(value)
    assert (tensor.dtype, tuple(tensor.shape)) == (dtype, shape)


def test_values_arrive():
    assert tf.constant([[1, 2], [3, 4]]).numpy().tolist() == [[1, 2], [3, 4]]
    assert tf.constant(["é", b"\x00\xff"]).numpy().tolist() == ["é".encode(), b"\x00\xff"]
    assert tf.constant(np.arange(6).reshape(2, 3).T).numpy().tolist() == [[0, 3], [1, 4], [2, 5]]
    assert tf.constant([2**40, -1]).numpy().tolist() == [2**40, -1]
    assert tf.constant(list(range(1000))).numpy().sum() == 499500


def test_a_wanted_dtype():
    assert tf.constant(1, tf.float16).dtype == tf.float16
    assert tf.constant(True, tf.float32).numpy() == 1
    assert tf.constant(2**64 - 1, tf.uint64).numpy() == 2**64 - 1
    assert tf.constant(np.array([1.5]), tf.int32).numpy() == 1
    assert tf.constant([1.5, 2], tf.bfloat16).dtype == "bfloat16"
    assert tf.convert_to_tensor(tf.constant(1), dtype_hint=tf.float32).dtype == tf.int32


INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_are_never_cut_short(name):
    dtype, limits = tf.as_dtype(name), np.iinfo(name)
    for value in (int(limits.min), int(limits.max)):
        forms = [
            value,
            [value],
            [[value]],
            (value,),
            np.array([value], name),
            range(value, value + 1),
        ]
        for form in forms:
            assert tf.constant(form, dtype).numpy().reshape(-1).tolist() == [value]
    for value in (int(limits.min) - 1, int(limits.max) + 1, 2**70, -(2**70)):
        for form in (value, [value], [[0, value]], (value,), range(value, value + 1)):
            with pytest.raises(ValueError, match="out-of-range"):
                tf.constant(form, dtype)
            with pytest.raises(ValueError, match="out-of-range"):
                tf.Variable(0, dtype=dtype).assign(form)
            with pytest.raises(ValueError, match="out-of-range"):
                tf.constant([1], dtype) * form
            with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
                tf.constant([1], dtype) + form
        for wide in (np.int64, np.uint64):
            if np.iinfo(wide).min <= value <= np.iinfo(wide).max:
                for form in (
                    wide(value),
                    np.array([0, value], wide),
                    np.array([value], wide)[::-1],
                ):
                    with pytest.raises(ValueError, match="out-of-range"):
                        tf.constant(form, dtype)


SIZES_AND_AXES = [
    lambda n: tf.zeros([n]),
    lambda n: tf.zeros(n),
    lambda n: tf.ones([2, n]),
    lambda n: tf.fill([n], 1),
    lambda n: tf.random.normal([n]),
    lambda n: tf.reshape(tf.ones([4]), [n]),
    lambda n: tf.tile([1], [n]),
    lambda n: tf.pad([1], [[n, 0]]),
    lambda n: tf.broadcast_to([1], [n]),
    lambda n: tf.slice([1, 2, 3], [0], [n]),
    lambda n: tf.range(n),
    lambda n: tf.linspace(0.0, 1.0, n),
    lambda n: tf.one_hot([0], n),
    lambda n: tf.sequence_mask([1], n),
    lambda n: tf.gather([1], [0], axis=n),
    lambda n: tf.reduce_sum([1], n),
    lambda n: tf.reduce_sum([1], [n]),
    lambda n: tf.expand_dims([1], n),
    lambda n: tf.concat([[1], [2]], n),
    lambda n: tf.split([1, 2], [n, 1]),
    lambda n: tf.transpose([[1]], [n, 0]),
    lambda n: tf.math.bincount([1], maxlength=n),
    lambda n: tf.math.in_top_k([0], [[1.0]], n),
    lambda n: tf.signal.rfft([1.0], [n]),
    lambda n: tf.constant([1, 2, 3])[n],
]


@pytest.mark.parametrize("number", [2**63, 2**64, 2**64 + 3, -(2**64) + 3, 2**70])
def test_sizes_and_axes_beyond_64_bits(number):
    for call in SIZES_AND_AXES:
        with pytest.raises(ValueError, match=r"out-of-range|does not fit 64 bits"):
            call(number)


def test_sizes_beyond_32_bits_stay_what_they_are():
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.sequence_mask([1, 2], 2**45 + 3)
    assert tf.sequence_mask([1, 2**40], 3).numpy().tolist() == [[True, False, False], [True] * 3]
    with pytest.raises(ValueError, match="out-of-range"):
        tf.math.bincount([1], minlength=2**32 + 2)


def test_a_hint_is_left_where_the_value_does_not_fit():
    assert tf.convert_to_tensor(2**40, dtype_hint=tf.int32).dtype == tf.int64
    assert tf.convert_to_tensor([300], dtype_hint=tf.uint8).dtype == tf.int32
    assert tf.convert_to_tensor(np.array([2**40]), dtype_hint=tf.int32).dtype == tf.int64
    assert tf.convert_to_tensor(np.array(["a"]), dtype_hint=tf.int32).dtype == tf.string


def test_floats_beyond_the_range():
    assert tf.constant(1e40, tf.float32).numpy() == np.inf
    assert (tf.ones([2]) * -1e40).numpy().tolist() == [-np.inf] * 2
    with pytest.raises(ValueError, match="out of range"):
        tf.constant(1e40)
    for number in (2**2000, [1.0, 2**2000]):
        with pytest.raises(ValueError, match="out-of-range"):
            tf.constant(number, tf.float64)


def test_other_sequences():
    class Numbers:
        def __init__(self, length):
            self.length = length

        def __len__(self):
            return self.length

        def __getitem__(self, i):
            if i > 1:
                raise IndexError
            return i

    class Liar(list):
        def __len__(self):
            return 5

    class Endless:
        def __len__(self):
            return 2

        def __getitem__(self, i):
            return 1

    assert tf.constant([collections.deque([1, 2]), range(2)]).numpy().tolist() == [[1, 2], [0, 1]]
    assert tf.constant(Numbers(2)).numpy().tolist() == [0, 1]
    for value in (Numbers(5), Liar([1, 2]), [Liar([1, 2])], [[1, 2], Liar([1, 2])], Endless()):
        with pytest.raises(ValueError, match="non-rectangular"):
            tf.constant(value)
    circle = collections.deque()
    circle.append(circle)
    with pytest.raises(ValueError, match="dimensions"):
        tf.constant(circle)


def test_objects_that_become_tensors():
    class Given:
        def __init__(self, value):
            self.value = value

        def __tf_tensor__(self, dtype=None, name=None):
            return tf.convert_to_tensor(self.value, dtype)

    assert (tf.constant(1) + Given(2)).numpy() == 3
    assert tf.zeros(Given([2, 3])).shape == (2, 3)
    assert tf.reduce_sum([1, 2], axis=Given(0)).numpy() == 3
    assert tf.convert_to_tensor(Given(1), dtype_hint=tf.float32).dtype == tf.int32


@pytest.mark.parametrize(
    ("value", "dtype", "error", "text"),
    [
        (1.5, tf.int32, TypeError, "Cannot convert 1.5 to EagerTensor of dtype int32"),
        ([1.5], tf.int32, TypeError, "Cannot convert"),
        (1, tf.bool, TypeError, "Cannot convert 1"),
        ("x", tf.float32, TypeError, "Cannot convert 'x'"),
        ([[1, 2], [3]], None, ValueError, "non-rectangular"),
        ([[1, 2], 3], None, ValueError, "non-rectangular"),
        ([3, [1, 2]], None, ValueError, "non-rectangular"),
        ([True, 1], None, ValueError, "mixed types"),
        ([1, "a"], None, ValueError, "mixed types"),
        (2**64, None, ValueError, "out-of-range"),
        (None, None, ValueError, "unsupported type"),
        ([None], None, ValueError, "unsupported type"),
        (object(), None, ValueError, "unsupported type"),
        ({1: 2}, None, ValueError, "unsupported type"),
    ],
)
def test_refusals(value, dtype, error, text):
    with pytest.raises(error, match=text):
        tf.constant(value, dtype)


@pytest.mark.parametrize(
    ("value", "in_graphs"),
    [
        ([2, None], TypeError),
        ([1, "a"], TypeError),
        (object(), TypeError),
        ({1: 2}, TypeError),
        (None, ValueError),
        ([[1], [2, 3]], ValueError),
    ],
)
def test_refusals_in_graphs(value, in_graphs):
    """A graph's constants go through NumPy, and what it does not take is a TypeError."""

    def convert():
        return tf.convert_to_tensor(value)

    def add():
        return tf.zeros([2]) + value

    for call in (convert, add):
        with pytest.raises(ValueError, match="convert"):
            call()
        with pytest.raises(in_graphs):
            tf.function(call, autograph=False)()
        with tf.Graph().as_default(), pytest.raises(in_graphs):
            call()


def test_a_list_that_begins_with_a_bool_in_graphs():
    made = tf.function(lambda: [tf.constant([True, 2]), tf.constant([False, 1.5])])()
    assert [each.numpy().tolist() for each in made] == [[1, 2], [0.0, 1.5]]
    assert [each.dtype for each in made] == [tf.int32, tf.float32]


def test_lists_with_tensors_are_stacked():
    a = tf.constant([1.0, 2.0])
    assert tf.convert_to_tensor([a, [3, 4]]).numpy().tolist() == [[1, 2], [3, 4]]
    assert tf.convert_to_tensor([tf.Variable(1.0), 2.0]).numpy().tolist() == [1, 2]
    assert tf.reshape(tf.ones([9]), (tf.constant(3.0), 3)).shape == (3, 3)
    assert tf.convert_to_tensor([tf.constant(1), 2], tf.float32).dtype == tf.float32
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.reshape(tf.ones([3]), [tf.constant(2**32 + 3), 1])


def test_a_tensor_keeps_its_dtype():
    with pytest.raises(ValueError, match="requested dtype float32 for Tensor with dtype int32"):
        tf.convert_to_tensor(tf.constant([1, 2]), tf.float32)
    with pytest.raises(TypeError, match="Expected tensor"):
        tf.constant(tf.constant([1, 2]), tf.float32)


def test_shapes_of_constants():
    assert tf.constant(1, shape=(2, 2)).numpy().tolist() == [[1, 1], [1, 1]]
    assert tf.constant([1, 2, 3, 4], shape=(2, 2)).shape == (2, 2)
    with pytest.raises(TypeError, match="3 elements"):
        tf.constant([1, 2, 3], shape=(2, 2))


def test_objects_with_array():
    class Matrix:
        def __array__(self, dtype=None, copy=None):
            return np.eye(2)

    assert tf.convert_to_tensor(Matrix()).shape == (2, 2)
    assert tf.reshape(tf.ones([4]), tf.TensorShape([2, 2])).shape == (2, 2)


def test_dtypes():
    assert tf.float32 == "float32"
    assert tf.float32 == np.float32
    assert tf.float32 == tf.as_dtype(np.dtype("float32"))
    assert tf.as_dtype(float) is tf.float32
    assert tf.as_dtype(1) is tf.float32
    assert tf.int8.min == -128
    assert tf.int8.limits == (0, 127)
    assert tf.bfloat16.as_numpy_dtype.__name__ == "bfloat16"
    assert (repr(tf.float32), str(tf.float32)) == ("tf.float32", "<dtype: 'float32'>")
    for bad in (int, str, "bla", None):
        with pytest.raises(TypeError):
            tf.as_dtype(bad)
