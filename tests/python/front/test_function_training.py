"""Training inside functions: tapes, optimizers, losses, metrics and modules give the same bits as
outside, step for step."""

import numpy as np
import penstock as tf
import pytest

RNG = np.random.default_rng(0)
X = RNG.standard_normal((8, 4)).astype("f")
Y = RNG.standard_normal((8, 3)).astype("f")
LABELS = RNG.integers(0, 3, 8)


def steps(step):
    """The values that three calls give."""
    made = []
    for _ in range(3):
        made.append([tf.convert_to_tensor(each).numpy().copy() for each in tf.nest.flatten(step())])
    return made


def check(make):
    """`make()` gives a step that starts from the same state each time."""
    for eager, traced in zip(steps(make()), steps(tf.function(make())), strict=True):
        for a, b in zip(eager, traced, strict=True):
            assert a.dtype == b.dtype
            assert a.tobytes() == b.tobytes(), (a, b)


def weights():
    rng = np.random.default_rng(1)
    shapes = (4, 5), (5,), (5, 3), (3,)
    return [tf.Variable(rng.standard_normal(shape).astype("f")) for shape in shapes]


def loss_of(w):
    return tf.reduce_mean(tf.square(tf.nn.relu(X @ w[0] + w[1]) @ w[2] + w[3] - Y))


def classes_of(module, base):
    classes = (getattr(module, name) for name in dir(module))
    return [c for c in classes if isinstance(c, type) and issubclass(c, base) and c is not base]


@pytest.mark.parametrize(
    "optimizer", [*classes_of(tf.optimizers, tf.optimizers.Optimizer)], ids=lambda c: c.__name__
)
def test_optimizers(optimizer):
    def make():
        w, opt = weights(), optimizer(learning_rate=0.01)

        def step():
            with tf.GradientTape() as tape:
                loss = loss_of(w)
            opt.apply_gradients(zip(tape.gradient(loss, w), w, strict=True))
            return [loss, opt.iterations, *w]

        return step

    check(make)


@pytest.mark.parametrize(
    "optimizer", [*classes_of(tf.optimizers, tf.optimizers.Optimizer)], ids=lambda c: c.__name__
)
def test_updates_take_no_memory(optimizer):
    size = [300, 100]
    gradients = [tf.constant(RNG.standard_normal(size).astype("f")) for _ in range(2)]

    def make():
        w, opt = [tf.Variable(tf.ones(size)) for _ in gradients], optimizer(learning_rate=0.01)
        opt.build(w)

        def step(*given):
            opt.apply_gradients(zip(given or gradients, w, strict=True))
            return [tf.reduce_sum(each) for each in w]

        return step

    check(make)
    plan = tf.function(make()).memory_plan(*[tf.TensorSpec(size)] * 2)
    assert plan.by_tag.get("activation", 0) < 1000


def test_updates_by_hand_take_no_memory():
    size = [300, 100]
    gradient = tf.constant(RNG.standard_normal(size).astype("f"))

    def make():
        w, m, v, t = *(tf.Variable(tf.ones(size)) for _ in range(3)), tf.Variable(0.0)

        def step(g=gradient):
            t.assign_add(1.0)
            m.assign(0.9 * m + 0.1 * g)
            v.assign(0.999 * v + 0.001 * tf.square(g))
            rate = 0.01 * tf.sqrt(1 - tf.pow(0.999, t)) / (1 - tf.pow(0.9, t))
            w.assign_sub(rate * m / (tf.sqrt(v) + 1e-7))
            return [w.value(), m.value()]

        return step

    check(make)
    step = make()

    @tf.function
    def quiet(g):
        step(g)

    plan = quiet.memory_plan(tf.TensorSpec(size))
    assert plan.by_tag.get("activation", 0) < 1000
    assert len(plan.instructions) == 2  # the rate, and all else


SCHEDULES = tf.optimizers.schedules


