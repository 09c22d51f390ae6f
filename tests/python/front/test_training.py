"""Optimizers, schedules, losses, metrics and initializers, as training loops use them.

The numbers are TensorFlow's.
"""

import numpy as np
import penstock as tf
import pytest

optimizers, losses, metrics, initializers = tf.optimizers, tf.losses, tf.metrics, tf.initializers


def steps(optimizer, sparse=False):
    v, w = tf.Variable([[1.0, 2.0], [3.0, -4.0]]), tf.Variable([0.5, -0.25])
    for i in range(3):
        g = tf.constant([[0.1 * (i + 1), -0.2], [0.3, 0.4]])
        if sparse:
            rows = tf.constant([[0.1, 0.2], [0.3, 0.4]])
            g = tf.IndexedSlices(rows, tf.constant([1, 1]), tf.constant([2, 2]))
        optimizer.apply_gradients([(g, v), (tf.constant([0.5, -1.5]), w)])
    return [*v.numpy().ravel(), *w.numpy()]


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("SGD", {}, [0.994, 2.006, 2.991, -4.012, 0.485, -0.205]),
        (
            "SGD",
            {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True},
            [0.85441, 2.16098, 2.75853, -4.32196, 0.09755, 0.95735],
        ),
        ("Adam", {}, [0.9970769, 2.003, 2.997, -4.003, 0.497, -0.247]),
        (
            "AdamW",
            {"learning_rate": 0.1, "weight_decay": 0.01},
            [0.7049885, 2.2937005, 2.6913135, -4.2877083, 0.1988049, 0.0504468],
        ),
        (
            "Adagrad",
            {"learning_rate": 0.1},
            [0.8569719, 2.1432328, 2.8251607, -4.1926904, 0.2967023, -0.0249009],
        ),
        (
            "RMSprop",
            {"learning_rate": 0.1, "centered": True, "momentum": 0.2},
            [-0.0861439, 2.9441953, 2.0557995, -4.9442024, -0.4442034, 0.6942048],
        ),
        ("Ftrl", {}, [0.0451071, 0.3111238, 0.8218229, -1.5212326, 0.2307058, -0.1961779]),
        (
            "Adam",
            {"learning_rate": 0.1, "global_clipnorm": 0.1},
            [0.707589, 2.2998724, 2.7001073, -4.2999029, 0.2000913, 0.0499249],
        ),
    ],
)
def test_steps(name, arguments, expected):
    np.testing.assert_allclose(steps(getattr(optimizers, name)(**arguments)), expected, 5e-6, 5e-6)


def test_gradients_of_single_rows():
    """Rows that are not named keep their values; those that repeat count as in TensorFlow."""
    np.testing.assert_allclose(steps(optimizers.SGD(0.1), True)[:4], [1, 2, 2.88, -4.18], 1e-6)
    adam = steps(optimizers.Adam(0.1), True)
    np.testing.assert_allclose(adam[:4], [1, 2, 2.6205323, -4.4024873], 2e-6)


def test_learning_rates():
    adam, v = optimizers.Adam(0.5), tf.Variable(1.0, name="w")
    adam.learning_rate = 0.25
    assert float(adam.learning_rate) == 0.25
    assert adam.apply_gradients([(tf.constant(1.0), v)]).numpy() == 1
    assert adam.iterations.dtype == tf.int64
    assert [x.name.rpartition("/")[2] for x in adam.variables] == [
        "iteration:0",
        "learning_rate:0",
        "w_momentum:0",
        "w_velocity:0",
    ]
    sgd = optimizers.SGD(optimizers.schedules.PiecewiseConstantDecay([0], [1.0, 0.5]))
    v.assign(2.0)
    for _ in range(2):
        sgd.apply_gradients([(tf.constant(1.0), v)])
    assert v.numpy() == 0.5
    with pytest.raises(TypeError, match="not settable"):
        sgd.learning_rate = 1.0


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("ExponentialDecay", (0.1, 10, 0.5), [0.1, 0.08122524, 0.05, 0.01767767]),
        ("ExponentialDecay", (0.1, 10, 0.5, True), [0.1, 0.1, 0.05, 0.025]),
        ("InverseTimeDecay", (0.1, 10, 0.5), [0.1, 0.08695652, 0.06666667, 0.04444445]),
        ("PolynomialDecay", (0.1, 10, 0.01, 2.0), [0.1, 0.0541, 0.01, 0.01]),
        ("CosineDecay", (0.1, 20, 0.1), [0.1, 0.0950953, 0.055, 0.01]),
        ("CosineDecayRestarts", (0.1, 5), [0.1, 0.03454914, 0.05, 0.05]),
    ],
)
def test_schedules(name, arguments, expected):
    schedule = getattr(optimizers.schedules, name)(*arguments)
    np.testing.assert_allclose([float(schedule(i)) for i in (0, 3, 10, 25)], expected, 1e-5)


