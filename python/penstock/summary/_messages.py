"""The messages of TensorBoard's event files: Event, Summary, and their parts."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from penstock import _core, dtypes
from penstock._api import public
from penstock._memory.host import booked, filled
from penstock._proto import tensor_proto as _tensor_proto
from penstock._proto.message import Message


class TensorProto(Message):
    """A tensor: its dtype, shape and values."""

    class TensorShapeProto(Message):
        """The sizes of the dimensions."""

        class Dim(Message):
            """The size of a dimension."""

            FIELDS: ClassVar = {"size": (1, "int64"), "name": (2, "string")}

        FIELDS: ClassVar = {"dim": (2, [Dim]), "unknown_rank": (3, "bool")}

    FIELDS: ClassVar = {
        "dtype": (1, "enum"),
        "tensor_shape": (2, TensorShapeProto),
        "version_number": (3, "int32"),
        "tensor_content": (4, "bytes"),
        "float_val": (5, ["float"]),
        "double_val": (6, ["double"]),
        "int_val": (7, ["int32"]),
        "string_val": (8, ["bytes"]),
        "int64_val": (10, ["int64"]),
        "bool_val": (11, ["bool"]),
    }


@public("make_tensor_proto")
def make_tensor_proto(
    values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False
) -> TensorProto:
    """The values as a message; of fewer than the shape has, the last one counts for the rest."""
    if isinstance(values, TensorProto):
        return values
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    tensor = _core.to_tensor(values, dtype)
    array = tensor._read_only_array()
    if shape is not None and list(shape) != list(array.shape):
        if verify_shape or (allow_broadcast and array.size != 1):
            raise TypeError(
                f"Expected Tensor's shape: {tuple(shape)}, got {array.shape} for {values}."
            )
        if array.size > math.prod(shape):
            raise ValueError(
                f"Too many elements provided. Needed at most {math.prod(shape)}, but received "
                f"{array.size}."
            )
        tensor = filled(array, list(shape), tensor.dtype, "make_tensor_proto")
    with booked(2 * tensor._read_only_array().nbytes, "make_tensor_proto"):
        return TensorProto.FromString(_tensor_proto.encode(tensor))


@public("make_ndarray")
def make_ndarray(tensor: TensorProto):
    """The values of a message as an array."""
    return np.array(_tensor_proto.decode(tensor.SerializeToString())._read_only_array())


@public("v1.SummaryMetadata")
class SummaryMetadata(Message):
    """Which of TensorBoard's plugins shows a value, and how."""

    class PluginData(Message):
        """The plugin, and what it alone understands."""

        FIELDS: ClassVar = {"plugin_name": (1, "string"), "content": (2, "bytes")}

    FIELDS: ClassVar = {
        "plugin_data": (1, PluginData),
        "display_name": (2, "string"),
        "summary_description": (3, "string"),
        "data_class": (4, "enum"),
    }


@public("v1.HistogramProto")
class HistogramProto(Message):
    """How many values lie below each of a row of limits."""

    FIELDS: ClassVar = {
        "min": (1, "double"),
        "max": (2, "double"),
        "num": (3, "double"),
        "sum": (4, "double"),
        "sum_squares": (5, "double"),
        "bucket_limit": (6, ["double"]),
        "bucket": (7, ["double"]),
    }


@public("v1.Summary", "v1.summary.Summary")
class Summary(Message):
    """Named values of one step."""

    class Image(Message):
        """A picture, as the bytes of a PNG file."""

        FIELDS: ClassVar = {
            "height": (1, "int32"),
            "width": (2, "int32"),
            "colorspace": (3, "int32"),
            "encoded_image_string": (4, "bytes"),
        }

    class Value(Message):
        """A name and one value: a number, an image, a histogram or a tensor."""

        FIELDS: ClassVar = {
            "tag": (1, "string"),
            "simple_value": (2, "float"),
            "node_name": (7, "string"),
            "tensor": (8, TensorProto),
            "metadata": (9, SummaryMetadata),
        }
        ONE_OF = ("simple_value", "image", "histo", "tensor")

    Value.FIELDS |= {"image": (4, Image), "histo": (5, HistogramProto)}
    FIELDS: ClassVar = {"value": (1, [Value])}


@public("v1.SessionLog", "v1.summary.SessionLog")
class SessionLog(Message):
    """What a session did."""

    STATUS_UNSPECIFIED, START, STOP, CHECKPOINT = range(4)
    FIELDS: ClassVar = {
        "status": (1, "enum"),
        "checkpoint_path": (2, "string"),
        "msg": (3, "string"),
    }


class TaggedRunMetadata(Message):
    """The RunMetadata of a run, as bytes, with a name."""

    FIELDS: ClassVar = {"tag": (1, "string"), "run_metadata": (2, "bytes")}


class SourceMetadata(Message):
    """Who wrote a file."""

    FIELDS: ClassVar = {"writer": (1, "string")}


@public("v1.Event", "v1.summary.Event")
class Event(Message):
    """One record of an event file."""

    FIELDS: ClassVar = {
        "wall_time": (1, "double"),
        "step": (2, "int64"),
        "file_version": (3, "string"),
        "graph_def": (4, "bytes"),
        "summary": (5, Summary),
        "session_log": (7, SessionLog),
        "tagged_run_metadata": (8, TaggedRunMetadata),
        "meta_graph_def": (9, "bytes"),
        "source_metadata": (10, SourceMetadata),
    }
    ONE_OF = (
        "file_version",
        "graph_def",
        "summary",
        "session_log",
        "tagged_run_metadata",
        "meta_graph_def",
    )