@pytest.mark.parametrize(
    "schedule",
    [
        SCHEDULES.ExponentialDecay(0.1, 3, 0.5),
        SCHEDULES.InverseTimeDecay(0.1, 3, 0.5, staircase=True),
        SCHEDULES.PiecewiseConstantDecay([1, 3], [1.0, 0.5, 0.1]),
        SCHEDULES.PolynomialDecay(0.1, 4, cycle=True),
        SCHEDULES.CosineDecay(0.1, 10, alpha=0.1, warmup_target=1.0, warmup_steps=4),
        SCHEDULES.CosineDecayRestarts(0.1, 3),
    ],
    ids=lambda schedule: type(schedule).__name__,
)
def test_schedules(schedule):
    def make():
        w, opt = weights(), tf.optimizers.SGD(schedule, momentum=0.9, clipnorm=1.0)

        def step():
            with tf.GradientTape() as tape:
                loss = loss_of(w)
            opt.apply_gradients(zip(tape.gradient(loss, w), w, strict=True))
            return [schedule(opt.iterations + i) for i in range(6)] + w

        return step

    check(make)


@pytest.mark.parametrize("loss", classes_of(tf.losses, tf.losses.Loss), ids=lambda c: c.__name__)
def test_losses(loss):
    def make():
        of = loss()
        if loss.__name__.startswith("Sparse"):
            return lambda: of(LABELS, tf.nn.softmax(Y))
        return lambda: of(tf.sigmoid(X), tf.sigmoid(X * 2))

    check(make)


@pytest.mark.parametrize(
    "metric",
    [c for c in classes_of(tf.metrics, tf.metrics.Metric) if c.__name__ != "MeanMetricWrapper"],
    ids=lambda c: c.__name__,
)
def test_metrics(metric):
    def make():
        of = metric()

        def step():
            if metric.__name__ in ("Mean", "Sum"):
                of.update_state(X)
            elif "Sparse" in metric.__name__:
                of.update_state(LABELS, Y)
            else:
                of.update_state(tf.round(tf.sigmoid(X)), tf.sigmoid(X * 2))
            return of.result()

        return step

    check(make)


@pytest.mark.parametrize("optimizer", [tf.optimizers.SGD, tf.optimizers.Adam])
def test_rows_of_an_embedding(optimizer):
    def make():
        table, opt = tf.Variable(np.arange(18.0).reshape(6, 3)), optimizer(0.1)

        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 1, 4]) ** 2)
            slices = tape.gradient(loss, table)
            opt.apply_gradients([(slices, table)])
            return [table, slices.values, slices.indices]

        return step

    check(make)


def test_slices_come_out_as_slices():
    table = tf.Variable(tf.ones([4, 2]))

    @tf.function
    def rows(i):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, i) * 3.0)
        return {"g": tape.gradient(loss, table)}

    for _ in range(2):
        got = rows(tf.constant([0, 2]))["g"]
        assert isinstance(got, tf.IndexedSlices)
        assert got.indices.numpy().tolist() == [0, 2]
        assert tf.convert_to_tensor(got).numpy()[:, 0].tolist() == [3, 0, 3, 0]


def persistent():
    x = tf.constant(X)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = tf.reduce_sum(x**3), tf.reduce_sum(tf.sin(x))
    return tape.gradient(y, x), tape.gradient(z, x)


def nested():
    x = tf.constant(X)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.tanh(x) ** 3)
        g = tape.gradient(y, x)
    return g, outer.gradient(g, x)


def custom():
    @tf.custom_gradient
    def clipped(x):
        return tf.identity(x), lambda dy: tf.clip_by_value(dy, -0.5, 0.5)

    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(clipped(x) ** 3)
    return tape.gradient(y, x)


def stopped():
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 2
        with tape.stop_recording():
            z = y * 3
        w = tf.reduce_sum(y * z)
    return tape.gradient(w, x)


def jacobians():
    x = tf.constant(X)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.stack([x[0] * x[1], x[2] ** 2])
        z = x**2
    return tape.jacobian(y, x), tape.batch_jacobian(z, x)


@pytest.mark.parametrize("step", [persistent, nested, custom, stopped, jacobians])
def test_tapes(step):
    check(lambda: step)


def test_gradients_of_a_call():
    v = tf.Variable([2.0, 3.0])
    f = tf.function(lambda x: tf.reduce_sum(x * x * v))
    x = tf.constant([1.0, 5.0])
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        by_x, by_v = tape.gradient(y, [x, v])
        assert by_x.numpy().tolist() == [4, 30]
        assert by_v.numpy().tolist() == [1, 25]


