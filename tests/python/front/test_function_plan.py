"""Memory plans: equal to what happens, refused when they do not fit, and kept as a text."""

import penstock as tf
import pytest


def layers(x, w):
    h = tf.nn.relu(x @ w)
    h = tf.nn.relu(h @ w)
    return tf.reduce_sum(h * h)


def specs(batch):
    return tf.TensorSpec([batch, 64]), tf.TensorSpec([64, 64])


def measured(f, *args):
    f(*args)
    tf.config.experimental.reset_memory_stats("CPU:0")
    before = tf.config.experimental.get_memory_info()["current"]
    result = f(*args)
    del result
    return tf.config.experimental.get_memory_info()["peak"] - before


@pytest.mark.parametrize("batch", [1, 32, 500])
def test_the_plan_is_what_happens(batch):
    network = tf.function(layers)
    plan = network.memory_plan(*specs(batch))
    assert plan.peak_bytes == measured(network, tf.ones([batch, 64]), tf.ones([64, 64]))
    assert plan.lower_bound <= plan.peak_bytes
    assert max(plan.timeline) <= plan.peak_bytes
    assert len(plan.timeline) == len(plan.instructions)
    assert sum(plan.by_tag.values()) == max(plan.timeline)


def test_a_plan_says_who_holds_what():
    network = tf.function(layers)
    plan = network.memory_plan(*specs(1000))
    largest = plan.live_at_peak[0]
    assert largest.bytes == 1000 * 64 * 4
    assert largest.shape == (1000, 64)
    assert largest.dtype == tf.float32
    assert largest.tag == "activation"
    file, line = largest.line.rsplit(":", 1)
    assert file.endswith("test_function_plan.py")
    assert 8 <= int(line) <= 12
    text = str(plan)
    assert text.startswith(f"layers: peak {plan.peak_bytes / 1024:.1f} KiB ({plan.peak_bytes} ")
    assert "activation" in text
    assert "float32[1000,64]" in text
    assert "test_function_plan.py:" in text
    assert plan.peak_op in plan.instructions


def test_a_plan_for_values_and_for_empty_functions():
    plan = tf.function(lambda x: x).memory_plan(tf.constant([1.0]))
    assert (plan.peak_bytes, plan.instructions, plan.live_at_peak) == (0, [], [])
    assert str(plan).startswith("<lambda>: peak 0 B")


def test_a_budget_is_checked_before_anything_runs():
    v = tf.Variable(0.0)

    def step(x, w):
        v.assign_add(1.0)
        return layers(x, w)

    need = tf.function(step).memory_plan(*specs(1024)).peak_bytes
    f = tf.function(step, memory_budget=need // 2)
    with pytest.raises(tf.errors.ResourceExhaustedError) as error:
        f(tf.ones([1024, 64]), tf.ones([64, 64]))
    first, at, *rest = error.value.message.splitlines()
    assert first.startswith(f"step needs {need} bytes")
    assert f"memory_budget is {need // 2}" in first
    assert at.startswith("  fullest at ")
    assert "float32[1024,64]" in rest[0]
    assert "test_function_plan.py:" in rest[0]
    assert f"  least budget: {need} bytes" in error.value.message
    assert "largest batch" not in error.value.message  # x has 1024 rows, w has 64
    assert v.numpy() == 0
    f(tf.ones([16, 64]), tf.ones([64, 64]))
    assert v.numpy() == 1
    enough = tf.function(step, memory_budget=need)
    assert enough(tf.ones([1024, 64]), tf.ones([64, 64])).shape == []


def test_the_largest_batch_that_fits():
    w = tf.Variable(tf.ones([64, 64]))
    f = tf.function(lambda x: layers(x, w), memory_budget="256KiB")
    with pytest.raises(tf.errors.ResourceExhaustedError, match="largest batch") as error:
        f(tf.ones([5000, 64]))
    count = f.experimental_get_tracing_count()
    batch = int(error.value.message.rsplit("fits: ")[1].split()[0])
    f(tf.ones([batch, 64]))
    with pytest.raises(tf.errors.ResourceExhaustedError):
        f(tf.ones([batch + 1, 64]))
    assert f.experimental_get_tracing_count() == count + 2


def test_the_global_budget():
    f = tf.function(lambda x: tf.reduce_sum(tf.reshape(x, [-1, 1]) * tf.ones([1, 1000])))
    x = tf.ones([2000])
    need = f.memory_plan(x).peak_bytes
    before = tf.config.get_memory_budget()
    held = tf.config.experimental.get_memory_info()["current"]
    tf.config.set_memory_budget(held + need - 1)
    try:
        for _ in range(2):
            with pytest.raises(tf.errors.ResourceExhaustedError) as error:
                f(x)
            assert f"needs {need} bytes" in error.value.message
            assert f"least budget: {held + need} bytes" in error.value.message
            assert "largest batch that fits: 19" in error.value.message
        tf.config.set_memory_budget(held + need)
        assert f(x).numpy() == 2_000_000
        assert f(x).numpy() == 2_000_000
        tf.config.set_memory_budget(held + need - 1)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="least budget"):
            f(x)  # by the fast way
    finally:
        tf.config.set_memory_budget(before)
    assert f(x).numpy() == 2_000_000


