"""tf.while_loop and the like: what they hold, and what they say inside of functions. Results are in
tests/recorded (front_cases/control_flow.py)."""

import penstock as tf
import pytest
from penstock._control_flow import symbolic

memory = tf.config.experimental


@pytest.mark.parametrize("count", [3, 30])
def test_a_loop_holds_the_state_of_one_iteration(count):
    before = memory.get_memory_info()["current"]
    memory.reset_memory_stats()
    tf.while_loop(
        lambda i, a, b: i < count,
        lambda i, a, b: (i + 1, a * 1.5, b + a),
        (0, tf.ones([64, 64]), tf.ones([64, 64])),
    )
    pair = 2 * 64 * 64 * 4
    assert memory.get_memory_info()["peak"] - before < 2.1 * pair


def test_gradients_go_through_all_iterations():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * x), (0, 1.0))[1]
    assert tape.gradient(y, x) == 32.0


def test_values_specialise_a_function():
    @tf.function
    def f(x, flag):
        return tf.cond(flag, lambda: tf.sin(x), lambda: tf.cos(x))

    text = str(f.get_concrete_function(tf.constant(1.0), True).graph)
    assert "Sin(" in text
    assert "Cos(" not in text


def test_branches_must_be_alike(monkeypatch):
    monkeypatch.setattr(symbolic, "cond", lambda pred, one, other: [one(), other()][0])

    def choose(one, other):
        return tf.function(lambda p: tf.cond(p, lambda: one, lambda: other))(tf.constant(True))

    assert choose((1, None), (2, None))[1] is None
    with pytest.raises(TypeError, match="must have the same number, type"):
        choose(1, 2.0)
    with pytest.raises(TypeError, match="same number, type, and overall structure"):
        choose([1, 2], (1, 2))
    with pytest.raises(TypeError, match="found return value of type object"):
        choose(object(), 1)


def test_loops_in_functions_keep_dtypes_and_shapes():
    def loop(step):
        return tf.function(lambda: tf.while_loop(lambda x: True, step, [tf.ones([1])]))()

    with pytest.raises(TypeError, match="type should remain constant"):
        loop(lambda x: tf.cast(x, tf.int32))
    with pytest.raises(
        ValueError, match=r"enters the loop with shape \(1,\), but has shape \(2,\)"
    ):
        loop(lambda x: tf.concat([x, x], 0))
    with pytest.raises(ValueError, match="same nested structure"):
        loop(lambda x: (x, x))


def shapes(*sizes):
    return [tf.TensorShape(size) for size in sizes]


def loop(step, start, cond=None, **options):
    """In a function: a loop over a counter and one variable."""
    return tf.function(
        lambda: tf.while_loop(
            lambda i, x: i < 2 if cond is None else cond(i),
            lambda i, x: step(i, x),
            (tf.constant(0), start),
            **options,
        )
    )()


def kept(i, x):
    return i + 1, x


# As TensorFlow answers inside of functions.
MISTAKES = [
    (TypeError, lambda: loop(kept, tf.ones([1]), shape_invariants=(3, tf.TensorShape([1])))),
    (TypeError, lambda: loop(kept, 1.0, shape_invariants=(tf.TensorSpec([]), tf.TensorSpec([])))),
    (ValueError, lambda: loop(kept, 1.0, shape_invariants=shapes([]))),
    (ValueError, lambda: loop(kept, tf.ones([1]), shape_invariants=shapes([], [2]))),
    (ValueError, lambda: loop(lambda i, x: (i + 1, tf.concat([x, x], 0)), tf.ones([1]))),
    (ValueError, lambda: loop(lambda i, x: (i + 1, x[None]), tf.ones([1]))),
    (ValueError, lambda: loop(lambda i, x: (i + 1,), 1.0)),
    (ValueError, lambda: loop(lambda i, x: i + 1, 1.0)),
    (ValueError, lambda: loop(lambda i, x: (i + 1, (x, x)), 1.0)),
    (ValueError, lambda: loop(kept, None)),
    (TypeError, lambda: loop(lambda i, x: (i + 1, tf.cast(x, tf.int32)), 1.0)),
    (tf.errors.InvalidArgumentError, lambda: loop(kept, 1.0, cond=lambda i: i)),
    (tf.errors.InvalidArgumentError, lambda: loop(kept, 1.0, cond=lambda i: "x")),
    (tf.errors.InvalidArgumentError, lambda: loop(kept, 1.0, cond=lambda i: [True, False])),
    (AssertionError, lambda: loop(kept, 1.0, cond=lambda i: None)),
    (TypeError, lambda: loop(kept, 1.0, maximum_iterations="a")),
    (TypeError, lambda: loop(kept, 1.0, maximum_iterations=2.5)),
    (tf.errors.InvalidArgumentError, lambda: loop(kept, 1.0, maximum_iterations=[4])),
    (TypeError, lambda: loop(kept, 1.0, parallel_iterations=0)),
]


@pytest.mark.parametrize(("kind", "call"), MISTAKES)
def test_mistakes_in_loops_of_functions(kind, call):
    with pytest.raises(kind):
        call()


def test_a_case_without_default_needs_one_that_is_true():
    f = tf.function(lambda a, b: tf.case([(a, lambda: 1), (b, lambda: 2)]))
    assert f(tf.constant(False), tf.constant(True)) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="None of conditions"):
        f(tf.constant(False), tf.constant(False))


def test_indices_of_arrays_in_functions():
    @tf.function
    def f(at, value):
        return tf.TensorArray(tf.float32, 3).write(at, value).read(at - 1)

    assert f(tf.constant(1), tf.constant(5.0)) == 0.0
    for at in 3, -1, 0:
        with pytest.raises(tf.errors.InvalidArgumentError):
            f(tf.constant(at), tf.constant(5.0))
