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


@pytest.fixture
def graph_collections(monkeypatch):
    """Inside, tf.compat.v1's collections are those of a new graph, which ends with the test."""
    from penstock.compat.v1 import _collections

    graph = [_collections.Collections()]
    monkeypatch.setattr(_collections, "current", lambda: graph[0])
    yield
    graph.clear()