def test_assert_peak():
    network = tf.function(layers)
    need = network.memory_plan(*specs(100)).peak_bytes
    tf.debugging.assert_peak(network, need, *specs(100))
    tf.debugging.assert_peak(network, "1MiB", tf.ones([100, 64]), tf.ones([64, 64]))
    with pytest.raises(AssertionError, match=f"more than {need - 1} bytes: layers: peak"):
        tf.debugging.assert_peak(network, need - 1, *specs(100))


def test_a_plan_that_is_kept(tmp_path):
    network = tf.function(layers)
    path = tmp_path / "network.plan"
    network.memory_plan(*specs(100)).save(path)
    assert f"peak_bytes {network.memory_plan(*specs(100)).peak_bytes}\n" in path.read_text()
    network.memory_plan(*specs(100)).check(path)
    with pytest.raises(AssertionError) as error:
        network.memory_plan(*specs(200)).check(path)
    text = str(error.value)
    assert "the memory plan of layers is not the one in" in text
    assert "float32[100,64] 25600 -> float32[200,64] 51200 bytes" in text
    assert "Relu" in text


def test_lines_that_moved_do_not_matter(tmp_path):
    f = tf.function(lambda x: tf.exp(x) @ x)
    g = tf.function(lambda x: tf.exp(x) @ x)
    x = tf.ones([4, 4])
    f.memory_plan(x).save(tmp_path / "f.plan")
    g.memory_plan(x).check(tmp_path / "f.plan")
    h = tf.function(lambda x: tf.concat([tf.exp(x), tf.exp(x @ x)], 0) @ x)
    with pytest.raises(AssertionError, match=r"\+ Concat"):
        h.memory_plan(x).check(tmp_path / "f.plan")


def step_of(optimizer, count):
    variables = [tf.Variable(tf.ones([512, 512])) for _ in range(count)]
    optimizer.build(variables)

    @tf.function
    def step(x):
        gradients = [x @ (x + float(i)) for i in range(count)]
        optimizer.apply_gradients(zip(gradients, variables, strict=True))

    return step


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Lion"])
def test_updates_are_made_where_the_variables_are(name):
    """One gradient at a time: how many variables there are makes no difference."""
    for options in [{}, {"momentum": 0.9}] if name == "SGD" else [{}]:
        few, many = (
            step_of(getattr(tf.optimizers, name)(**options), count).memory_plan(
                tf.TensorSpec([512, 512])
            )
            for count in (2, 6)
        )
        assert many.peak_bytes == few.peak_bytes


def test_a_variable_is_overwritten_when_its_old_value_was_read():
    v = tf.Variable(tf.ones([64, 64]))

    @tf.function
    def f(x):
        old = tf.reduce_sum(v)
        v.assign(x @ v @ v)  # the last product reads v, and cannot be made in its place
        v.assign(x @ v)
        return old

    x = tf.fill([64, 64], 1 / 64)
    expected = x @ (x @ v @ v)
    assert measured(f, x) == f.memory_plan(x).peak_bytes
    v.assign(tf.ones([64, 64]))
    assert f(x).numpy() == 4096
    assert v.numpy().tobytes() == expected.numpy().tobytes()
