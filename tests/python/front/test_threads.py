"""Threads: the GIL is released around large kernels, and everything stays right."""

import threading
import time

import numpy as np
import penstock as tf


def run_all(work, count=8):
    errors = []

    def guarded(i):
        try:
            work(i)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def test_ops_variables_and_tapes():
    shared = tf.Variable(tf.zeros([20_000]))
    rounds = 15

    def work(i):
        own = tf.Variable(float(i))
        for _ in range(rounds):
            shared.assign_add(tf.ones([20_000]))
            with tf.GradientTape() as tape:
                y = own * own + tf.reduce_sum(tf.ones([20_000])) * own
            assert float(tape.gradient(y, own)) == 2 * i + 20_000
            value = np.asarray(shared.value())  # of one moment, whatever the others add meanwhile
            assert value[0] == value[-1]

    run_all(work)
    assert float(shared[0]) == float(shared[-1]) == 8 * rounds


def test_everything_at_once():
    """Shared operands and variables, temporaries, arrays, indices, tapes, products, strings."""
    shared = tf.Variable(tf.ones([300, 300]))
    table = tf.fill([300, 300], 2.0)

    def work(i):
        weights = tf.Variable(tf.fill([300, 300], 0.01))
        for k in range(6):
            value = tf.exp(table * 0.0) - tf.square(table)
            assert value.numpy()[i, -1] == -3
            with tf.GradientTape(persistent=True) as tape:
                product = tf.matmul(table, weights)
                loss = tf.reduce_mean(product)
            gradient = tape.gradient(loss, weights)
            assert abs(float(gradient[i, i]) - 2 / 300) < 1e-6
            weights.assign_sub(gradient * 0.0)
            rows = tf.gather(table, tf.constant([i, k])) + shared[k][tf.newaxis] * 0.0
            assert rows.numpy().tolist()[0][:2] == [2.0, 2.0]
            shared[i].assign(tf.fill([300], float(k)))
            text = tf.strings.join([tf.constant("thread "), tf.strings.as_string(i)])
            assert text.numpy() == f"thread {i}".encode()
            array = np.full([300, 300], i, np.float32)
            borrowed = tf.experimental.from_numpy(array) + table
            del array
            assert float(tf.reduce_max(borrowed)) == i + 2
            assert float(table[0, 0]) == 2

    run_all(work)
    assert shared.numpy()[:8].min() == shared.numpy()[:8].max() == 5


def test_other_threads_run_during_a_large_kernel():
    a = tf.ones([700, 700])
    done = threading.Event()
    ticks = []

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    for _ in range(10):
        tf.matmul(a, a)
    end = time.perf_counter()
    done.set()
    thread.join()
    assert sum(begin < t < end for t in ticks) > 5


def test_arrays_dropped_without_the_gil():
    def work(i):
        for _ in range(50):
            array = np.full(50_000, i, np.float32)
            tensor = tf.experimental.from_numpy(array)
            del array
            assert float((tensor + 1.0)[0]) == i + 1

    run_all(work, 4)
