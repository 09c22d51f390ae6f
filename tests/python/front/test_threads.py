"""Threads: the GIL is released around large kernels, and everything stays right."""

import gc
import sys
import threading
import time

import numpy as np
import penstock as tf
import pytest

v1 = tf.compat.v1


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
            value = np.asarray(shared.value())  # of one moment, while other threads add to it
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


@pytest.fixture
def _eager_switches():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def seconds(limit):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        yield


@pytest.mark.usefixtures("_eager_switches")
def test_sessions_run_while_the_graph_grows(monkeypatch):
    """The cache of programs drops some all the time."""
    monkeypatch.setattr("penstock.compat.v1._session._PROGRAM_BYTES", 1 << 16)
    monkeypatch.setattr("penstock.compat.v1._growth._SILENT", True)
    graph = v1.Graph()
    with graph.as_default():
        x = v1.placeholder(tf.float32, [None])
        counter = v1.Variable(np.zeros(1, np.float32))
        session = v1.Session(graph=graph)
        session.run(counter.initializer)
        add = counter.assign_add([1.0])
    runs = []

    def work(i):
        with graph.as_default():
            y, wanted = x, 0.0
            for _ in seconds(2):
                if len(runs) % 3 == i % 3:
                    y, wanted = (x, 0.0) if wanted > 50 else (y + 1.0, wanted + 1)
                size = len(runs) % 4 + 1
                assert session.run(y, {x: [0.0] * size}).tolist() == [wanted] * size
                session.run([y, add.op], {x: [0.0]})
                runs.append(i)

    run_all(work)
    assert session.run(counter).tolist() == [len(runs)]
    session.close()


@pytest.mark.usefixtures("_eager_switches")
def test_first_runs_make_a_variable_once():
    for _ in range(40):
        with v1.Graph().as_default() as graph:
            variables = [v1.Variable(np.zeros(1, np.float32)) for _ in range(4)]
            updates = [[each.assign([float(i)]) for each in variables] for i in range(6)]
        with v1.Session(graph=graph) as session:
            start = threading.Barrier(len(updates))

            def work(i, session=session, updates=updates, start=start):
                start.wait()
                for each in updates[i]:
                    session.run(each)

            run_all(work, len(updates))
            for i, several in enumerate(updates):
                for each in several:
                    session.run(each)
                assert session.run(variables) == [[i]] * 4


@pytest.mark.usefixtures("_eager_switches")
def test_sessions_open_and_close_at_once(monkeypatch):
    monkeypatch.setattr("penstock.compat.v1._growth._MANY_SESSIONS", 0)
    monkeypatch.setattr("penstock.compat.v1._growth._warned", _Forgetful())
    graph = v1.Graph()

    def work(i):
        for _ in seconds(1):
            session = v1.Session(graph=graph)
            if i == 0:
                v1.Session.reset("", ["another"])
            session.close()

    run_all(work)


class _Forgetful(set):
    def __contains__(self, unused):
        return False


@pytest.mark.usefixtures("_eager_switches")
def test_functions_are_called_while_traces_are_dropped():
    """By the bound of the cache, and by the end of arguments."""

    class Key:
        pass

    function = tf.function(lambda x, key: x + 1.0, trace_cache_limit=20_000)

    def work(i):
        for k, _ in enumerate(seconds(1.5)):
            key = Key()
            size = k % 5 + 1
            assert function(tf.zeros([size]), key).shape == [size]
            assert function.pretty_printed_concrete_signatures() is not None
            if k % 10 == i:
                key.cycle = key  # found by the collector
                gc.collect(0)

    run_all(work)
    gc.collect()
    function(tf.zeros([1]), 1)
    assert len(function._traces) <= 20


@pytest.mark.usefixtures("_eager_switches")
def test_methods_of_an_object_are_one_function():
    class Model:
        @tf.function
        def __call__(self, x):
            return x + 1.0

    for _ in range(30):
        model, found, start = Model(), [], threading.Barrier(8)

        def work(i, model=model, found=found, start=start):
            start.wait()
            found.append(model.__call__)

        run_all(work)
        assert all(each is found[0] for each in found)
