"""Variables: names, updates, operators, slices."""

import copy

import numpy as np
import penstock as tf
import pytest


def test_printing():
    v = tf.Variable([1.0, 2.0], name="w")
    expected = "shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>"
    assert repr(v) == str(v) == f"<tf.Variable 'w:0' {expected}"
    assert repr(v.assign([1, 2])) == f"<tf.Variable 'UnreadVariable' {expected}"
    assert tf.Variable(1).name == "Variable:0"
    assert type(v).__name__ == "ResourceVariable"
    assert isinstance(v, tf.Variable)
    assert not isinstance(v, tf.Tensor)


def test_updates():
    v = tf.Variable([1.0, 2.0])
    before = v.value()
    assert (v.assign([3, 4]) + 1.0).numpy().tolist() == [4, 5]
    v.assign_add([1.0, 1.0])
    v.assign_sub(tf.constant([0.5, 0.5]))
    assert v.numpy().tolist() == [3.5, 4.5]
    assert before.numpy().tolist() == [1, 2]
    assert v.assign([0, 0], read_value=False) is None


def test_refusals():
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match=r"Shape mismatch\.The variable shape"):
        v.assign([1.0])
    with pytest.raises(TypeError, match="Cannot convert 'x'"):
        v.assign("x")
    with pytest.raises(ValueError, match="initial_value"):
        tf.Variable()
    with pytest.raises(TypeError, match=r"variable\.ref\(\)"):
        hash(v)
    with pytest.raises(TypeError):
        len(v)
    assert v.numpy().tolist() == [1, 2]


def test_options():
    v = tf.Variable(lambda: tf.ones([2]), dtype=tf.float32, trainable=False)
    assert not v.trainable
    assert tf.Variable(1, dtype=tf.float64).dtype == tf.float64
    assert (v.shape, v.ndim, v.device[-5:]) == ((2,), 1, "CPU:0")
    with pytest.raises(ValueError, match="not compatible"):
        tf.Variable([1.0], shape=[2])


def test_operators():
    v = tf.Variable([1.0, 2.0])
    assert (v + 1).numpy().tolist() == (1 + v).numpy().tolist() == [2, 3]
    assert (v * v).numpy().tolist() == [1, 4]
    assert (-v / 2).numpy().tolist() == [-0.5, -1]
    assert (v == v).numpy().all()
    assert float(v[1]) == 2
    assert [float(x) for x in v] == [1, 2]
    assert np.asarray(v).tolist() == [1, 2]
    assert int(tf.Variable(3)) == 3
    assert tf.matmul(tf.Variable([[2.0]]), [[3.0]]).numpy() == 6


def test_slices():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    v[0].assign([5.0, 6.0])
    v[:, 1].assign([7.0, 8.0])
    v[1, 0].assign(9.0)
    assert v.numpy().tolist() == [[5, 7], [9, 8]]


@pytest.mark.parametrize(
    ("index", "value"),
    [
        (1, [1.0, 2.0, 3.0]),
        (-1, 5.0),
        (slice(1, 3), [1.0, 2.0, 3.0]),
        (slice(None), 0.0),
        (slice(3, None, -2), [[1.0], [2.0]]),
        (slice(2, 2), 9.0),
        ((slice(0, 2), 1), 4.0),
        ((Ellipsis, 0), [1.0, 2.0, 3.0, 4.0]),
    ],
)
def test_parts_are_assigned_as_in_numpy(index, value):
    expected = np.arange(12, dtype=np.float32).reshape(4, 3)
    v = tf.Variable(expected)
    before = v.value()
    v[index].assign(value)
    assert (before.numpy() == expected).all()
    expected[index] = value
    assert (v.numpy() == expected).all()


def test_scatters():
    v = tf.Variable([1.0, 2.0, 3.0])
    v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))
    v.scatter_sub(tf.IndexedSlices(tf.constant([1.0]), tf.constant([1])))
    v.scatter_update(tf.IndexedSlices(tf.constant([9.0]), tf.constant([2])))
    assert v.numpy().tolist() == [2, 1, 9]
    v.scatter_nd_add([[0]], [5.0])
    v.scatter_nd_update([[1]], [4.0])
    assert v.numpy().tolist() == [7, 4, 9]
    assert v.sparse_read([2, 0]).numpy().tolist() == [9, 7]


def test_the_ledger_knows_it():
    before = tf.config.experimental.get_memory_by_tag()["variable"]["current"]
    v = tf.Variable(tf.ones([100]), name="weights")
    after = tf.config.experimental.get_memory_by_tag()["variable"]["current"]
    assert after - before == 400
    other = copy.deepcopy(v)
    other.assign_add(tf.ones([100]))
    assert float(v[0]) == 1


def test_slices_are_assigned_in_place():
    variable = tf.Variable(tf.zeros([100_000]))
    before = tf.config.experimental.get_memory_info()["current"]
    tf.config.experimental.reset_memory_stats()
    variable[10:20].assign(tf.ones([10]))
    assert tf.config.experimental.get_memory_info()["peak"] - before < 1000
    value = variable.value()
    variable[0].assign(5.0)
    assert float(value[0]) == 0
    assert variable.numpy()[[0, 9, 10, 19, 20]].tolist() == [5, 0, 1, 1, 0]
