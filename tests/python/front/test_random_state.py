"""How far random ops are in their streams: one state for each op of a session or a function,
whatever is made of it. TensorFlow's numbers are in tests/recorded (front_cases/seeds.py)."""

import gc
import threading

import numpy as np
import penstock as tf
import pytest
from penstock.compat.v1 import _session

v1 = tf.compat.v1


def stream(count, seed=5):
    """The numbers of a scalar uniform op in the order in which its runs draw them."""
    tf.random.set_seed(22)
    return [float(tf.random.uniform([], seed=seed)) for _ in range(count)]


def in_threads(run, threads=4, times=25):
    """What all calls of run() gave."""
    found = []

    def work():
        for _ in range(times):
            found.append(run())

    started = [threading.Thread(target=work) for _ in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return found


def test_threads_share_a_stream():
    numbers = stream(100)
    tf.random.set_seed(22)
    assert sorted(in_threads(lambda: float(tf.random.uniform([], seed=5)))) == sorted(numbers)
    f = tf.function(lambda: tf.random.uniform([], seed=5))
    tf.random.set_seed(22)
    assert sorted(in_threads(lambda: float(f()))) == sorted(numbers)


def test_threads_share_a_session():
    with tf.Graph().as_default():
        v1.set_random_seed(22)
        n = tf.random.uniform([], seed=5)
        twice = n * 2
        with v1.Session() as session:
            runs = [lambda: float(session.run(n)), lambda: float(session.run(twice)) / 2]
            found = in_threads(lambda: runs[threading.get_ident() % 2]())
    assert sorted(found) == sorted(stream(100))


def test_a_session_goes_on_without_its_programs(monkeypatch):
    monkeypatch.setattr(_session, "_PROGRAM_BYTES", 1)  # no program is kept
    with tf.Graph().as_default():
        v1.set_random_seed(22)
        x = v1.placeholder(tf.float32, [None])
        n = tf.random.uniform([], seed=5) + tf.reduce_sum(x)
        with v1.Session() as session:
            found = [float(session.run(n, {x: np.zeros(k % 5)})) for k in range(20)]
    np.testing.assert_allclose(found, stream(20))


def test_sessions_have_their_own_states_and_keep_them():
    with tf.Graph().as_default():
        v1.set_random_seed(22)
        n = tf.random.uniform([], seed=5)
        graph = n.graph
    first, second = v1.Session(graph=graph), v1.Session(graph=graph)
    found = [float(first.run(n)), float(first.run(n)), float(second.run(n))]
    numbers = stream(3)  # a seed outside of the graph, which is nothing to sessions
    assert [*found, float(first.run(n))] == [numbers[0], numbers[1], numbers[0], numbers[2]]
    first.close()
    second.close()


def test_a_function_with_open_sizes_has_one_stream():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def f(x):
        return tf.random.uniform([], seed=5) + 0 * tf.reduce_sum(x)

    numbers = stream(30)
    tf.random.set_seed(22)
    # More sizes than there are plans kept for.
    assert [float(f(tf.zeros([k % 15]))) for k in range(30)] == numbers


def test_what_stays_open_has_one_stream():
    @tf.function
    def f(x):
        kept = tf.boolean_mask(x, x > 0)
        return tf.random.uniform(tf.shape(kept), seed=5), tf.nn.dropout(kept, 0.5, seed=5)

    numbers = stream(4)
    tf.random.set_seed(22)
    signs = [[1.0, -1.0], [1.0, 1.0], [1.0, -1.0]]
    found = [f(tf.constant(each)) for each in signs]
    assert [float(each[0]) for each, _ in found] == [numbers[0], numbers[1], numbers[3]]
    assert [bool(mask[0]) for _, mask in found] == [each[0] >= 0.5 for each, _ in found]


def test_regions_draw_by_their_own_ops():
    @tf.function
    def f(p, n):
        total = tf.zeros([])
        while n > 0:
            n -= 1
            if p:
                total += tf.random.uniform([], seed=5)
            else:
                total += 10.0
        return total

    numbers = stream(5)
    tf.random.set_seed(22)
    yes, no = tf.constant(True), tf.constant(False)
    found = [float(f(p, tf.constant(n))) for p, n in ((yes, 2), (no, 1), (yes, 3))]
    np.testing.assert_allclose(found, [sum(numbers[:2]), 10, sum(numbers[2:])], rtol=1e-6)


def test_calls_of_a_function_are_apart():
    inner = tf.function(lambda: tf.random.uniform([], seed=5))
    outer = tf.function(lambda: (inner(), inner(), tf.cond(tf.constant(True), inner, inner)))
    numbers = stream(3)
    tf.random.set_seed(22)
    for number in numbers:
        assert [float(each) for each in outer()] == [number] * 3
    assert float(inner()) == numbers[0]


def test_a_recomputed_op_draws_what_it_drew():
    def steps(x):
        kept = tf.recompute_grad(lambda x: tf.nn.dropout(x * x, 0.5, seed=5))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = kept(x)
        return y, tape.gradient(y, x)

    x = tf.ones([32])
    for step in (steps, tf.function(steps)):
        masks = []
        for _ in range(3):
            y, gradient = step(x)
            np.testing.assert_array_equal(gradient, 2 * y)
            masks.append(tuple(y.numpy()))
        assert len(set(masks)) == 3


def test_a_recomputed_op_of_a_call_that_is_followed_draws_what_it_drew():
    f = tf.function(tf.recompute_grad(lambda x: tf.nn.dropout(x * x, 0.5, seed=5)))
    x = tf.ones([32])
    for calls in (1, 2, 1, 3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            for _ in range(calls):
                y = f(x)
        np.testing.assert_array_equal(tape.gradient(y, x), 2 * y)


def test_states_end_with_their_owners():
    def held():
        gc.collect()
        return tf.config.experimental.get_memory_info()["current"]

    before = held()
    f = tf.function(lambda x: tf.nn.dropout(x, 0.5, seed=5))
    f(tf.ones([4]))
    with tf.Graph().as_default():
        n = tf.random.uniform([], seed=5)
        session = v1.Session()
        session.run(n)
    assert held() > before
    session.close()
    del f, session, n
    assert held() == before


def test_seeds_without_end_take_no_memory():
    def draw(first):
        for seed in range(first, first + 3000):
            tf.random.uniform([], seed=seed)
        return tf.config.experimental.get_memory_info()["current"]

    assert draw(0) == draw(3000)


SEEDED = {
    "uniform": lambda s: tf.random.stateless_uniform([2], s),
    "int": lambda s: tf.random.stateless_uniform([2], s, 0, 100, tf.int32),
    "full int": lambda s: tf.random.stateless_uniform([2], s, None, None, tf.int32),
    "normal": lambda s: tf.random.stateless_normal([2], s),
    "truncated": lambda s: tf.random.stateless_truncated_normal([2], s),
    "gamma": lambda s: tf.random.stateless_gamma([2], s, 1.5),
    "poisson": lambda s: tf.random.stateless_poisson([2], s, 1.5),
    "binomial": lambda s: tf.random.stateless_binomial([2], s, 9.0, 0.5),
    "categorical": lambda s: tf.random.stateless_categorical([[1.0, 2.0]], 3, s),
    "shuffle": lambda s: tf.random.experimental.stateless_shuffle([1, 2, 3, 4], s),
    "dropout": lambda s: tf.nn.experimental.stateless_dropout(tf.ones([8]), 0.5, s),
    "split": lambda s: tf.random.split(s, 3),
    "fold_in": lambda s: tf.random.fold_in(s, 7),
}


@pytest.mark.parametrize("kind", SEEDED)
def test_seeds_are_arguments_of_whole_plans(kind):
    make = SEEDED[kind]
    seeds, wanted = tf.constant([3, 9]), make([3, 9]).numpy()
    np.testing.assert_array_equal(tf.function(make, jit_compile=True)(seeds), wanted)
    held = tf.Variable([3, 9])
    np.testing.assert_array_equal(tf.function(lambda: make(held), jit_compile=True)(), wanted)
    assert tf.function(make).get_concrete_function(seeds).memory_plan().is_exact


def test_bounds_are_arguments_of_whole_plans():
    def f(low, high):
        return tf.random.stateless_uniform([20], [1, 2], low, high, tf.int32)

    whole = tf.function(f, jit_compile=True)
    np.testing.assert_array_equal(whole(tf.constant(3), tf.constant(9)), f(3, 9))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Need minval < maxval, got 9 >= 3"):
        whole(tf.constant(9), tf.constant(3))


def test_what_cannot_be_planned_names_its_cause():
    @tf.function(jit_compile=True)
    def f(x):
        kept = tf.boolean_mask(x, x > 0)
        for _ in range(4):
            kept = tf.sqrt(kept * 2.0) + 1.0
        return tf.reshape(kept, [-1, 1])

    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        f(tf.ones([3]))
    named = [line.split()[0] for line in str(error.value).splitlines() if line.startswith("  ")]
    assert named == ["Where"]


def test_a_size_is_the_cause():
    f = tf.function(lambda n: tf.ones(n) * 2.0, jit_compile=True)
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        f(tf.constant([3]))
    named = [line.split()[0] for line in str(error.value).splitlines() if line.startswith("  ")]
    assert named == ["Fill"]
