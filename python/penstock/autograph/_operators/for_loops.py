"""`for` statements: over tensors, ranges of tensors, and Python iterables."""

from __future__ import annotations

import builtins

from penstock import _core, raw_ops
from penstock._control_flow import symbolic
from penstock._ops import create as _create
from penstock._ops import index as _index
from penstock._tensors.composite import LoopSource
from penstock.autograph._operators import state
from penstock.autograph._operators.builtin import length_of
from penstock.autograph._operators.logic import and_
from penstock.autograph._operators.while_loops import Loop

_NOT_IN_PYTHON_LOOPS = (
    "break and return statements which depend on a TF condition are not supported in Python for "
    "loops. Did you intend to make it a TF loop?"
)


class Range:
    """A range with tensors as ends, for a loop that needs no list of its numbers."""

    def __init__(self, start, limit, step):
        tensor = next((x for x in (start, limit) if isinstance(x, _core.Tensor)), None)
        dtype = None if tensor is None else tensor.dtype
        self._start, self._limit = (_core.to_tensor(x, dtype) for x in (start, limit))
        self._step = step

    def count(self):
        """How many numbers there are, as a tensor."""
        one = 1 if self._step > 0 else -1
        count = (self._limit - self._start + self._step - one) // self._step
        return raw_ops.Maximum(x=count, y=0)

    def at(self, number):
        return self._start + number * self._step


def _is_int(value) -> bool:
    return state.is_tensor(value) and value.dtype.is_integer and value.shape.rank == 0


def _python_range(*ends):
    if not any(map(state.is_tensor, ends)):
        return builtins.range(*ends)
    return _tensor_range(*ends)


def _tensor_range(*ends, **options):
    """tf.range as its ends, if these are integers and the step is known."""
    if options or not _core.is_tracing() or not 0 < len(ends) < 4:
        return _create.range(*ends, **options)
    start, limit, step = (0, *ends, 1) if len(ends) == 1 else (*ends, 1)[:3]
    is_whole = all(isinstance(bound, int) or _is_int(bound) for bound in (start, limit))
    if is_whole and isinstance(step, int) and step != 0:
        return Range(start, limit, step)
    return _create.range(*ends)


def lazy(callee):
    """The function that makes a range for a loop, if `callee` makes ranges."""
    if callee is builtins.range:
        return _python_range
    return _tensor_range if callee is _create.range else None


def for_stmt(rows, extra, body, get, put, names, options):
    """Runs `body(row)` for every row, while `extra()` holds if given."""
    if isinstance(rows, Range):
        loop = Loop(get, put, names, options)
        loop.in_graph(extra, lambda number: body(rows.at(number)), rows.count())
    elif isinstance(rows, LoopSource) and _core.is_tracing():
        _over_source(rows._loop(), extra, body, Loop(get, put, names, options))
    elif state.is_tensor(rows):
        _over_tensor(_core.to_tensor(rows), extra, body, get, put, names, options)
    else:
        for row in rows:
            body(row)
            if extra is not None and not _is_python(extra()):
                break


def _over_source(source, extra, body, loop):
    def test():
        return source.advance() if extra is None else and_(extra(), source.advance)

    loop.in_graph(test, lambda unused: body(source.current()))


def _is_python(value):
    if symbolic.is_symbolic(value):
        raise NotImplementedError(_NOT_IN_PYTHON_LOOPS)
    return value


def _over_tensor(rows, extra, body, get, put, names, options):
    length = length_of(rows)
    loop = Loop(get, put, names, options)
    if _core.is_tracing():
        count = _core.to_tensor(length)
        loop.in_graph(extra, lambda number: body(_index.gather(rows, number)), count)
        return
    for number in range(length):
        if not loop.may_go_on():
            break
        loop.step(body, rows[number])
        if extra is not None and not extra():
            break
