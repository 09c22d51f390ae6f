"""Sessions: fetches, feeds, variables, containers, memory."""

import collections
import concurrent.futures
import gc
import logging

import numpy as np
import penstock as tf
import pytest
from conftest import current_bytes

v1 = tf.compat.v1
Pair = collections.namedtuple("Pair", ["first", "second"])


@pytest.fixture(autouse=True)
def in_a_graph():
    with tf.Graph().as_default():
        yield


def test_fetches_of_every_structure():
    x = v1.placeholder(tf.float32, [None], name="x")
    y = tf.multiply(x, 2.0)
    v = v1.Variable(7.0)
    with v1.Session() as sess:
        sess.run(v.initializer)
        feed = {x: [1.0, 2.0]}
        assert sess.run(y, feed).tolist() == [2.0, 4.0]
        one, (two, none) = sess.run([v, (y, v.initializer)], feed)
        assert (one, two.tolist(), none) == (7.0, [2.0, 4.0], None)
        found = sess.run({"a": y, "b": [v, "x:0"]}, feed)
        assert found["b"][0] == 7.0
        assert found["b"][1].tolist() == [1.0, 2.0]
        assert sess.run(Pair(v, v)) == Pair(7.0, 7.0)
        assert sess.run([]) == []
        with pytest.raises(TypeError, match="Cannot be None"):
            sess.run([v, None])


def test_any_tensor_can_be_fed():
    a = tf.constant(2.0)
    b = a * a
    c = b + 1.0
    with v1.Session() as sess:
        assert sess.run(c) == 5.0
        assert sess.run(c, {b: 10.0}) == 11.0
        assert sess.run(c, {a: 3.0}) == 10.0


def test_feeds_of_many_kinds_and_shapes():
    x = v1.placeholder(tf.float32, [None])
    y = tf.reduce_sum(x)
    with v1.Session() as sess:
        for value in ([1, 2], np.ones(3), (1.0, 2.0), np.ones(2, np.int64), [1, 2], []):
            assert sess.run(y, {x: value}) == np.sum(value)
        assert sess.run(y, {x.name: [4.0]}) == 4.0


def test_placeholder_with_default():
    x = v1.placeholder_with_default([1.0, 2.0], [None])
    y = tf.reduce_sum(x)
    with v1.Session() as sess:
        assert sess.run(y) == 3.0
        assert sess.run(y, {x: [5.0]}) == 5.0
        assert sess.run(y) == 3.0


def test_make_callable_and_eval():
    x = v1.placeholder(tf.float32, [])
    with v1.Session() as sess:
        square = sess.make_callable(x * x, [x])
        assert square(3.0) == 9.0
        assert (x + 1.0).eval({x: 2.0}) == 3.0
        assert v1.get_default_session() is sess
    with v1.InteractiveSession():
        assert tf.constant(4.0).eval() == 4.0
    assert v1.get_default_session() is None


def test_variables_belong_to_sessions():
    v = v1.get_variable("v", initializer=1.0)
    count = v1.assign_add(v, 1.0)
    one, two = v1.Session(), v1.Session()
    for sess in (one, two):
        sess.run(v1.global_variables_initializer())
    assert [one.run(count), one.run(count), two.run(count)] == [2.0, 3.0, 2.0]
    v.load(10.0, one)
    assert (one.run(v), two.run(v), v.eval(two)) == (10.0, 2.0, 2.0)


def test_scatters():
    v = v1.Variable([1.0, 2.0, 3.0])
    changes = [
        v1.scatter_update(v, [0], [9.0]),
        v1.scatter_add(v, [1, 1], [1.0, 1.0]),
        v1.scatter_nd_sub(v, [[2]], [1.0]),
    ]
    with v1.Session() as sess:
        sess.run(v.initializer)
        for each in changes:
            sess.run(each)
        assert sess.run(v).tolist() == [9.0, 4.0, 2.0]


