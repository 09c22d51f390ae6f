"""Where random ops take their seeds from: the same numbers as TensorFlow for the same seeds."""

from __future__ import annotations

import random as python_random
import threading

from penstock import _core, _tracing
from penstock._scope import default_graph

_DEFAULT_SEED = 87654321  # the key of a call that has only a seed of its own
_lock = threading.Lock()
_global = None
_sequence = python_random.Random()


def set_seed(seed) -> None:
    """From here on the numbers are the same in every run. Inside a function: in the rest of it."""
    global _global, _sequence
    if _core.is_building():
        default_graph().seed = int(seed)
        return
    tracing = _tracing.current()
    if tracing is not None:
        tracing.seed = int(seed)
        return
    with _lock:
        _global = int(seed)
        _sequence = python_random.Random(_global)
    _core.restart_random_streams()


_here = threading.local()


class Draws:
    """What random ops take inside `with`, so that another run of the same code can take it again.

    The first time it takes note; later it gives what it has noted, in the same order.
    """

    def __init__(self):
        self._taken, self._next = [], None

    def __enter__(self) -> Draws:
        self._outer, _here.draws = getattr(_here, "draws", None), self
        return self

    def __exit__(self, *unused):
        _here.draws, self._next = self._outer, 0

    def take(self, draw):
        if self._next is not None and self._next < len(self._taken):
            self._next += 1
            return self._taken[self._next - 1]
        taken = draw() if self._outer is None else self._outer.take(draw)
        if self._next is None:
            self._taken.append(taken)
        return taken


def drawn(draw):
    """What `draw` gives, or what it gave when this code ran before."""
    draws = getattr(_here, "draws", None)
    return draw() if draws is None else draws.take(draw)


def next_seeds(seed=None) -> tuple[int, int]:
    """(global seed, op seed) of the next random op."""
    return drawn(lambda: _next_seeds(seed))


def _next_seeds(seed):
    is_graph = _core.is_building()  # graphs of TensorFlow 1 have seeds of their own
    tracing = default_graph() if is_graph else _tracing.current()
    own = tracing.seed if tracing is not None else None
    with _lock:
        shared = own if is_graph or own is not None else _global
        if seed is not None:
            return (_DEFAULT_SEED if shared is None else shared), int(seed)
        if shared is None:
            # Nothing is to be repeated: not in functions either.
            return _sequence.randint(0, 2**31 - 1), _sequence.randint(0, 2**31 - 1)
        if tracing is not None:
            return shared, tracing.next_op_seed()
        return shared, _sequence.randint(0, 2**31 - 1)
