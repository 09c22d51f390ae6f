"""Where random ops take their seeds from: the same numbers as TensorFlow for the same seeds."""

import random as python_random
import threading

from penstock import _core, _tracing

_DEFAULT_SEED = 87654321  # the key of a call that has only a seed of its own
_lock = threading.Lock()
_global = None
_sequence = python_random.Random()


def set_seed(seed) -> None:
    """From here on the numbers are the same in every run."""
    global _global, _sequence
    with _lock:
        _global = int(seed)
        _sequence = python_random.Random(_global)
    _core.restart_random_streams()


def next_seeds(seed=None) -> tuple[int, int]:
    """(global seed, op seed) of the next random op."""
    with _lock:
        if seed is not None:
            return (_DEFAULT_SEED if _global is None else _global), int(seed)
        if _global is None:
            # Nothing is to be repeated: not in functions either.
            return _sequence.randint(0, 2**31 - 1), _sequence.randint(0, 2**31 - 1)
        tracing = _tracing.current()
        if tracing is not None:
            return _global, tracing.next_op_seed()
        return _global, _sequence.randint(0, 2**31 - 1)
