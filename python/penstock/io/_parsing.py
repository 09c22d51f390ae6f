"""tf.io.parse_example and its relatives: features of tf.train.Examples, columns of CSV text."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

from penstock import _core, dtypes, raw_ops
from penstock._api import public
from penstock._tensors.shape import TensorShape


@public("io.FixedLenFeature", "v1.FixedLenFeature")
class FixedLenFeature(NamedTuple):
    """A feature with as many values in every example.

    Args:
      shape: Its shape in one example.
      dtype: tf.int64, tf.float32 or tf.string.
      default_value: For examples without the feature; None if all have it.

    >>> tf.io.FixedLenFeature([2], tf.float32)
    FixedLenFeature(shape=[2], dtype=tf.float32, default_value=None)
    """

    shape: Any
    dtype: Any
    default_value: Any = None


def _dims(key, feature) -> list[int]:
    shape = TensorShape(feature.shape)
    if not shape.is_fully_defined():
        is_first = shape.rank is not None and shape[1:].is_fully_defined()
        what = (
            f"First dimension of shape for feature {key} unknown"
            if is_first
            else f"All dimensions of shape for feature {key} need to be known"
        )
        raise ValueError(
            f"{what}. Consider using FixedLenSequenceFeature. Received feature={feature}."
        )
    return shape.as_list()


def _parsed(serialized, features, name):
    if not features:
        raise ValueError("Invalid argument: features cannot be empty.")
    keys = sorted(features)
    defaults, shapes = [], []
    for key in keys:
        feature = features[key]
        if not isinstance(feature, FixedLenFeature):
            raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
        dims = _dims(key, feature)
        dtype = dtypes.as_dtype(feature.dtype)
        if feature.default_value is None:
            default = _core.to_tensor([], dtype)
        else:
            default = _core.to_tensor(feature.default_value, dtype)
            default = raw_ops.Reshape(tensor=default, shape=_core.to_tensor(dims, dtypes.int32))
        defaults.append(default)
        shapes += [len(dims), *dims]
    values = raw_ops.ParseExampleV2(
        serialized=serialized,
        dense_keys=_core.to_tensor(keys, dtypes.string),
        dense_defaults=defaults,
        dense_shapes=shapes,
        name=name,
    )
    return dict(zip(keys, values, strict=True))


@public("io.parse_example")
def parse_example(serialized, features, example_names=None, name=None):
    """The features of serialized tf.train.Examples, as a dict of tensors.

    Args:
      serialized: A vector of serialized examples, or a single one.
      features: A dict of FixedLenFeatures, by the names of the features.
      example_names: Accepted for TensorFlow's sake.
      name: The node's name in a graph.

    >>> feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"id": feature}))
    >>> data = example.SerializeToString()
    >>> tf.io.parse_example([data, data], {"id": tf.io.FixedLenFeature([], tf.int64)})["id"].numpy()
    array([7, 7])
    """
    return _parsed(_core.to_tensor(serialized, dtypes.string), features, name or "ParseExample")


@public("io.parse_single_example")
def parse_single_example(serialized, features, example_names=None, name=None):
    """The features of one serialized tf.train.Example, as a dict of tensors."""
    serialized = _core.to_tensor(serialized, dtypes.string)
    if serialized.shape.rank not in (None, 0):
        raise ValueError("Input serialized must be a scalar")
    return _parsed(serialized, features, name or "ParseSingleExample")


@public("v1.parse_example", "v1.io.parse_example")
def parse_example_v1(serialized, features, name=None, example_names=None):
    """The features of serialized tf.train.Examples, as a dict of tensors."""
    return parse_example(serialized, features, example_names, name)


@public("v1.parse_single_example", "v1.io.parse_single_example")
def parse_single_example_v1(serialized, features, name=None, example_names=None):
    """The features of one serialized tf.train.Example, as a dict of tensors."""
    return parse_single_example(serialized, features, example_names, name)


@public("io.decode_csv")
def decode_csv(
    records,
    record_defaults,
    field_delim=",",
    use_quote_delim=True,
    na_value="",
    select_cols=None,
    name=None,
):
    """The columns of CSV records, a tensor each.

    Args:
      records: Strings, one record each.
      record_defaults: A value for each column, which gives its dtype and stands for empty fields.
        An empty tensor: the field must not be empty.
      field_delim: What separates the fields.
      use_quote_delim: Whether quoted fields may contain that.
      na_value: Another text for an empty field.
      select_cols: The numbers of the columns to return, in ascending order; None for all.
      name: The node's name in a graph.

    >>> numbers, words = tf.io.decode_csv(["1,a", ",b"], [[0], [""]])
    >>> numbers.numpy(), words.numpy()
    (array([1, 0], dtype=int32), array([b'a', b'b'], dtype=object))
    """
    if select_cols is not None:
        if any(a >= b for a, b in pairwise(select_cols)):
            raise ValueError("select_cols is not strictly increasing.")
        if select_cols and select_cols[0] < 0:
            raise ValueError("select_cols contains negative values.")
        if len(select_cols) != len(record_defaults):
            raise ValueError("Length of select_cols and record_defaults do not match.")
    return list(
        raw_ops.DecodeCSV(
            records=_core.to_tensor(records, dtypes.string),
            record_defaults=[_core.to_tensor(each) for each in record_defaults],
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            select_cols=list(select_cols or []),
            name=name,
        )
    )


@public("v1.decode_csv", "v1.io.decode_csv")
def decode_csv_v1(
    records,
    record_defaults,
    field_delim=",",
    use_quote_delim=True,
    name=None,
    na_value="",
    select_cols=None,
):
    """The columns of CSV records, a tensor each."""
    return decode_csv(
        records, record_defaults, field_delim, use_quote_delim, na_value, select_cols, name
    )
