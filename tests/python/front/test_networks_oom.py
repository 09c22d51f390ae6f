"""Networks as functions without enough memory: every failure is a ResourceExhaustedError that
leaves the variables as they were and the ledger balanced, and the next call is right.

Allocations fail one by one, while a function is traced and when it runs; budgets grow step by step
up to what is needed.
"""

import contextlib
import gc

import networks
import numpy as np
import penstock as tf
import pytest
from faults import failing, held, num_allocations
from networks import NETWORKS, Mlp, ResNet50


@pytest.fixture(autouse=True)
def cheap_collections():
    """What is there before a test need not be looked at each time that the test collects."""
    gc.freeze()
    yield
    gc.unfreeze()


class Program:
    """A function of a network with its arguments, and the variables that a failed call must leave
    alone."""

    def __init__(self, python_function, args, variables, wrap=tf.function):
        self.f, self.args, self.variables = wrap(python_function), args, variables

    def call(self):
        return [self.f(*self.args)]

    def run(self):
        """The bits after a call: of its results and of the variables."""
        return bits([*self.call(), *self.variables])


class UnderATape(Program):
    def call(self):
        with tf.GradientTape() as tape:
            loss = self.f(*self.args)
        return [loss, *tape.gradient(loss, self.variables)]


def bits(values):
    return [np.asarray(tf.convert_to_tensor(value)).tobytes() for value in values]


def forward(make, **kwargs):
    network = make()
    return Program(network.forward, network.example(3)[:1], network.variables, **kwargs)


def training(make, **kwargs):
    network, optimizer = make(), tf.optimizers.Adam(0.01)
    optimizer.build(network.variables)
    variables = network.variables + network.statistics + optimizer.variables
    step = networks.trainer(network, optimizer)
    return Program(step, network.example(3), variables, **kwargs)


def outer_tape(make, **kwargs):
    network = make()
    return UnderATape(network.loss, network.example(3), network.variables, **kwargs)


PROGRAMS = forward, training, outer_tape


def eager(python_function):
    return python_function


def check_faults(program, make, stride=1):
    """Allocations of first calls, which trace, and of later ones."""
    one = program(make, wrap=eager)
    expected = [one.run(), one.run()]
    one = program(make)
    counts = num_allocations(one.call), num_allocations(one.call)
    del one
    start = held()
    for calls_before, count in enumerate(counts):
        for nth in range(1, count + 1, stride):
            one = program(make)
            found = [one.run() for _ in range(calls_before)]
            before, state = held(), bits(one.variables)
            with pytest.raises(tf.errors.ResourceExhaustedError), failing(nth):
                one.call()
            assert bits(one.variables) == state
            if calls_before or not one.f.bytes():  # a trace that was finished may stay
                assert held() == before
            found += [one.run() for _ in range(2 - calls_before)]
            assert found == expected, nth
            del one
            assert held() == start


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("make", NETWORKS)
def test_some_allocations_fail(make, program):
    check_faults(program, make, 307 if make is ResNet50 else 43)


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("make", NETWORKS)
def test_every_allocation_fails(make, program):
    check_faults(program, make, 19 if make is ResNet50 else 1)


@pytest.fixture
def unlimited():
    """The budget of the process, which the test may change."""
    before = tf.config.get_memory_budget()
    yield before
    tf.config.set_memory_budget(before)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("make", NETWORKS)
def test_budgets_that_grow(make, program, unlimited):
    expected = program(make, wrap=eager).run()
    one = program(make)
    state, found, budget = bits(one.variables), None, held()
    step = 1 << 12 if make is Mlp else 1 << 16
    while found is None:
        tf.config.set_memory_budget(budget)
        with contextlib.suppress(tf.errors.ResourceExhaustedError):
            found = one.call()
        tf.config.set_memory_budget(unlimited)
        assert found or bits(one.variables) == state
        budget += step
    assert bits([*found, *one.variables]) == expected


@pytest.mark.parametrize("program", [forward, training])
@pytest.mark.parametrize("make", NETWORKS)
def test_the_plan_is_the_least_budget(make, program, unlimited):
    one = program(make, wrap=eager)
    expected = [one.run(), one.run()]
    one = program(make)
    need = one.f.memory_plan(*one.args).peak_bytes
    for calls_before in range(2):  # the way of first calls, and the fast one
        start, state = held(), bits(one.variables)
        for part in range(0, need, need // 7):
            tf.config.set_memory_budget(start + need - 1 - part)
            with pytest.raises(tf.errors.ResourceExhaustedError, match="Nothing was run"):
                one.call()
        assert (held(), bits(one.variables)) == (start, state)
        tf.config.set_memory_budget(start + need)
        found = one.call()
        tf.config.set_memory_budget(unlimited)
        assert bits([*found, *one.variables]) == expected[calls_before]
        del found