def test_what_is_not_initialised_is_named():
    a = v1.get_variable("a", [2])
    v1.get_variable("b", [2])
    report = v1.report_uninitialized_variables()
    is_there = v1.is_variable_initialized(a)
    with v1.Session() as sess:
        assert sess.run(report).tolist() == [b"a", b"b"]
        assert not sess.run(is_there)
        sess.run(a.initializer)
        assert sess.run(report).tolist() == [b"b"]
        assert sess.run(is_there)


def test_a_failed_run_leaves_the_session_usable():
    x = v1.placeholder(tf.int32, [None])
    y = tf.gather([1.0, 2.0], x)
    with v1.Session() as sess:
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError):
                sess.run(y, {x: [7]})
            assert sess.run(y, {x: [1]}).tolist() == [2.0]


def test_a_run_that_an_op_ends_is_not_begun_again():
    calls = []

    def checked(value):
        calls.append(value)
        if value < 0:
            raise tf.errors.InvalidArgumentError(None, None, "input is below zero")
        return value

    with v1.Graph().as_default():
        x = v1.placeholder(tf.float32, [])
        y = v1.py_func(checked, [x], tf.float32)
        with v1.Session() as sess:
            assert sess.run(y, {x: 1.0}) == 1.0
            with pytest.raises(tf.errors.InvalidArgumentError, match="input is below zero"):
                sess.run(y, {x: -1.0})
    assert calls == [1.0, -1.0]


def test_reset_frees_exactly_the_containers_variables():
    graph = v1.get_default_graph()
    with graph.container("mine"):
        a = v1.get_variable("a", initializer=tf.zeros([1000]))
    b = v1.get_variable("b", initializer=tf.zeros([500]))
    sess = v1.Session()
    sess.run(v1.global_variables_initializer())
    before = current_bytes()
    v1.Session.reset("", ["mine"])
    assert before - current_bytes() >= 4000
    assert sess.run(b).shape == (500,)
    with pytest.raises(tf.errors.FailedPreconditionError):
        sess.run(a)


def test_control_dependencies_of_constants_run():
    v = v1.get_variable("v", initializer=1.0)
    with tf.control_dependencies([v.assign_add(1.0)]):
        plain, made = tf.constant(4.0), tf.constant(2.0) * 3.0
        size = tf.reshape(tf.ones([6]), [2, 3])
    assert size.shape == [2, 3]
    with v1.Session() as session:
        session.run(v.initializer)
        for count, each in enumerate([plain, made, tf.identity(made), made + plain, [plain]]):
            session.run(each)
            assert session.run(v) == count + 2.0
        with tf.control_dependencies([tf.no_op()]):
            assert session.run(tf.constant(4.0) * 2.0) == 8.0


def test_memory_plan():
    x = v1.placeholder(tf.float32, [None, 256])
    y = tf.matmul(x, tf.transpose(x))
    with v1.Session() as sess:
        small = sess.memory_plan(y, {x: [16, 256]})
        large = sess.memory_plan(y, {x: [64, 256]})
        same = tf.function(lambda x: tf.matmul(x, tf.transpose(x)))
        expected = same.memory_plan(tf.TensorSpec([64, 256]))
    assert 0 < small.peak_bytes < large.peak_bytes
    assert large.peak_bytes == expected.peak_bytes
    assert type(large) is type(expected)
    assert str(large).startswith("Session.run: peak ")


def test_programs_are_bounded_and_go_with_the_session():
    x = v1.placeholder(tf.float32, [None])
    y = tf.reduce_sum(x)
    sess = v1.Session()
    for n in range(1, 40):
        sess.run(y, {x: np.ones(n)})
    assert 0 < sess._programs.bytes() <= 16 << 20
    sess.close()
    assert sess._programs.bytes() == 0


def test_open_sessions_and_dropped_graphs_leave_nothing():
    before = current_bytes()
    for _ in range(2000):
        with tf.Graph().as_default():
            v = v1.get_variable("v", [100])
            sess = v1.Session()
            sess.run(v.initializer)
    del v, sess
    assert current_bytes() == before


def test_a_function_of_python_that_knows_its_graph_goes_with_it():
    def run():
        with tf.Graph().as_default(), v1.Session() as sess:
            v = v1.Variable(tf.ones([1000]))
            y = v1.py_func(lambda a: a * v.shape[0], [v], tf.float32)
            sess.run(v.initializer)
            assert sess.run(y)[0] == 1000.0

    before = current_bytes()
    run()
    assert current_bytes() == before


