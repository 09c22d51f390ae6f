"""TensorFlow 1 programs: graphs are built, sessions run them.

    python graphs.py LIBRARY CASE      LIBRARY: penstock or tensorflow

prints one line of JSON:

    {"version": "2.21.0", "seconds": 0.3, "cpu_seconds": 0.3, "peak_bytes": 0, "check": 2001.0}

Every case runs in its own process; both libraries run the same source. cpu_seconds is the computing
time of all threads, which a busy machine affects least. peak_bytes is the growth of the process
according to the operating system, after a smaller case has done the one-time work. If there are
many nodes or loop iterations, each_seconds is the share of one of them.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
from from_python import REPETITIONS, SECONDS_AT_MOST, peak_of, seconds_per_call
from libraries import values
from peers import MLP_BATCH, MLP_STEPS_BEFORE_CHECK
from training import MLP_LEARNING_RATE, MLP_SIZES

LIBRARIES = ("penstock", "tensorflow")
CPU_SECONDS = 0.1  # of calls, to look at the processor's time


# --- The cases ----------------------------------------------------------------------------------
#
# A case takes a library and gives the call to time.


def run_add(tf):
    v1 = tf.compat.v1
    a, b = v1.placeholder(tf.float32, []), v1.placeholder(tf.float32, [])
    total, session = a + b, v1.Session()
    return lambda: session.run(total, {a: 1.0, b: 2.0})


class Chain:
    """A graph of adds that depend on each other. What is fed is in all of them, so that no library
    can work out a part of them beforehand."""

    def __init__(self, tf, num_adds: int) -> None:
        self.v1 = tf.compat.v1
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = y = self.v1.placeholder(tf.float32, [])
            add = tf.add
            for _ in range(num_adds):
                y = add(y, self.x)
        self.y = y

    def session(self):
        return self.v1.Session(graph=self.graph)

    def run(self, session):
        return session.run(self.y, {self.x: 1.0})

    def __float__(self) -> float:
        with self.session() as session:
            return float(self.run(session))


def build(num_adds):
    return lambda tf: lambda: Chain(tf, num_adds)


def first_run(num_adds):
    def case(tf):
        chain = Chain(tf, num_adds)
        session = chain.session()
        return lambda: chain.run(session)

    return case


def second_run(num_adds):
    def case(tf):
        call = first_run(num_adds)(tf)
        call()
        return call

    return case


def grown_chain(num_turns):
    """A common mistake: ops are created inside the loop that runs them."""

    def case(tf):
        v1 = tf.compat.v1

        def call():
            with tf.Graph().as_default(), v1.Session() as session:
                x = tf.constant(0.0)
                for _ in range(num_turns):
                    x = tf.add(x, tf.constant(1.0))
                    result = session.run(x)
            return result

        return call

    return case


def train_mlp(tf):
    """The step of peers.mlp_step. The batch is fed in every run."""
    v1 = tf.compat.v1
    x = v1.placeholder(tf.float32, [None, MLP_SIZES[0]])
    labels = v1.placeholder(tf.int32, [None])
    h = x
    for i, shape in enumerate(pairwise(MLP_SIZES), start=1):
        w = v1.get_variable(f"w{i}", initializer=values(*shape, seed=i) * np.float32(0.05))
        b = v1.get_variable(f"b{i}", initializer=np.zeros(shape[1], np.float32))
        h = tf.matmul(h, w) + b
        if i < len(MLP_SIZES) - 1:
            h = tf.nn.relu(h)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=h))
    train = v1.train.GradientDescentOptimizer(MLP_LEARNING_RATE).minimize(loss)
    session = v1.Session()
    session.run(v1.global_variables_initializer())
    feed = {
        x: values(MLP_BATCH, MLP_SIZES[0], seed=4),
        labels: (np.arange(MLP_BATCH) * 7 % MLP_SIZES[-1]).astype(np.int32),
    }

    def step():
        return session.run([train, loss], feed)[1]

    for _ in range(MLP_STEPS_BEFORE_CHECK):
        step()
    return step


@dataclass(frozen=True)
class Case:
    make: Callable
    # A smaller case, for what a process does once. What make gives after it is called once, and so
    # are its graph and its session new.
    warm_up: Callable | None = None
    count: int | None = None  # of nodes or turns, to show the time of one
    without: str = ""  # a library that would take minutes


CASES = {"v1_run_add": Case(run_add), "v1_train_mlp": Case(train_mlp)}
for n, size in ((2000, "2k"), (20_000, "20k"), (200_000, "200k")):
    peer = "tensorflow" if n > 20_000 else ""
    CASES[f"v1_build_{size}"] = Case(build(n), build(100), n, without=peer)
CASES["v1_first_run_20k"] = Case(first_run(20_000), first_run(100), 20_000)
CASES["v1_second_run_20k"] = Case(second_run(20_000), count=20_000)
for n, size in ((200, "200"), (2000, "2k"), (20_000, "20k"), (100_000, "100k")):
    peer = "tensorflow" if n > 200 else ""  # its time grows with the square
    chain = Case(grown_chain(n), grown_chain(10), n, without=peer)
    CASES[f"v1_grown_chain_{size}"] = chain


# --- Measuring ----------------------------------------------------------------------------------


def once(call: Callable) -> tuple[dict, object]:
    """The times of a call, and its result. Python's garbage collection is part of them: it costs
    where many objects are made."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = call()
    return {"cpu_seconds": time.process_time() - cpu, "seconds": time.perf_counter() - wall}, result


def measure_single(make: Callable) -> dict:
    """The best of a few first calls, the memory of the first of them. To make and to drop graphs
    and sessions is not part of it."""
    first = []
    call, start = make(), time.perf_counter()
    peak = peak_of(lambda: first.extend(once(call)))
    best, result = first
    check = float(result)
    for _ in range(REPETITIONS - 1):
        if time.perf_counter() - start > SECONDS_AT_MOST:
            break
        times, result = once(make())
        best = {name: min(best[name], times[name]) for name in best}
    return {**best, "peak_bytes": peak, "check": check}


def measure_repeated(call: Callable) -> dict:
    check, seconds = float(call()), seconds_per_call(call)
    calls = max(1, round(CPU_SECONDS / seconds))
    times, _ = once(lambda: [call() for _ in range(calls)])
    return {"seconds": seconds, "cpu_seconds": times["cpu_seconds"] / calls, "check": check}


def measure(library: str, case: Case) -> dict:
    tf = importlib.import_module(library)
    tf.compat.v1.disable_eager_execution()
    version = {"version": tf.__version__}
    if library == case.without:
        return version
    if case.warm_up:
        float(case.warm_up(tf)())
        figures = measure_single(lambda: case.make(tf))
    else:
        figures = measure_repeated(case.make(tf))
    if case.count:
        figures["each_seconds"] = figures["cpu_seconds"] / case.count
    return {**version, **figures}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("case", choices=CASES)
    options = parser.parse_args()
    try:
        figures = measure(options.library, CASES[options.case])
    except Exception as error:
        figures = {"error": f"{type(error).__name__}: {error}"[:200]}
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
