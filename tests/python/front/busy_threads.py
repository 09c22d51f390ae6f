"""A program that ends while daemon threads are busy: busy_threads.py KIND."""

import sys
import threading
import time

import numpy as np
import penstock as tf


def eager():
    x = tf.ones([300, 300])
    while True:
        x = tf.matmul(x, x) * 0 + 1


def function():
    step = tf.function(lambda x: tf.matmul(x, x) * 0 + 1)
    x = tf.ones([200, 200])
    while True:
        x = step(x)


def session():
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as runs:
        x = v1.placeholder(tf.float32, [200, 200])
        y = tf.matmul(x, x)
        while True:
            runs.run(y, {x: np.ones([200, 200], np.float32)})


def loop():
    @tf.function
    def count(n):
        total = tf.ones([100, 100])
        for _ in tf.range(n):
            total = tf.matmul(total, total) * 0 + 1
        return total

    while True:
        count(tf.constant(1000))


def py_function():
    def slowly(x):
        for _ in range(2000):
            pass
        return x

    step = tf.function(lambda x: tf.py_function(slowly, [x], tf.float32) + 1)
    while True:
        step(tf.ones([3]))


def tape():
    v = tf.Variable(tf.ones([100, 100]))
    while True:
        with tf.GradientTape() as recorded:
            y = tf.reduce_sum(tf.matmul(v, v))
        recorded.gradient(y, v)


def conversion():
    class Slow:
        def __array__(self, dtype=None, copy=None):
            for _ in range(500):
                pass
            return np.ones(3, np.float32)

    while True:
        tf.constant(Slow()) + tf.convert_to_tensor([1, 2, 3.0])


def trace():
    while True:
        tf.function(lambda x: x + 1)(tf.ones([3]))


def linalg():
    x = tf.eye(200) * 2
    while True:
        tf.linalg.cholesky(x)


KINDS = (eager, function, session, loop, py_function, tape, conversion, trace, linalg)

if __name__ == "__main__":
    (kind,) = [each for each in KINDS if each.__name__ == sys.argv[1]]
    for _ in range(2):
        threading.Thread(target=kind, daemon=True).start()
    time.sleep(0.3)
