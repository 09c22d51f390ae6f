"""tf.compat.v1.data: iterators in graphs, and datasets with TensorFlow 1's methods."""

import gc
import subprocess
import sys
import threading
import warnings

import numpy as np
import penstock as tf
import pytest
from conftest import current_bytes

v1 = tf.compat.v1
D = tf.data.Dataset


@pytest.fixture(autouse=True)
def in_a_graph():
    with tf.Graph().as_default():
        yield


def until_end(session, fetch, feed=None):
    found = []
    while True:
        try:
            found.append(session.run(fetch, feed))
        except tf.errors.OutOfRangeError:
            return found


def test_a_position_belongs_to_a_session():
    following = v1.data.make_one_shot_iterator(D.range(3)).get_next()
    with v1.Session() as first, v1.Session() as second:
        assert [first.run(following), first.run(following), second.run(following)] == [0, 1, 0]
        assert until_end(first, following) == [2]
        assert until_end(second, following) == [1, 2]


def test_a_one_shot_iterator_over_nodes_of_the_graph():
    """Constants and what is computed from them are allowed, placeholders with a default too."""
    count = tf.constant(2, tf.int64) + 1
    scale = v1.placeholder_with_default(tf.constant(10, tf.int64), [])
    following = v1.data.make_one_shot_iterator(D.range(count).map(lambda x: x * scale)).get_next()
    with v1.Session() as session:
        assert until_end(session, following) == [0, 10, 20]


def test_what_a_one_shot_iterator_cannot_capture():
    x = v1.placeholder(tf.int64, [], name="n")
    with pytest.raises(ValueError, match=r"Cannot capture a placeholder \(name:n, type:Placehold"):
        v1.data.make_one_shot_iterator(D.range(3).map(lambda i: i + x * 2))
    v = v1.get_variable("v", initializer=np.int64(3))
    with pytest.raises(ValueError, match=r"Cannot capture a stateful node \(name:v, type:"):
        v1.data.make_one_shot_iterator(D.range(v + 1))


def test_a_failure_to_start_is_told_by_every_run():
    size = tf.constant([0], tf.int64)[0]
    following = v1.data.make_one_shot_iterator(D.range(3).batch(size)).get_next()
    with v1.Session() as session:
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"[Bb]atch"):
                session.run(following)


def test_the_initializer_takes_what_is_fed():
    n, scale = v1.placeholder(tf.int64, []), v1.placeholder(tf.int64, [])
    dataset = v1.data.Dataset.range(n).map(lambda x: x * scale).filter(lambda x: x > 0)
    iterator = dataset.make_initializable_iterator()
    following = iterator.get_next()
    with v1.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="must feed a value"):
            session.run(iterator.initializer, {n: 3})
        for count, factor in ((3, 2), (4, 5)):
            iterator.initializer.run({n: count, scale: factor})
            assert until_end(session, following) == [factor * i for i in range(1, count)]


def test_elements_that_do_not_fit_a_handle():
    handle = v1.placeholder(tf.string, [])
    iterator = v1.data.Iterator.from_string_handle(handle, tf.int32, [])
    following = iterator.get_next()
    other = v1.data.make_one_shot_iterator(D.range(3))
    with v1.Session() as session:
        text = session.run(other.string_handle())
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(following, {handle: text})
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(following, {handle: "no handle"})
        with pytest.raises(tf.errors.NotFoundError):
            session.run(following, {handle: "987654321"})


def test_fetches_of_one_run_are_of_one_element():
    x, y = v1.data.make_one_shot_iterator(D.zip((D.range(9), D.range(10, 19)))).get_next()
    total = x + y
    with v1.Session() as session:
        assert session.run([total, x, y, x * y]) == [10, 0, 10, 0]
        assert session.run({"y": y, "both": (x, total)}) == {"y": 11, "both": (1, 12)}


def test_optionals_in_a_graph():
    iterator = v1.data.make_one_shot_iterator(D.range(3))
    optional = iterator.get_next_as_optional()
    is_one, value = optional.has_value(), optional.get_value()
    with v1.Session() as session:
        assert session.run([is_one, value]) == [True, 0]
        assert session.run(value) == 1
        assert session.run(is_one) == np.True_
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
            session.run(value)


def test_python_functions_and_random_ops_in_a_graph():
    doubled = D.range(3).map(lambda x: v1.py_func(lambda v: v * 2, [x], tf.int64))
    draws = D.range(4).map(lambda x: v1.random_uniform([], seed=3))
    following = v1.data.make_one_shot_iterator(D.zip((doubled, draws.take(3)))).get_next()
    gc.collect()
    with v1.Session() as session:
        found = until_end(session, following)
    assert [int(x) for x, _ in found] == [0, 2, 4]
    assert len({float(y) for _, y in found}) == 3


def test_many_calls_of_get_next_are_told():
    iterator = v1.data.make_one_shot_iterator(D.range(3))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(33):
            iterator.get_next()
    assert [str(each.message)[:20] for each in seen] == ["An unusually high nu"]


