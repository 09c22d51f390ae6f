"""The memory of input pipelines: plans, buffers, budgets, and what dropped iterators return."""

import os
import threading
import time

import numpy as np
import penstock as tf
import pytest

D = tf.data.Dataset


def held(field="current"):
    return tf.config.experimental.get_memory_by_tag()["dataset"][field]


def threads(expected=None):
    """The number of threads. One that was joined may still be leaving: it gets a moment."""
    deadline = time.monotonic() + 5
    while True:
        count = len(os.listdir("/proc/self/task"))
        if expected in (None, count) or time.monotonic() > deadline:
            return count
        time.sleep(0.01)


def read(dataset):
    return sum(1 for _ in dataset)


@pytest.fixture
def budget():
    before = tf.config.get_memory_budget()
    yield tf.config.set_memory_budget
    tf.config.set_memory_budget(before)


def floats(count, width):
    return D.range(count).map(lambda i: tf.fill([width], tf.cast(i, tf.float32)))


EXACT = {
    "shuffle": lambda: D.range(1000).shuffle(100),
    "shuffle of all": lambda: D.range(50).shuffle(100),
    "shuffle of vectors": lambda: floats(60, 25).shuffle(40),
    "shuffle of large elements": lambda: floats(30, 5000).shuffle(10),
    "batch": lambda: D.range(90).batch(30),
    "batch of pairs": lambda: D.from_tensor_slices((np.zeros([40, 3]), np.zeros([40], "i4"))).batch(
        8
    ),
    "cache": lambda: floats(20, 7).cache(),
    "shuffle and batch": lambda: D.range(500).shuffle(70).batch(10),
}


@pytest.mark.parametrize("name", EXACT)
def test_the_peak_is_the_plan(name):
    dataset = EXACT[name]()
    plan = dataset.memory_plan()
    assert plan.is_exact
    tf.config.experimental.reset_memory_stats()
    before = held()
    read(dataset)
    assert held("peak") - before == plan.peak_bytes


def test_plans_name_lines_and_what_is_unknown():
    texts = D.from_tensor_slices(["a", "bc"]).shuffle(2)
    buffer = texts.memory_plan().buffers[-1]
    assert (buffer.stage, buffer.bytes, buffer.is_exact) == ("Shuffle", None, False)
    assert "size" in buffer.unknown
    assert os.path.basename(buffer.file) == os.path.basename(__file__)
    assert buffer.line > 0
    assert "unknown" in str(texts.memory_plan())


def test_small_elements_have_no_overhead():
    before = held()
    iterator = iter(D.range(2_000_000).shuffle(1_000_000))
    next(iterator)
    assert held() - before == 8_000_000
    del iterator
    assert held() == before


@pytest.mark.parametrize(
    "dataset",
    [
        lambda: D.range(10**6).map(lambda x: x * 2, num_parallel_calls=2).batch(10).prefetch(2),
        lambda: D.range(1000).interleave(lambda x: D.range(100), 4, num_parallel_calls=2),
        lambda: D.from_generator(lambda: iter(range(10**6)), tf.int64).prefetch(2),
        lambda: D.range(10**6).shuffle(1000).repeat().batch(7).prefetch(3),
    ],
)
def test_dropped_iterators_return_everything(dataset):
    dataset = dataset()
    bytes_before, threads_before = held(), threads()
    for count in range(20):
        iterator = iter(dataset)
        for _ in range(count % 4):
            next(iterator)
        del iterator
    assert (held(), threads(threads_before)) == (bytes_before, threads_before)


def test_dropped_while_it_computes():
    """The thread of a prefetch looks for an element that never comes."""
    dataset = D.range(2**62).filter(lambda x: x < 0).prefetch(1)
    before = threads()
    iterator = iter(dataset)
    waiting = threading.Thread(target=next, args=(iterator, None), daemon=True)
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    iterator._core.close()
    waiting.join(10)
    assert not waiting.is_alive()
    del iterator, waiting
    assert threads(before) == before


def test_a_shuffle_beyond_its_share_keeps_its_order(budget):
    rows = floats(2000, 1000).shuffle(2000, seed=5, reshuffle_each_iteration=False)
    order = [int(row[0]) for row in rows]
    budget("4MiB")
    tf.config.experimental.reset_memory_stats()
    assert [int(row[0]) for row in rows] == order
    assert held("peak") <= 2 << 20
    assert any(buffer.is_spilled for buffer in rows.memory_plan().buffers)


def test_budgets_down_to_the_least(budget):
    """A smaller budget gives the same elements or ResourceExhaustedError."""
    dataset = floats(64, 256).shuffle(64, seed=1, reshuffle_each_iteration=False).batch(4)
    expected = [batch.numpy().tolist() for batch in dataset]
    finished = []
    for size in (1 << 20, 1 << 17, 1 << 16, 1 << 15, 1 << 14, 1 << 13, 1 << 12, 1 << 10):
        budget(size)
        try:
            found = [batch.numpy().tolist() for batch in dataset]
        except tf.errors.ResourceExhaustedError:
            continue
        assert found == expected
        finished.append(size)
    assert 1 << 16 in finished


def test_errors_say_which_element_and_where():
    dataset = D.from_tensor_slices([1, 0]).map(lambda x: 4 // x)
    iterator = iter(dataset)
    assert int(next(iterator)) == 4
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"element 1 of MapDataset.*\.py:\d+"):
        next(iterator)


@pytest.mark.slow
def test_many_iterators():
    dataset = D.range(100).map(lambda x: x + 1).shuffle(10).batch(4).prefetch(1)
    before = held(), threads()
    for _ in range(100_000):
        iterator = iter(dataset)
        next(iterator)
        del iterator
    assert (held(), threads(before[1])) == before
