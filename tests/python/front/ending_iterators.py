"""Programs that end, fork or are interrupted while iterators work: ending_iterators.py KIND."""

import contextlib
import gc
import os
import signal
import sys
import threading
import time

import penstock as tf

BEGUN = 4  # elements after which a slow pipeline has a thread


def slow(seconds, later=None):
    """A pipeline whose elements take some time, in Python; after the first few another time."""

    def compute(x):
        time.sleep(seconds if later is None or x < BEGUN else later)
        return x

    rows = tf.data.Dataset.range(1000)
    return rows.map(lambda x: tf.ensure_shape(tf.numpy_function(compute, [x], tf.int64), []))


def begun(dataset):
    """An iterator with a thread that computes ahead."""
    iterator = iter(dataset.prefetch(2))
    for _ in range(BEGUN):
        next(iterator)
    return iterator


class Owner:
    """An object that is part of a cycle."""

    def __init__(self, iterator):
        self.iterator, self.me = iterator, self


def interrupted(body, after=0.7):
    """Whether Ctrl-C ends a call."""
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a shell's job in the background has none
    threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        body()
    except KeyboardInterrupt:
        print("interrupted", flush=True)


def at_exit():
    global kept
    kept = begun(slow(0.05))


def at_exit_in_a_cycle():
    Owner(begun(slow(0.05)))


def at_exit_in_a_long_call():
    global kept
    kept = Owner(begun(slow(0.001, 30)))

    def wait():
        with contextlib.suppress(tf.errors.CancelledError):
            list(kept.iterator)

    threading.Thread(target=wait, daemon=True).start()
    time.sleep(0.3)


def at_exit_with_a_function():
    global step, kept
    kept = begun(slow(0.02))
    step = tf.function(lambda iterator: next(iterator))
    step(kept)


def at_exit_of_a_session():
    global session, following
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        session = v1.Session()
        following = v1.data.make_one_shot_iterator(slow(0.02).prefetch(2)).get_next()
        for _ in range(BEGUN):
            session.run(following)


def dropped_in_a_thread():
    held = [begun(slow(0.02))]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    print("dropped")


def dropped_by_the_collector():
    for _ in range(20):
        Owner(begun(slow(0.001)))
    gc.collect()
    print("dropped")


def interrupted_while_waiting():
    iterator = begun(slow(0.001, 30))
    interrupted(lambda: list(iterator))
    os._exit(0)  # the element takes its time


def interrupted_in_python():
    iterator = iter(slow(30))
    interrupted(lambda: next(iterator))


def interrupted_without_elements():
    iterator = iter(tf.data.Dataset.range(10**15).filter(lambda x: x < 0))
    interrupted(lambda: next(iterator))


def interrupted_in_a_function():
    @tf.function
    def count():
        total = tf.constant(0, tf.int64)
        for x in tf.data.Dataset.range(10**15).filter(lambda x: x < 0):
            total += x
        return total

    count.get_concrete_function()  # the trace is not what is interrupted
    interrupted(count)


def forked():
    ahead, plain = begun(slow(0.01)), iter(tf.data.Dataset.range(5))
    next(plain)
    child = os.fork()
    if child == 0:
        try:
            next(ahead)
        except tf.errors.FailedPreconditionError:
            fresh = begun(slow(0.01))
            print("child", int(next(plain)), int(next(fresh)), flush=True)
        del ahead
        gc.collect()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    print("parent", status, int(next(ahead)), int(next(plain)))


def forked_to_exit():
    global kept
    kept = begun(slow(0.01))
    child = os.fork()
    if child == 0:
        sys.exit(0)
    print("child ended with", os.waitpid(child, 0)[1])


SAID = {
    at_exit: "",
    at_exit_in_a_cycle: "",
    at_exit_in_a_long_call: "",
    at_exit_with_a_function: "",
    at_exit_of_a_session: "",
    dropped_in_a_thread: "dropped\n",
    dropped_by_the_collector: "dropped\n",
    interrupted_while_waiting: "interrupted\n",
    interrupted_in_python: "interrupted\n",
    interrupted_without_elements: "interrupted\n",
    interrupted_in_a_function: "interrupted\n",
    forked: "child 1 4\nparent 0 4 1\n",
    forked_to_exit: "child ended with 0\n",
}

if __name__ == "__main__":
    globals()[sys.argv[1]]()