def test_threads_share_an_iterator():
    following = v1.data.make_one_shot_iterator(D.range(400)).get_next()
    with v1.Session() as session:
        found = []
        threads = [
            threading.Thread(target=lambda: found.extend(until_end(session, following)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found) == list(range(400))


def test_closing_a_session_ends_its_iterators():
    before = current_bytes()
    dataset = D.from_tensors(np.zeros(10**6, np.float32)).repeat().prefetch(4)
    total = tf.reduce_sum(v1.data.make_one_shot_iterator(dataset).get_next())
    with v1.Session() as session:
        session.run(total)
    del session
    gc.collect()
    held = current_bytes() - before
    assert held < 3 * 4 * 10**6  # the array itself is the graph's


def test_datasets_with_version_1s_methods():
    dataset = v1.data.Dataset.from_tensor_slices({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    assert dataset.output_types == {"a": tf.int32, "b": tf.string}
    assert dataset.output_shapes["a"].as_list() == []
    assert dataset.output_classes == {"a": tf.Tensor, "b": tf.Tensor}
    chained = dataset.map_with_legacy_function(lambda row: row["a"]).batch(2).repeat(2)
    chained = chained.filter_with_legacy_function(lambda x: tf.size(x) > 1)
    for each in (dataset, chained, chained.with_options(v1.data.Options()), dataset.apply(D.cache)):
        assert isinstance(each, v1.data.Dataset)
        assert isinstance(each, D)
    assert not isinstance(D.range(3), v1.data.Dataset)
    assert isinstance(v1.data.Dataset.zip((D.range(3), D.range(3))), v1.data.Dataset)
    with v1.Session() as session:
        found = until_end(session, chained.make_one_shot_iterator().get_next())
    assert [each.tolist() for each in found] == [[1, 2], [1, 2]]


def test_the_number_of_elements_after_a_map():
    """TensorFlow 1's map does not keep it."""
    with tf.init_scope():
        rows = v1.data.Dataset.range(10)
        assert int(rows.cardinality()) == 10
        mapped = rows.map(lambda x: x + 1)
        assert [int(mapped.cardinality()), int(mapped.batch(2).cardinality())] == [-2, -2]
        assert int(D.range(10).map(lambda x: x + 1).cardinality()) == 10
        assert [int(x) for x in mapped.take(2)] == [1, 2]
        assert repr(mapped).startswith("<_MapDataset ")


def test_readers_are_version_1s(tmp_path):
    (tmp_path / "lines.txt").write_text("one\ntwo\n")
    dataset = v1.data.TextLineDataset(str(tmp_path / "lines.txt"))
    assert isinstance(dataset, v1.data.Dataset)
    assert isinstance(dataset, v1.data.TextLineDataset)
    with v1.Session() as session:
        assert until_end(session, dataset.make_one_shot_iterator().get_next()) == [b"one", b"two"]
    name = v1.placeholder(tf.string, [])
    iterator = v1.data.make_initializable_iterator(v1.data.TextLineDataset(name).skip(1))
    following = iterator.get_next()
    with v1.Session() as session:
        session.run(iterator.initializer, {name: str(tmp_path / "lines.txt")})
        assert until_end(session, following) == [b"two"]
    counted = v1.data.experimental.Counter(5)
    assert isinstance(counted, v1.data.Dataset)


def test_python_iteration_needs_eager_execution():
    with pytest.raises(RuntimeError, match="only supports Python-style iteration"):
        iter(D.range(3))
    with pytest.raises(TypeError, match="not iterable"):
        iter(v1.data.make_one_shot_iterator(D.range(3)))


def test_iterators_outside_of_graphs():
    with tf.init_scope():
        iterator = v1.data.make_one_shot_iterator(v1.data.Dataset.range(2))
        assert [int(x) for x in iterator] == [0, 1]
        free = v1.data.Iterator.from_structure(tf.int64, [])
        free.make_initializer(D.range(5, 7))
        assert [int(free.get_next()), int(free.get_next())] == [5, 6]
        with pytest.raises(tf.errors.OutOfRangeError):
            free.get_next()


def test_windows_of_a_graph():
    window = v1.data.make_one_shot_iterator(D.range(5).window(3)).get_next()
    total = window.reduce(np.int64(0), lambda a, b: a + b)
    with v1.Session() as session:
        assert until_end(session, total) == [3, 7]


PROGRAM = """
import numpy as np
import tensorflow as tf
from tensorflow.data import Dataset

x = np.arange(8, dtype=np.float32).reshape(4, 2)
features = tf.placeholder(tf.float32, [None, 2])
dataset = tf.data.Dataset.from_tensor_slices(features).map(lambda row: (row, tf.reduce_sum(row)))
iterator = dataset.batch(2).make_initializable_iterator()
batch, target = iterator.get_next()
loss = tf.losses.mean_squared_error(target, tf.squeeze(tf.layers.dense(batch, 1), 1))
step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    steps = 0
    for epoch in range(3):
        sess.run(iterator.initializer, {features: x})
        while True:
            try:
                sess.run(step)
                steps += 1
            except tf.errors.OutOfRangeError:
                break
print(steps, Dataset is tf.data.Dataset, iterator.output_types)
"""


def test_an_old_program(tmp_path):
    (tmp_path / "old.py").write_text(PROGRAM)
    ended = subprocess.run(
        [sys.executable, "-m", "penstock", "run", "--tf1", "old.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.stdout == "6 True (tf.float32, tf.float32)\n", ended.stderr
