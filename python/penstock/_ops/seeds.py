"""The seeds of random ops: the same seeds give the same numbers as in TensorFlow."""

from __future__ import annotations

import random as python_random
import threading

from penstock import _core
from penstock._api import public
from penstock._context import trace as _tracing

_DEFAULT_SEED = 87654321  # the key of a call with only its own seed
_LARGEST = 2**31 - 1
_lock = threading.Lock()
_global = None
_sequence = python_random.Random()
_num_restarts = 0


@public("random.set_seed", "v1.set_random_seed", "v1.random.set_random_seed")
def set_seed(seed) -> None:
    """Makes the following numbers the same in every run; inside a function, in the rest of it.

    Args:
      seed: A number that the random numbers follow from; None for others in every run.

    >>> tf.random.set_seed(7)
    >>> a = tf.random.normal([2])
    >>> tf.random.set_seed(7)
    >>> bool(tf.reduce_all(a == tf.random.normal([2])))
    True
    """
    global _global, _sequence, _num_restarts
    graph = _tracing.op_seeds()
    if graph is not None:
        graph.seed = None if seed is None else int(seed)
        return
    with _lock:
        _global = None if seed is None else int(seed)
        _sequence = python_random.Random(_global)
        _num_restarts += 1
    _core.restart_random_streams()


def num_restarts() -> int:
    """The number of times that set_seed has restarted the streams."""
    return _num_restarts


_here = threading.local()


class Draws:
    """Records the draws of random ops inside `with`, so that another run of the code repeats them.

    The first time it takes note; later it gives what it has noted, in the same order.
    """

    def __init__(self):
        self._taken, self._next = [], None
        self._places = _core.RepeatedDraws()

    def __enter__(self) -> Draws:
        self._outer, _here.draws = getattr(_here, "draws", None), self
        self._places.enter()
        return self

    def __exit__(self, *unused):
        self._places.exit()
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
    """The result of `draw`, or its result when this code ran before."""
    draws = getattr(_here, "draws", None)
    return draw() if draws is None else draws.take(draw)


def next_seeds(seed=None) -> tuple[int, int]:
    """(global seed, op seed) of the next random op."""
    return drawn(lambda: _next_seeds(seed))


def op_seeds(seed=None) -> dict[str, int]:
    """The attributes of the next random op, as arguments."""
    key, op_seed = next_seeds(seed)
    if seed is None and not _core.is_tracing():
        # These seeds are unique: no count is needed.
        return {"seed": key, "seed2": op_seed, "skip": 0}
    return {"seed": key, "seed2": op_seed}


def _next_seeds(seed):
    graph = _tracing.op_seeds()
    with _lock:
        shared = _global
        # TensorFlow 1 graphs have their own seeds.
        if graph is not None and (graph.seed is not None or graph._has_own_seed):
            shared = graph.seed
        if seed is not None:
            return _fitting(_DEFAULT_SEED if shared is None else shared, int(seed))
        if shared is None:
            # Nothing is reproducible: not in functions either.
            return _sequence.randint(0, 2**31 - 1), _sequence.randint(0, 2**31 - 1)
        if graph is not None:
            return _fitting(shared, graph.next_op_seed())
        return _fitting(shared, _sequence.randint(0, 2**31 - 1))


def _fitting(key, op_seed) -> tuple[int, int]:
    """Reduces seeds as TensorFlow does, never both to 0."""
    key, op_seed = key % _LARGEST, op_seed % _LARGEST
    return key, op_seed if key or op_seed else _LARGEST
