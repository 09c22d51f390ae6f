"""Allocations that fail, and what is held."""

import contextlib
import gc

import penstock as tf
from penstock import _core


def held():
    gc.collect()
    return tf.config.experimental.get_memory_info()["current"]


@contextlib.contextmanager
def failing(nth):
    """The nth allocation fails; 0: none."""
    _core.inject_faults(nth, 0)
    try:
        yield
    finally:
        _core.end_injection()


def num_allocations(call):
    with failing(0):
        call()
        return _core.end_injection()
