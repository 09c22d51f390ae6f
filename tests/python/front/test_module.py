"""tf.Module, name scopes, devices and tf.nest."""

import collections

import penstock as tf
import pytest


class Dense(tf.Module):
    def __init__(self, size, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.ones([size, size]), name="w")
        self.b = tf.Variable(tf.zeros([size]), name="b", trainable=False)

    def __call__(self, x):
        return x @ self.w + self.b


class TwoLayers(tf.Module):
    def __init__(self):
        super().__init__()
        self.second = Dense(2)
        self.layers = [Dense(1), {"x": Dense(3)}]
        self.again = self.second
        self.scale = tf.Variable(1.0, name="scale")

    @tf.Module.with_name_scope
    def make(self):
        return tf.Variable(1.0).name


def test_variables_by_attribute_name():
    layer = Dense(2)
    assert [v.name for v in layer.variables] == ["b:0", "w:0"]
    assert [v.name for v in layer.trainable_variables] == ["w:0"]
    model = TwoLayers()
    # The module's own attributes first; "again" is met before "second".
    assert model.variables[0] is model.scale
    assert model.variables[1] is model.second.b
    assert [m.w.shape[0] for m in model.submodules] == [2, 1, 3]
    assert isinstance(model.variables, tuple)
    assert len(model.variables) == 7


def test_names():
    class FooBARBaz2(TwoLayers):
        pass

    assert FooBARBaz2().name == "foo_bar_baz2"
    assert FooBARBaz2().make() == "foo_bar_baz2/Variable:0"
    assert TwoLayers().name_scope.name == "two_layers/"
    with pytest.raises(ValueError, match="not a valid module name"):
        Dense(1, name="a b")


def test_name_scopes():
    with tf.name_scope("a") as outer, tf.name_scope("b") as inner:
        assert (outer, inner) == ("a/", "a/b/")
        assert tf.Variable(1.0, name="x").name == "a/b/x:0"
        with tf.name_scope("a/"):
            assert tf.Variable(1.0).name == "a/Variable:0"
    assert tf.Variable(1.0).name == "Variable:0"
    with pytest.raises(ValueError, match="must be a string"):
        tf.name_scope(3)


def test_devices():
    for name in ("/CPU:0", "cpu", "/GPU:0", "/job:localhost/replica:0/task:0/device:CPU:0", None):
        with tf.device(name):
            assert tf.constant(1).device.endswith("CPU:0")
    with pytest.raises(ValueError, match="Unknown attribute 'foo'"), tf.device("foo"):
        pass
    with pytest.raises(RuntimeError, match="does not support functions"):
        tf.device(lambda op: "/CPU:0")
    with pytest.raises(ValueError, match="Expecting a string"), tf.device(3):
        pass


Point = collections.namedtuple("Point", "x y")


def test_nest():
    tree = {"b": [1, (2, 3)], "a": Point(4, 5)}
    assert tf.nest.flatten(tree) == [4, 5, 1, 2, 3]
    doubled = tf.nest.map_structure(lambda x: 2 * x, tree)
    assert doubled == {"b": [2, (4, 6)], "a": Point(8, 10)}
    assert list(doubled) == ["b", "a"]
    assert tf.nest.pack_sequence_as(tree, [1, 2, 3, 4, 5])["a"] == Point(1, 2)
    assert tf.nest.flatten(None) == [None]
    assert tf.nest.is_nested([])
    assert not tf.nest.is_nested("a")
    assert tf.nest.map_structure(lambda a, b: a + b, [1], (2,), check_types=False) == [3]


@pytest.mark.parametrize(
    ("error", "first", "second"),
    [
        (ValueError, [1, 2], [1]),
        (TypeError, [1, 2], (1, 2)),
        (ValueError, {"a": 1}, {"b": 1}),
        (ValueError, [1], 1),
        (ValueError, [1], [[1]]),
    ],
)
def test_different_structures(error, first, second):
    with pytest.raises(error, match="don't have the same nested structure"):
        tf.nest.assert_same_structure(first, second)
    with pytest.raises(error):
        tf.nest.map_structure(lambda a, b: a, first, second)


def test_nest_refusals():
    with pytest.raises(ValueError, match="Could not pack sequence"):
        tf.nest.pack_sequence_as([1, [2]], [1])
    with pytest.raises(TypeError, match="must be callable"):
        tf.nest.map_structure(3, [1])
    with pytest.raises(ValueError, match="at least one structure"):
        tf.nest.map_structure(lambda x: x)
