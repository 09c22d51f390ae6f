"""Where random ops take their seeds from: the same numbers as TensorFlow for the same seeds."""

import random as python_random
import threading

from penstock import _core, _tracing

_DEFAULT_SEED = 87654321  # the key of a call that has only a seed of its own
_lock = threading.Lock()
_global = None
_sequence = python_random.Random()


def set_seed(seed) -> None:
    """From here on the numbers are the same in every run. Inside a function: in the rest of it."""
    global _global, _sequence
    tracing = _tracing.current()
    if tracing is not None:
        tracing.seed = int(seed)
        return
    with _lock:
        _global = int(seed)
        _sequence = python_random.Random(_global)
    _core.restart_random_streams()


def next_seeds(seed=None) -> tuple[int, int]:
    """(global seed, op seed) of the next random op."""
    tracing = _tracing.current()
    with _lock:
        shared = _global if tracing is None or tracing.seed is None else tracing.seed
        if seed is not None:
            return (_DEFAULT_SEED if shared is None else shared), int(seed)
        if shared is None:
            # Nothing is to be repeated: not in functions either.
            return _sequence.randint(0, 2**31 - 1), _sequence.randint(0, 2**31 - 1)
        if tracing is not None:
            return shared, tracing.next_op_seed()
        return shared, _sequence.randint(0, 2**31 - 1)
