"""Whole networks as functions: the plan is what happens, the bits are those of the eager program,
and nothing is left of a function that is gone. Forwards, in training, and under an outer tape."""

import gc
import threading

import networks
import penstock as tf
import pytest
from networks import NETWORKS, MobileNetV1, MobileNetV2, ResNet50

BATCHES = 1, 3, 8
OPTIMIZERS = tf.optimizers.SGD, tf.optimizers.Adam
WAYS = {"function": tf.function, "jit": tf.function(jit_compile=True)}


def name(value):
    return value.__name__ if isinstance(value, type) else str(value)


def each_network(test):
    test = pytest.mark.parametrize("batch", BATCHES)(test)
    return pytest.mark.parametrize("make", NETWORKS, ids=name)(test)


def programs(make, batch):
    """Functions that are not traced yet, with their arguments and all variables that they have."""
    network = make()
    x, labels = network.example(batch)
    yield tf.function(network.forward), (x,), network.variables
    for optimizer in OPTIMIZERS:
        network, optimizer = make(), optimizer(0.01)
        optimizer.build(network.variables)
        variables = network.variables + network.statistics + optimizer.variables
        yield tf.function(networks.trainer(network, optimizer)), (x, labels), variables


def held():
    return tf.config.experimental.get_memory_info()["current"]


def measured(call):
    tf.config.experimental.reset_memory_stats()
    before = held()
    call()
    return tf.config.experimental.get_memory_info()["peak"] - before


def bits(values):
    return [tf.convert_to_tensor(value).numpy().tobytes() for value in values]


@each_network
def test_plans_are_what_happens(make, batch):
    for f, args, _ in programs(make, batch):
        plan = f.memory_plan(*args)
        for _ in range(3):  # the first call, the next one, and those that are known by then
            assert measured(lambda f=f, args=args: f(*args)) == plan.peak_bytes
        assert plan.lower_bound <= plan.peak_bytes


@each_network
def test_values_and_updates_are_the_eager_ones(make, batch):
    for index in range(1 + len(OPTIMIZERS)):
        found = {}
        for way in ("eager", *WAYS):
            f, args, variables = list(programs(make, batch))[index]
            f = f.python_function if way == "eager" else WAYS[way](f.python_function)
            found[way] = [bits([f(*args), *variables]) for _ in range(3)]
        assert found["function"] == found["eager"]
        assert found["jit"] == found["eager"]


def gradients(network, args, wrap=None, wrap_all=None):
    """The loss and its gradients: the loss alone may be a function, or the whole."""
    loss = network.loss if wrap is None else wrap(network.loss)

    def found(*args):
        with tf.GradientTape() as tape:
            value = loss(*args)
        return [value, *tape.gradient(value, network.variables)]

    if wrap_all is not None:
        found = wrap_all(found)
    return [bits([*found(*args), *network.statistics]) for _ in range(2)]


@each_network
def test_gradients_are_the_eager_ones(make, batch):
    args = make().example(batch)
    expected = gradients(make(), args)
    for wrap in WAYS.values():
        assert gradients(make(), args, wrap=wrap) == expected
        assert gradients(make(), args, wrap_all=wrap) == expected
        assert gradients(make(), args, wrap=tf.function, wrap_all=wrap) == expected


@each_network
def test_nothing_is_left_of_a_function(make, batch):
    network = make()
    args = network.example(batch)
    optimizer = tf.optimizers.Adam()
    optimizer.build(network.variables)
    gc.collect()
    gc.disable()
    try:
        before = held()
        f = tf.function(networks.trainer(network, optimizer))
        f(*args)
        del f
        assert held() == before
        f = tf.function(network.loss)
        with tf.GradientTape() as tape:
            value = f(*args)
        found = tape.gradient(value, network.variables)
        assert held() > before
        del f, tape, value, found
        assert held() == before
    finally:
        gc.enable()


@pytest.mark.parametrize("make", NETWORKS, ids=name)
def test_threads_train_one_network(make):
    """Each step is one moment for the variables, whoever makes it."""

    def trained(run):
        *_, (step, args, variables) = programs(make, 3)
        run(lambda: [step(*args) for _ in range(4)])
        assert step.experimental_get_tracing_count() == 1
        return bits(variables)

    def one_after_the_other(work):
        for _ in range(8):
            work()

    def at_once(work):
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert trained(at_once) == trained(one_after_the_other)


@pytest.mark.parametrize(("make", "floor"), [(MobileNetV1, 4_816_896), (MobileNetV2, 6_021_120)])
def test_mobile_nets_are_at_the_floor(make, floor):
    """What the input and the output of the widest op take: no order or layout needs less."""
    network = make()
    x, _ = network.example(1)
    f = tf.function(network.forward)
    plan = f.memory_plan(x)
    assert plan.by_tag["activation"] == floor
    assert floor == max(
        sum(v.bytes for v in plan.values if v.tag == "activation" and v.first <= i <= v.last)
        for i in range(len(plan.instructions))
    )
    assert plan.peak_bytes == plan.lower_bound
    assert measured(lambda: f(x)) == plan.peak_bytes
    assert bits([f(x)]) == bits([network.forward(x)])


@pytest.mark.slow
@pytest.mark.parametrize("batch", BATCHES)
def test_a_resnet_of_real_size(batch):
    class Real(ResNet50):
        num_classes = 1000

        def __init__(self):
            super().__init__(size=224, width=64)

    for f, args, _ in programs(Real, batch):
        plan = f.memory_plan(*args)
        assert measured(lambda f=f, args=args: f(*args)) == plan.peak_bytes
