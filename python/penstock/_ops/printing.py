"""tf.print and tf.strings.format: tensors as text, with long dimensions abbreviated."""

from __future__ import annotations

import builtins
import logging
import pprint
import re
import sys
import time

import numpy as np

from penstock import _core, dtypes, errors
from penstock._api import public
from penstock._base.nest import flatten, pack_like
from penstock._context import frames
from penstock._context.trace import call_when_run
from penstock._ops.logger import get_logger
from penstock._tensors.kinds import is_tensor_like
from penstock._tensors.slices import IndexedSlices

_ESCAPES = {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}
_ESCAPES |= {code: f"\\{code:03o}" for code in (*range(32), 127) if code not in _ESCAPES}


def _float_text(value, digits, more_digits) -> str:
    """The digits that are always exact, or all of them if those lose precision."""
    text = f"{float(value):.{digits}g}"
    return text if type(value)(text) == value else f"{float(value):.{more_digits}g}"


def _element_text(value) -> str:
    if isinstance(value, bytes):
        return '"' + value.decode("utf-8", "surrogateescape").translate(_ESCAPES) + '"'
    if isinstance(value, np.complexfloating):
        return f"({_element_text(value.real)},{_element_text(value.imag)})"
    if isinstance(value, (np.bool_, np.integer)):
        return str(int(value))
    if isinstance(value, np.float64):
        return _float_text(value, 15, 17)
    return _float_text(np.float32(value), 6, 9)


def tensor_text(tensor, summarize=3) -> str:
    """The first and last `summarize` elements of every dimension; all of them if it is negative."""
    values = tensor._read_only_array()
    ends = 3 if summarize is None else int(summarize)
    ends = values.size if ends < 0 else min(ends, values.size)
    return _array_text(values, 0, values.ndim, ends)


def _array_text(values, depth, rank, ends) -> str:
    if depth == rank:
        return _element_text(values[()] if isinstance(values, np.ndarray) else values)
    between = " " if depth == rank - 1 else "\n" * (rank - depth - 1) + " " * (depth + 1)
    length = len(values)
    if length > 2 * ends:
        picked = [*range(ends), None, *range(length - ends, length)]
    else:
        picked = range(length)
    parts = ("..." if i is None else _array_text(values[i], depth + 1, rank, ends) for i in picked)
    text = between.join(parts)
    # With nothing before or after the dots they are still separated, as in TensorFlow.
    return f"[{between if ends == 0 and length else ''}{text}]"


class _Slot:
    """Stands for a tensor while the structure around it is laid out: the width of `'{}'`."""

    def __init__(self, slots, tensor):
        self._text = f"\0{len(slots):02}\0"
        slots.append(tensor)

    def __repr__(self):
        return self._text


def _is_tensor(value):
    return is_tensor_like(value) or isinstance(value, IndexedSlices)


def _item_text(item, summarize) -> str:
    if isinstance(item, str):
        return item
    slots = []
    leaves = [_Slot(slots, leaf) if _is_tensor(leaf) else leaf for leaf in flatten(item)]
    layout = pprint.pformat(pack_like(item, leaves))
    return re.sub(
        "\0(\\d+)\0",
        lambda match: tensor_text(_core.to_tensor(slots[int(match[1])]), summarize),
        layout,
    )


@public("print")
def print(*inputs, output_stream=None, summarize=3, sep=" ", end="\n", name=None, **unknown):
    """Writes tensors, texts and structures of them to stderr, or where `output_stream` says:
    sys.stdout, sys.stderr, a level or function of logging, or a file as "file://path".

    Args:
      *inputs: Tensors, texts, or nests of them.
      output_stream: sys.stderr, sys.stdout, a logging function or "file://" and a path.
      summarize: How many elements are shown at both ends of a dimension; -1 is all.
      sep: What is written between the inputs.
      end: What is written at the end.
      name: The name of the operation in a graph.
      **unknown: Refused.

    >>> import sys
    >>> tf.print("x:", tf.constant([1, 2]), output_stream=sys.stdout)
    x: [1 2]
    """
    if unknown:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {unknown}")
    write = _writer(sys.stderr if output_stream is None else output_stream)
    end = "\n" if end is None else end
    if _core.is_tracing():
        run = lambda inputs: _write(write, inputs, summarize, sep, end)  # noqa: E731
        call_when_run("print", run, inputs, node=name or "PrintV2")
        return frames.done()
    return _write(write, inputs, summarize, sep, end)


def _write(write, inputs, summarize, sep, end):
    if len(inputs) == 1 and is_tensor_like(inputs[0]) and _is_one_text(inputs[0]):
        text = inputs[0].numpy().decode("utf-8", "surrogateescape")
    else:
        text = sep.join([_item_text(item, summarize) for item in inputs])
    write(text, end)


def _is_one_text(tensor):
    return tensor.shape.rank == 0 and tensor.dtype.name == "string"


def _writer(stream):
    if stream is sys.stdout or stream is sys.stderr:
        return lambda text, end: builtins.print(_printable(text), end=end, file=stream, flush=True)
    if isinstance(stream, str) and stream.startswith("file://"):
        return lambda text, end: _append(stream[len("file://") :], text + end)
    for level in (logging.INFO, logging.WARNING, logging.ERROR):
        name = logging.getLevelName(level).lower()
        if stream in (level, getattr(logging, name), getattr(get_logger(), name)):
            log = stream if callable(stream) else getattr(logging, name)
            return lambda text, end: log("%s", _printable(text))
    raise ValueError(
        f"Unsupported output stream, logging level, or file.{stream}. Supported streams are "
        "sys.stdout, sys.stderr, logging.info, logging.warning, logging.error. File needs to be in "
        "the form of 'file://<filepath>'."
    )


def _printable(text):
    """The text with invalid UTF-8 replaced."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _append(path, text):
    if not path:
        raise errors.InvalidArgumentError(None, None, "tf.print: the file has no name")
    try:
        with open(path, "ab") as file:
            file.write(text.encode("utf-8", "surrogateescape"))
    except FileNotFoundError as error:
        raise errors.NotFoundError(None, None, f"{path}; {error.strerror}") from None
    except PermissionError as error:
        raise errors.PermissionDeniedError(None, None, f"{path}; {error.strerror}") from None
    except OSError as error:
        raise errors.FailedPreconditionError(None, None, f"{path}; {error.strerror}") from None


@public("strings.format")
def format(template, inputs, placeholder="{}", summarize=3, name=None):
    """The template with a tensor in place of every placeholder, as one string."""
    arguments = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    arguments = [_core.to_tensor(value) for value in arguments]
    count = template.count(placeholder)
    if count != len(arguments):
        raise ValueError(
            f"The template expects {count} tensors, but the inputs only has {len(arguments)}. "
            "Please ensure the number of placeholders in template matches inputs length."
        )
    between = template.split(placeholder)
    if any(isinstance(tensor, _core.SymbolicTensor) for tensor in arguments):
        run = lambda tensors: [_filled(between, tensors, summarize)]  # noqa: E731
        outputs = [(dtypes.string, ())]
        return call_when_run(
            "strings.format", run, arguments, outputs, node=name or "StringFormat"
        )[0]
    return _filled(between, arguments, summarize)


def _filled(between, tensors, summarize):
    texts = [*(tensor_text(tensor, summarize) for tensor in tensors), ""]
    joined = "".join(part for pair in zip(between, texts, strict=True) for part in pair)
    return _core.to_tensor(joined.encode("utf-8", "surrogateescape"))


@public("timestamp")
def timestamp(name=None):
    """Seconds since 1970."""
    return _core.to_tensor(time.time(), dtypes.float64)
