"""What loops of functions hold, and what happens when there is no memory for it."""

import contextlib

import penstock as tf
import pytest
from faults import failing, held, num_allocations
from test_loops import (
    array_of_arrays,
    collected,
    collected_while_growing,
    eager,
    few_checkpoints,
    nested,
    scanned,
    written_in_a_branch,
)

SIDE = 64
BYTES = SIDE * SIDE * 4


def multiplied(count, **options):
    """A loop over a pair of matrices."""

    @tf.function
    def f(x):
        return tf.while_loop(
            lambda i, a, b: i < count,
            lambda i, a, b: (i + 1, tf.tanh(a * b), a + b),
            (0, x, x * 2.0),
            **options,
        )[1]

    return f


def gradient(f):
    return tf.function(lambda x: eager(f, x)[1])


def peak(f, x):
    return f.memory_plan(x).peak_bytes


def test_the_state_is_one_pair_whatever_the_count():
    x = tf.ones([SIDE, SIDE])
    few, many = (peak(multiplied(count), x) for count in (10, 10_000))
    assert few == many <= 5 * BYTES


def test_a_gradient_keeps_as_many_states_as_it_is_told():
    x = tf.ones([SIDE, SIDE])
    peaks = [peak(gradient(multiplied(count, checkpoints=5)), x) for count in (100, 1000, 10_000)]
    assert max(peaks) <= min(peaks) + BYTES // 10
    everything = peak(gradient(multiplied(100, checkpoints=100)), x)
    assert everything > 3 * peaks[0]


@pytest.mark.parametrize("options", [{"checkpoints": 1}, {"checkpoints": 7}, {"swap_memory": True}])
def test_gradients_are_the_same_whatever_is_kept(options):
    x = tf.linspace(0.1, 0.9, 6)
    expected = gradient(multiplied(50, checkpoints=50))(x).numpy()
    assert (gradient(multiplied(50, **options))(x).numpy() == expected).all()


def test_a_loop_needs_checkpoints():
    with pytest.raises(ValueError, match="at least 1"):
        multiplied(3, checkpoints=0)(tf.ones([2]))


def num_allocations_of_calls(f, x):
    """Of the first call, which traces, and of the second."""
    return [num_allocations(lambda: eager(f, x)) for _ in range(2)]


PROGRAMS = [
    collected, collected_while_growing, few_checkpoints, nested, scanned, written_in_a_branch,
    array_of_arrays,
]  # fmt: skip


def results(f, x):
    return [each.numpy().tolist() for each in eager(f, x)]


@pytest.mark.parametrize("function", PROGRAMS)
def test_any_allocation_may_fail(function):
    """In loops and in their gradients, while they are traced and when they run."""
    x = tf.constant([0.75, 1.25])
    expected = results(tf.function(function), x)
    counts = num_allocations_of_calls(tf.function(function), x)
    before = held()
    for calls_before, count in enumerate(counts):
        for nth in range(1, count + 1, 1 + count // 25):
            f = tf.function(function)
            for _ in range(calls_before):
                eager(f, x)
            # What is kept of shapes that were seen may make a call need less than the last one.
            with contextlib.suppress(tf.errors.ResourceExhaustedError), failing(nth):
                eager(f, x)
            assert results(f, x) == expected, nth
            del f
            assert held() == before, nth
