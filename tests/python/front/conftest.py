"""What the tests of the Python front share."""

import gc

import penstock as tf
import pytest


def current_bytes():
    gc.collect()
    return tf.config.experimental.get_memory_info()["current"]


@pytest.fixture(autouse=True)
def balanced():
    """After every test the ledger holds what it held before, to the byte."""
    before = current_bytes()
    yield
    assert current_bytes() == before