def test_optimizer_refusals():
    v = tf.Variable(1.0)
    sgd = optimizers.SGD()
    with pytest.raises(ValueError, match="No gradients provided"):
        sgd.apply_gradients([(None, v)])
    sgd.apply_gradients([(tf.constant(1.0), v)])
    with pytest.raises(ValueError, match="Unknown variable"):
        sgd.apply_gradients([(tf.constant(1.0), tf.Variable(2.0))])
    with pytest.raises(ValueError, match="not recognized"):
        optimizers.SGD(foo=1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes must be equal"):
        optimizers.SGD().apply_gradients([(tf.constant([1.0, 2.0]), v)])


LABELS, GUESSES = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [[0.2, 0.7], [0.6, 0.4], [0.9, 0.3]]


@pytest.mark.parametrize(
    ("name", "mean", "each"),
    [
        ("MeanSquaredError", 0.15833332, [0.065, 0.16, 0.25]),
        ("MeanAbsoluteError", 0.35, [0.25, 0.4, 0.4]),
        ("BinaryCrossentropy", 0.4851338, [0.28990924, 0.5108256, 0.65466666]),
        ("CategoricalCrossentropy", 0.81203884, [0.2513144, 0.5108256, 1.6739765]),
        ("Huber", 0.07916666, [0.0325, 0.08, 0.125]),
        ("Hinge", 0.68333334, [0.75, 0.9, 0.4]),
        ("KLDivergence", 0.72561026, [0.3566735, 0.510824, 1.3093333]),
        ("CosineSimilarity", -0.89600056, [-0.961524, -0.8320503, -0.8944272]),
    ],
)
def test_losses(name, mean, each):
    make = getattr(losses, name)
    np.testing.assert_allclose(make()(LABELS, GUESSES), mean, 1e-6)
    np.testing.assert_allclose(make(reduction="none")(LABELS, GUESSES), each, 2e-6)
    np.testing.assert_allclose(make(reduction="sum")(LABELS, GUESSES), sum(each), 2e-6)
    weighted = make()(LABELS, GUESSES, sample_weight=[1.0, 0.0, 2.0])
    np.testing.assert_allclose(weighted, (each[0] + 2 * each[2]) / 3, 2e-6)


def test_crossentropy_of_logits():
    smooth = {"from_logits": True, "label_smoothing": 0.1}
    np.testing.assert_allclose(losses.BinaryCrossentropy(**smooth)(LABELS, GUESSES), 0.59038955)
    loss = losses.CategoricalCrossentropy(**smooth)(LABELS, GUESSES)
    np.testing.assert_allclose(loss, 0.8361477, 1e-6)
    logits = tf.Variable([[2.0, 1.0], [0.0, 3.0]])
    with tf.GradientTape() as tape:
        loss = losses.SparseCategoricalCrossentropy(from_logits=True)([0, 1], logits)
    expected = (np.log1p(np.exp(-1)) + np.log1p(np.exp(-3))) / 2
    np.testing.assert_allclose(loss, expected, 1e-6)
    gradient = tape.gradient(loss, logits)
    np.testing.assert_allclose(gradient[0], [-0.13447072, 0.13447072], 1e-5)
    with pytest.raises(ValueError, match="reduction"):
        losses.MeanSquaredError(reduction="foo")
    with pytest.raises(ValueError, match="same shape"):
        losses.CategoricalCrossentropy()([[1.0, 0.0, 0.0]], [[1.0, 0.0]])


def test_metrics():
    mean = metrics.Mean(name="q")
    mean.update_state([1.0, 2.0])
    mean.update_state(6.0, sample_weight=0.5)
    assert (float(mean.result()), mean.name, mean.dtype) == (2.4000000953674316, "q", "float32")
    mean.reset_state()
    assert float(mean.result()) == 0
    assert float(mean(3.0)) == 3
    accuracy = metrics.SparseCategoricalAccuracy()
    accuracy.update_state([[0], [1]], [[0.6, 0.4], [0.7, 0.3]])
    accuracy.update_state([0, 0], [[0.6, 0.4], [0.7, 0.3]])
    assert float(accuracy.result()) == 0.75


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("BinaryAccuracy", 5 / 6),
        ("CategoricalAccuracy", 1.0),
        ("MeanSquaredError", 0.15833332),
        ("RootMeanSquaredError", 0.3979112),
        ("BinaryCrossentropy", 0.4851338),
        ("Precision", 1.0),
        ("Recall", 0.75),
        ("TruePositives", 3.0),
        ("FalseNegatives", 1.0),
    ],
)
def test_metrics_of_predictions(name, expected):
    np.testing.assert_allclose(getattr(metrics, name)()(LABELS, GUESSES), expected, 1e-6)


