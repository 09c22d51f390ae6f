"""`for` statements: over tensors, ranges of tensors, and whatever Python goes over."""

from __future__ import annotations

import builtins

from penstock import _core
from penstock._control_flow import symbolic
from penstock._functions import basic
from penstock.autograph._operators import state
from penstock.autograph._operators.builtin import length_of
from penstock.autograph._operators.while_loops import Loop

_NOT_IN_PYTHON_LOOPS = (
    "break and return statements which depend on a TF condition are not supported in Python for "
    "loops. Did you intend to make it a TF loop?"
)


class Range:
    """A range whose ends are tensors, for a loop that needs no list of its numbers."""

    def __init__(self, *ends, dtype=None):
        if len(ends) == 1:
            ends = (0, *ends)
        tensors = [each for each in ends if isinstance(each, _core.Tensor)]
        kind = dtype or (tensors[0].dtype if tensors else None)
        start, limit, *delta = [_core.to_tensor(each, kind, False) for each in ends]
        self.start, self.limit, self.kind = start, limit, kind
        self.delta = delta[0] if delta else _core.to_tensor(1, start.dtype, False)

    def count(self):
        """How many numbers there are, as a tensor."""
        from penstock import maximum

        return maximum((self.limit - self.start + self.delta - 1) // self.delta, 0)

    def at(self, number):
        return self.start + number * self.delta


def _is_int(value) -> bool:
    return state.is_tensor(value) and value.dtype.is_integer and value.shape.rank == 0


def _python_range(*ends):
    if not any(map(state.is_tensor, ends)):
        return builtins.range(*ends)
    return _tensor_range(*ends)


def _tensor_range(*ends, **options):
    """tf.range, as its ends where these are whole numbers and the step is known to be positive."""
    is_whole = not options and len(ends) in (1, 2)
    if is_whole and _core.is_tracing() and all(isinstance(x, int) or _is_int(x) for x in ends):
        return Range(*ends)
    return basic.range(*ends, **options)


def lazy(callee):
    """What makes a range for a loop, where that is what `callee` does."""
    if callee is builtins.range:
        return _python_range
    return _tensor_range if callee is basic.range else None


def for_stmt(rows, extra, body, get, put, names, options):
    """Runs `body(row)` for every row, as long as `extra()` where that is given."""
    if isinstance(rows, Range):
        loop = Loop(get, put, names, options)
        loop.in_graph(extra, lambda number: body(rows.at(number)), rows.count())
    elif state.is_tensor(rows):
        _over_tensor(_core.to_tensor(rows, None, False), extra, body, get, put, names, options)
    else:
        for row in rows:
            body(row)
            if extra is not None and not _is_python(extra()):
                break


def _is_python(value):
    if symbolic.is_symbolic(value):
        raise NotImplementedError(_NOT_IN_PYTHON_LOOPS)
    return value


def _over_tensor(rows, extra, body, get, put, names, options):
    length = length_of(rows)
    loop = Loop(get, put, names, options)
    if _core.is_tracing():
        count = _core.to_tensor(length, None, False)
        loop.in_graph(extra, lambda number: body(basic.gather(rows, number)), count)
        return
    for number in range(length):
        if not loop.may_go_on():
            break
        loop.step(body, rows[number])
        if extra is not None and not extra():
            break
