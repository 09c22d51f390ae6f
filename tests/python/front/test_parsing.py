"""tf.io.parse_example, decode_csv: values, defaults, inside functions, mistakes."""

import contextlib

import numpy as np
import penstock as tf
import pytest

F = tf.io.FixedLenFeature


def example(**features):
    def feature(values):
        kind = type(values[0])
        if kind is bytes:
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
        if kind is float:
            return tf.train.Feature(float_list=tf.train.FloatList(value=values))
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

    made = {name: feature(values) for name, values in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()


ONE = example(n=[-5], x=[0.5, 1.5], s=[b"word"])
TWO = example(s=[b""], x=[2.0, 3.0], n=[2**62])
FEATURES = {"x": F([2], tf.float32), "n": F([], tf.int64), "s": F([], tf.string)}


def test_a_batch():
    found = tf.io.parse_example([ONE, TWO], FEATURES)
    assert list(found) == ["n", "s", "x"]
    assert found["n"].numpy().tolist() == [-5, 2**62]
    assert found["s"].numpy().tolist() == [b"word", b""]
    assert found["x"].numpy().tolist() == [[0.5, 1.5], [2.0, 3.0]]
    assert tf.io.parse_example(tf.constant([], tf.string), FEATURES)["x"].shape == [0, 2]


def test_one_example():
    found = tf.io.parse_single_example(ONE, FEATURES)
    assert found["n"].numpy() == -5
    assert found["n"].shape == []
    assert found["x"].numpy().tolist() == [0.5, 1.5]
    assert found["s"].numpy() == b"word"


def test_defaults():
    features = {
        "m": F([2], tf.int64, [7, 8]),
        "t": F([], tf.string, "none"),
        "n": F([], tf.int64, 1),
    }
    found = tf.io.parse_example([ONE], features)
    assert found["m"].numpy().tolist() == [[7, 8]]
    assert found["t"].numpy().tolist() == [b"none"]
    assert found["n"].numpy().tolist() == [-5]


def test_in_a_function_with_open_shapes():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def parsed(data):
        found = tf.io.parse_example(data, FEATURES)
        assert found["x"].shape.as_list() == [None, 2]
        return found["x"] * 2.0, found["s"]

    x, s = parsed(tf.constant([ONE, TWO, ONE]))
    assert x.numpy().tolist() == [[1, 3], [4, 6], [1, 3]]
    assert s.numpy().tolist() == [b"word", b"", b"word"]
    one = tf.function(lambda data: tf.io.parse_single_example(data, FEATURES)["n"])
    assert one(tf.constant(ONE)).numpy() == -5


@pytest.mark.parametrize(
    ("features", "text"),
    [
        ({"m": F([], tf.int64)}, r"Feature: m \(data type: int64\) is required but could not be"),
        (
            {"n": F([], tf.float32)},
            "Data types don't match. Data type: int64 but expected type",
        ),
        ({"x": F([3], tf.float32)}, "Values size: 2 but output shape: \\[3\\]"),
        ({"n": F([], tf.int32)}, "int32 is not in the list of allowed values"),
    ],
)
def test_what_does_not_fit(features, text):
    for call in (
        lambda: tf.io.parse_single_example(ONE, features),
        lambda: tf.io.parse_example([ONE, TWO], features),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            call()


def test_mistakes():
    with pytest.raises(ValueError, match="features cannot be empty"):
        tf.io.parse_example([ONE], {})
    with pytest.raises(ValueError, match="Input serialized must be a scalar"):
        tf.io.parse_single_example([ONE], FEATURES)
    with pytest.raises(ValueError, match="Unsupported int 5 for key 'n'"):
        tf.io.parse_single_example(ONE, {"n": 5})
    with pytest.raises(ValueError, match="First dimension of shape for feature n unknown"):
        tf.io.parse_single_example(ONE, {"n": F([None], tf.int64)})
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse example input"):
        tf.io.parse_single_example(ONE[:-3], FEATURES)


def test_damaged_bytes_are_errors_or_values():
    rng = np.random.default_rng(1)
    for _ in range(500):
        data = bytearray(ONE)
        data[rng.integers(len(data))] = rng.integers(256)
        with contextlib.suppress(tf.errors.InvalidArgumentError):
            tf.io.parse_example([bytes(data)], FEATURES)


def test_version_1_names():
    v1 = tf.compat.v1
    assert v1.parse_single_example(ONE, FEATURES, "p")["n"].numpy() == -5
    assert v1.io.parse_example([ONE], {"n": v1.FixedLenFeature([], tf.int64)})["n"].shape == [1]
    assert v1.decode_csv(["1"], [[0]], ",", True, "columns")[0].numpy().tolist() == [1]


def test_csv():
    numbers, words = tf.io.decode_csv(["1,a", ',"b,c"'], [[7], [""]])
    assert numbers.numpy().tolist() == [1, 7]
    assert numbers.dtype == tf.int32
    assert words.numpy().tolist() == [b"a", b"b,c"]
    (second,) = tf.io.decode_csv("1;2.5", [[0.0]], field_delim=";", select_cols=[1])
    assert second.numpy() == 2.5
    assert second.shape == []
    in_function = tf.function(lambda x: tf.io.decode_csv(x, [[0], [0.5]]))
    assert [x.numpy().tolist() for x in in_function(tf.constant(["3,"]))] == [[3], [0.5]]


@pytest.mark.parametrize(
    ("record", "options", "error", "text"),
    [
        ("1", {}, tf.errors.InvalidArgumentError, "Expect 2 fields but have 1 in record 0"),
        ("x,1", {}, tf.errors.InvalidArgumentError, "Field 0 in record 0 is not a valid int32: x"),
        ("1,2", {"field_delim": "ab"}, tf.errors.InvalidArgumentError, "should be only 1 char"),
        ("1,2", {"select_cols": [1, 0]}, ValueError, "select_cols is not strictly increasing."),
        ("1,2", {"select_cols": [1]}, ValueError, "select_cols and record_defaults do not match"),
    ],
)
def test_csv_mistakes(record, options, error, text):
    with pytest.raises(error, match=text):
        tf.io.decode_csv([record], [[0], [0]], **options)