def test_initializers():
    normal = initializers.RandomNormal(seed=1)((2, 3))
    np.testing.assert_allclose(normal[0], [0.00633252, -0.02465083, 0.03155954], 1e-5)
    glorot = initializers.GlorotUniform(seed=1)((2, 3))
    np.testing.assert_allclose(glorot[0], [0.82922614, -0.08767891, 0.21972716], 1e-5)
    he = initializers.HeNormal(seed=1)((2, 3))
    np.testing.assert_allclose(he[1], [-0.896798, -1.0343677, -0.45378962], 1e-5)
    q = initializers.Orthogonal(seed=1)((2, 3))
    np.testing.assert_allclose(q @ tf.transpose(q), np.eye(2), atol=1e-6)
    assert initializers.Identity(2.0)((2, 2)).numpy().tolist() == [[2, 0], [0, 2]]
    assert initializers.Zeros()((2,), dtype=tf.int32).dtype == tf.int32
    assert initializers.Constant(3.0)((2,)).numpy().tolist() == [3, 3]
    same = initializers.RandomUniform()
    assert same([3]).numpy().tolist() == same([3]).numpy().tolist()
    assert isinstance(initializers.get("he_normal"), initializers.HeNormal)
    with pytest.raises(ValueError, match="2D"):
        initializers.Identity()((2, 2, 2))


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        first, second = initializers.GlorotUniform(seed=3), initializers.GlorotUniform(seed=4)
        self.w1, self.b1 = tf.Variable(first((2, 16))), tf.Variable(tf.zeros([16]))
        self.w2, self.b2 = tf.Variable(second((16, 2))), tf.Variable(tf.zeros([2]))

    def __call__(self, x):
        return tf.matmul(tf.tanh(tf.matmul(x, self.w1) + self.b1), self.w2) + self.b2


@pytest.mark.parametrize("optimizer", ["Adam", "RMSprop"])
def test_a_training_loop_learns(optimizer):
    x = np.random.default_rng(0).normal(size=(256, 2)).astype(np.float32)
    y = (x[:, 0] * x[:, 1] > 0).astype(np.int64)
    net, optimizer = Net(), getattr(optimizers, optimizer)(0.05)
    loss_of = losses.SparseCategoricalCrossentropy(from_logits=True)
    accuracy, mean = metrics.SparseCategoricalAccuracy(), metrics.Mean()
    for epoch in range(60):
        accuracy.reset_state()
        mean.reset_state()
        for i in range(0, 256, 64):
            with tf.GradientTape() as tape:
                logits = net(x[i : i + 64])
                loss = loss_of(y[i : i + 64], logits)
            gradients = tape.gradient(loss, net.trainable_variables)
            optimizer.apply_gradients(zip(gradients, net.trainable_variables, strict=True))
            accuracy.update_state(y[i : i + 64], logits)
            mean(loss)
        if epoch == 0:
            first = float(mean.result())
    assert float(accuracy.result()) > 0.95
    assert float(mean.result()) < first / 3
