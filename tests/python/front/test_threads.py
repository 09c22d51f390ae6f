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
