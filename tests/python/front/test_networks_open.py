"""Whole networks as functions whose batch is open: one trace serves all batches, with the bits of
the eager program, and for each batch the plan is what happens."""

import networks
import penstock as tf
import pytest
from networks import NETWORKS
from test_networks import bits, measured, name

BATCHES = 1, 3, 8
OPTIMIZERS = None, tf.optimizers.SGD, tf.optimizers.Adam


def program(make, optimizer):
    """What is called, its arguments by batch, and all variables that it has."""
    network = make()
    if optimizer is None:
        return network.forward, lambda batch: network.example(batch)[:1], network.variables
    optimizer = optimizer(0.01)
    optimizer.build(network.variables)
    variables = network.variables + network.statistics + optimizer.variables
    return networks.trainer(network, optimizer), network.example, variables


@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=name)
@pytest.mark.parametrize("make", NETWORKS, ids=name)
def test_one_trace_for_all_batches(make, optimizer):
    step, example, variables = program(make, optimizer)
    eager, _, expected = program(make, optimizer)
    signature = [tf.TensorSpec([None, *arg.shape[1:]], arg.dtype) for arg in example(1)]
    f = tf.function(step, input_signature=signature)
    for batch in BATCHES:
        args = example(batch)
        assert bits([f(*args), *variables]) == bits([eager(*args), *expected])
        plan = f.memory_plan(*(tf.TensorSpec(arg.shape, arg.dtype) for arg in args))
        assert plan.is_exact
        assert measured(lambda f=f, args=args: f(*args)) == plan.peak_bytes
        eager(*args)  # as many steps as the function made
    assert f.experimental_get_tracing_count() == 1