def test_variables_that_change():
    def make():
        v = tf.Variable([1.0, 2.0, 3.0])

        def step():
            slices = tf.IndexedSlices(tf.constant([1.0, 4.0]), tf.constant([0, 2]))
            v.scatter_add(slices)
            v[1].assign(7.0)
            v.scatter_nd_update([[0]], [5.0])
            v.scatter_mul(slices)
            v.scatter_max(slices)
            x = v.value()
            v.assign_sub([1.0, 1.0, 1.0])
            return x, v, v.read_value(), v[::2]

        return step

    check(make)


def test_modules_and_name_scopes():
    def make():
        class Dense(tf.Module):
            w = None

            @tf.Module.with_name_scope
            def __call__(self, x):
                if self.w is None:
                    self.w = tf.Variable(tf.ones([4, 2]) * 0.5, name="w")
                assert self.w.name == "dense/w:0"
                return x @ self.w

        dense = Dense(name="dense")

        def step():
            with tf.name_scope("scope"):
                y = dense(X)
            dense.w.assign_add(tf.ones([4, 2]))
            return y

        return step

    check(make)


def test_rows_through_a_call_are_rows():
    table, rows = tf.Variable(np.arange(18.0).reshape(6, 3)), tf.constant([1, 1, 4])

    def loss(i):
        return tf.reduce_sum(tf.nn.embedding_lookup(table, i) ** 2)

    for f in (loss, tf.function(loss), tf.function(tf.function(loss))):
        for _ in range(2):
            with tf.GradientTape() as tape:
                value = f(rows)
            got = tape.gradient(value, table)
            assert isinstance(got, tf.IndexedSlices)
            assert got.indices.numpy().tolist() == [1, 1, 4]
            assert got.values.numpy()[2].tolist() == [24, 26, 28]
            assert got.dense_shape.numpy().tolist() == [6, 3]


def test_custom_gradients_through_calls():
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def clipped(x):
        return x * v, lambda dy, variables: (dy * 100, [dy * 10])

    passed = tf.grad_pass_through(tf.round)
    inner = tf.function(lambda x: clipped(x) + passed(x))
    x = tf.constant(3.0)
    for f in (inner.python_function, inner, tf.function(inner), tf.function(lambda x: inner(x))):
        assert f(x).numpy() == 9
        for _ in range(2):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            assert [each.numpy() for each in tape.gradient(y, [x, v])] == [101, 10]
    assert inner.experimental_get_tracing_count() == 1

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x)
        return tape.gradient(y, x)

    assert step(x).numpy() == 101


def assigned_before(x, v):
    v.assign(x * 0.1)
    return x * 2.0 + v * v


def assigned_in_a_branch(x, v):
    if tf.reduce_sum(x) > 0.0:
        v.assign_add(x * 0.1)
    return x * 2.0 + v * v


def assigned_in_a_loop(x, v):
    for _ in tf.range(2):
        v.assign_add(x * 0.1)
    return x * 2.0 + v * v


@pytest.mark.parametrize("body", [assigned_before, assigned_in_a_branch, assigned_in_a_loop])
def test_gradients_end_at_assignments(body):
    """A read after an assignment belongs to the variable, not to the assigned value."""
    x = tf.constant([1.0, 2.0])

    def inner(x, v):
        return traced(x, v) * 1.0

    traced = tf.function(body)
    spec = [tf.TensorSpec([None], tf.float32)]
    for f in (traced, tf.function(inner), inner):
        v = tf.Variable([0.0, 0.0])
        for persistent in (False, True):
            with tf.GradientTape(persistent=persistent) as tape:
                tape.watch(x)
                z = f(x, v)
            at_x, at_v = tape.gradient(z, [x, v])
            assert at_x.numpy().tolist() == [2.0, 2.0]
            np.testing.assert_allclose(at_v, 2 * v.numpy(), rtol=1e-6)
    v = tf.Variable([0.0, 0.0])
    opened = tf.function(lambda x: body(x, v), input_signature=spec, autograph=True)
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = opened(x)
    assert tape.gradient(z, x).numpy().tolist() == [2.0, 2.0]


def test_a_variable_that_the_function_has_is_given_to_it():
    v, w = tf.Variable(1.0), tf.Variable(5.0)

    @tf.function
    def f(given):
        v.assign_sub(given)
        return v + given

    assert f(w).numpy() == 1.0  # -4 + 5
    assert f(v).numpy() == 0.0
    assert (v.numpy(), w.numpy()) == (0.0, 5.0)
