"""Warns when a function is retraced again and again, and names the argument that causes it."""

from __future__ import annotations

import os
import sys
from collections import deque

from penstock import _core
from penstock._base.nest import flatten
from penstock._tensors.spec import TensorSpec

_WINDOW, _MANY = 6, 5  # calls, and how many of them may be traced
_MAX_WARNINGS = 2
_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


def users_line() -> str:
    """The innermost line outside the package: "train.py:12"."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return "" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _short(value) -> str:
    leaves = flatten(value)
    if len(leaves) != 1 or leaves[0] is not value:
        inside = ", ".join(map(_short, leaves[:4])) + (", …" if len(leaves) > 4 else "")
        return f"{type(value).__name__}({inside})"
    if isinstance(value, (_core.Tensor, TensorSpec)):
        shape = "<unknown>" if value.shape.rank is None else list(value.shape)
        return f"{value.dtype.name}{shape}"
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "…"


class RetraceWatch:
    """The latest calls of a function: whether each was traced, and its arguments."""

    def __init__(self):
        self._calls = deque(maxlen=_WINDOW)  # None, or what was traced
        self._num_warnings = 0

    def called(self, hits=1):
        """Notes calls that needed no trace."""
        self._calls.extend([None] * min(hits, _WINDOW))

    def traced(self, function, named_keys, named_values):
        """Notes a call that was traced: its arguments by name, as keys and as values."""
        if self._num_warnings >= _MAX_WARNINGS:
            return
        texts = {name: _short(value) for name, value in named_values.items()}
        self._calls.append((named_keys, texts, users_line()))
        traces = [call for call in list(self._calls) if call is not None]
        if len(traces) < _MANY:
            return
        self._num_warnings += 1
        from penstock._ops.logger import get_logger

        get_logger().warning(_message(function, len(self._calls), traces))


def _message(function, num_calls, traces) -> str:
    lines = [
        f"{len(traces)} out of the last {num_calls} calls to {function} triggered tf.function "
        "retracing: each new dtype, shape or Python value of an argument is traced and planned "
        "anew."
    ]
    for name in traces[-1][0]:
        if len({keys.get(name) for keys, _, _ in traces}) == 1:
            continue
        seen = ", ".join(dict.fromkeys(texts.get(name, "nothing") for _, texts, _ in traces))
        lines.append(f"  {name} changes: {seen}")
    lines.append(f"  called at {traces[-1][2]}")
    lines.append(
        "Pass numbers that change as tensors, give tensors the same shape (pad the last batch), "
        "and make the function once, not in a loop."
    )
    return "\n".join(lines)
