"""Python functions that graphs call live as long as their callers, even in cycles."""

import gc
import weakref

import penstock as tf
import pytest

N = 1000


def current():
    return tf.config.experimental.get_memory_info()["current"]


class Plain:
    def __init__(self):
        self.w = tf.Variable(tf.ones([N]))
        self.f = tf.function(self.call)

    def call(self, x):
        return tf.py_function(lambda a: a + self.w, [x], tf.float32)


class ByNumpy(Plain):
    def call(self, x):
        return tf.numpy_function(lambda a: a + self.w.numpy(), [x], tf.float32)


class InLoop(Plain):
    def call(self, x):
        for _ in tf.range(2):
            x = tf.ensure_shape(tf.py_function(lambda a: a + self.w, [x], tf.float32), [N])
        return x


class Nested(Plain):
    def __init__(self):
        super().__init__()
        inner = self.f
        self.f = tf.function(lambda x: inner(x) * 1.0)


class OfOpenShape(Plain):
    def __init__(self):
        super().__init__()
        spec = tf.TensorSpec([None], tf.float32)
        self.f = tf.function(self.call, input_signature=[spec])


class WithGradient(Plain):
    def call(self, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda a: a * self.w, [x], tf.float32)
        return tape.gradient(y, x)


@pytest.mark.parametrize("kind", [Plain, ByNumpy, InLoop, Nested, OfOpenShape, WithGradient])
def test_a_callback_that_reaches_its_function_is_freed(kind):
    before = current()
    for _ in range(3):
        model = kind()
        for _ in range(3):
            assert model.f(tf.zeros([N])).shape[0] == N
        seen = weakref.ref(model)
        del model
        gc.collect()
        assert seen() is None
        assert current() == before


def test_in_a_graph():
    v1 = tf.compat.v1
    before = current()
    with v1.Graph().as_default() as graph, v1.Session() as session:
        kept = [graph]

        def call(x):
            return tf.numpy_function(lambda a: a + float(len(kept)), [x], x.dtype)

        y = tf.function(call)(tf.ones([3]))
        gc.collect()
        assert session.run(y).tolist() == [2, 2, 2]
    seen = weakref.ref(graph)
    del graph, session, y, call
    kept.clear()
    gc.collect()
    assert seen() is None
    assert current() == before


def test_callbacks_live_as_long_as_what_calls_them():
    inner = tf.function(lambda x: tf.py_function(lambda a: a + 1.0, [x], tf.float32))
    outer = tf.function(lambda x, f=inner: f(x) * 2.0)
    assert outer(tf.ones([2])).numpy().tolist() == [4, 4]
    concrete = outer.get_concrete_function(tf.TensorSpec([None], tf.float32))
    single = inner.get_concrete_function(tf.TensorSpec([2], tf.float32))
    with tf.GradientTape() as tape:
        x = tf.Variable([1.0, 2.0])
        y = inner(x * 1.0)
    del inner
    gc.collect()
    assert outer(tf.ones([2])).numpy().tolist() == [4, 4]
    del outer
    gc.collect()
    assert concrete(tf.ones([3])).numpy().tolist() == [4, 4, 4]
    assert single(tf.ones([2])).numpy().tolist() == [2, 2]
    assert tape.gradient(y, x).numpy().tolist() == [1, 1]