def test_threads_share_a_session():
    x = v1.placeholder(tf.float32, [None])
    y = tf.reduce_sum(x * x)
    sess = v1.Session()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda n: sess.run(y, {x: np.ones(n % 7)}), range(200)))
    assert found == [n % 7 for n in range(200)]


def test_a_chain_that_grows_costs_little():
    a = tf.constant([1.0])
    with v1.Session() as sess:
        for n in range(2000):
            a = tf.add(a, tf.constant([1.0]))
            assert sess.run(a) == [n + 2.0]


def test_growth_is_noticed_once(caplog):
    x = tf.constant(1.0)
    with caplog.at_level(logging.WARNING), v1.Session() as sess:
        for _ in range(120):
            sess.run(tf.add(x, x))
    messages = [each.message for each in caplog.records if "added nodes" in each.message]
    assert len(messages) == 1
    assert "test_v1_session.py:" in messages[0]


def test_sessions_that_stay_open_are_noticed(caplog):
    tf.constant(1.0)
    with caplog.at_level(logging.WARNING):
        kept = [v1.Session() for _ in range(30)]
    messages = [each.message for each in caplog.records if "stay open" in each.message]
    assert len(messages) == 1
    for sess in kept:
        sess.close()


def test_config_is_accepted():
    config = v1.ConfigProto(allow_soft_placement=True, log_device_placement=False)
    config.gpu_options.allow_growth = True
    one = tf.constant(1.0)
    with v1.Session(config=config) as sess:
        assert sess.run(one, options=v1.RunOptions(), run_metadata=v1.RunMetadata()) == 1.0


def test_assertions_and_prints(capfd):
    x = v1.placeholder(tf.float32, [])
    with tf.control_dependencies([tf.print("x is", x), tf.debugging.assert_positive(x)]):
        y = tf.identity(x)
    with v1.Session() as sess:
        assert sess.run(y, {x: 2.0}) == 2.0
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(y, {x: -1.0})
    assert "x is 2" in capfd.readouterr().err
    gc.collect()


def test_training_with_metrics_and_summaries(tmp_path):
    x = v1.placeholder(tf.float32, [None, 2])
    y = v1.placeholder(tf.float32, [None, 1])
    out = v1.layers.dense(v1.layers.dense(x, 8, activation=tf.nn.relu), 1)
    loss = v1.losses.mean_squared_error(y, out)
    step = v1.train.get_or_create_global_step()
    rate = v1.train.exponential_decay(0.05, step, 10, 0.9)
    train = v1.train.MomentumOptimizer(rate, 0.9).minimize(loss, global_step=step)
    mean, update = v1.metrics.mean(loss)
    v1.summary.scalar("loss", loss)
    merged = v1.summary.merge_all()
    data = np.random.RandomState(0).randn(32, 2).astype(np.float32)
    feed = {x: data, y: data.sum(1, keepdims=True)}
    with v1.Session() as sess:
        sess.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        writer = v1.summary.FileWriter(str(tmp_path), sess.graph)
        first = sess.run(loss, feed)
        for n in range(20):
            _, _, text = sess.run([train, update, merged], feed)
            writer.add_summary(text, n)
        writer.close()
        assert sess.run(loss, feed) < first / 2
        assert sess.run(step) == 20
        assert sess.run(mean) > 0
    assert any(tmp_path.iterdir())


def test_rows_are_fetched_with_their_shape():
    v = v1.get_variable("v", [5, 2])
    gradient = v1.gradients(tf.reduce_sum(tf.gather(v, [1, 3, 1])), v)[0]
    with v1.Session() as session:
        session.run(v.initializer)
        found = session.run(gradient)
        assert type(found).__name__ == "IndexedSlicesValue"
        assert found.indices.tolist() == [1, 3, 1]
        assert found.dense_shape.tolist() == [5, 2]
        rows = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]))
        assert session.run({"rows": rows})["rows"].dense_shape is None
