"""tf.compat.v1.get_variable and variable_scope, over the collections of a graph."""

import numpy as np
import penstock as tf
import pytest

v1 = tf.compat.v1


@pytest.mark.usefixtures("graph_collections")
class TestScopes:
    def test_names_and_reuse(self):
        with v1.variable_scope("a") as scope:
            w = v1.get_variable("w", [2])
            with v1.variable_scope("b"):
                assert v1.get_variable("w", [3]).name == "a/b/w:0"
        assert w.name == "a/w:0"
        with v1.variable_scope("a", reuse=True):
            assert v1.get_variable("w") is w
            with v1.variable_scope("b"):  # what is reused outside is reused inside
                assert v1.get_variable("w").name == "a/b/w:0"
        with v1.variable_scope(scope, reuse=v1.AUTO_REUSE):
            assert v1.get_variable("w", [2]) is w
            assert v1.get_variable("new", [1]).name == "a/new:0"
        with v1.name_scope("ops"), v1.variable_scope("c"):
            assert v1.get_variable("w", [1]).name == "c/w:0"
        assert v1.get_variable_scope().name == ""

    def test_default_names_are_numbered(self):
        names = []
        for _ in range(3):
            with v1.variable_scope(None, default_name="layer") as scope:
                names.append(scope.name)
        assert names == ["layer", "layer_1", "layer_2"]
        with v1.variable_scope("outer"), v1.variable_scope(None, "layer") as scope:
            assert scope.name == "outer/layer"

    def test_mistakes(self):
        v1.get_variable("w", [2])
        with pytest.raises(ValueError, match="Variable w already exists, disallowed"):
            v1.get_variable("w", [2])
        with v1.variable_scope("", reuse=True):
            with pytest.raises(ValueError, match=r"specified shape \(3,\) and found shape \(2,\)"):
                v1.get_variable("w", [3])
            with pytest.raises(ValueError, match="specified dtype int32 and found dtype float32"):
                v1.get_variable("w", [2], tf.int32)
            with pytest.raises(ValueError, match="Variable none does not exist"):
                v1.get_variable("none", [2])
        with pytest.raises(ValueError, match="`shape` argument must be specified"):
            v1.get_variable("other")
        with pytest.raises(ValueError, match="must be fully defined"):
            v1.get_variable("other", [None, 2])
        with pytest.raises(ValueError, match="do not specify shape"):
            v1.get_variable("other", [2], initializer=[1.0, 2.0])
        with pytest.raises(NotImplementedError, match="partitioner"):
            v1.get_variable("other", [2], partitioner=lambda **_: [1])
        with pytest.raises(TypeError, match="name_or_scope is required"):
            v1.variable_scope(None)
        with pytest.raises(TypeError, match="must be a string or VariableScope"):
            v1.variable_scope(3)

    def test_what_a_scope_says(self):
        calls = []

        def getter(getter, name, *args, **kwargs):
            calls.append(name)
            return getter(name, *args, **kwargs)

        with v1.variable_scope(
            "a",
            initializer=v1.ones_initializer(),
            dtype=tf.float64,
            regularizer=tf.reduce_sum,
            custom_getter=getter,
        ):
            w = v1.get_variable("w", [2])
            u = v1.get_variable("u", [1], initializer=v1.constant_initializer(3.0))
        np.testing.assert_array_equal(w, np.ones(2))
        np.testing.assert_array_equal(u, [3.0])
        assert calls == ["a/w", "a/u"]
        assert w.dtype == tf.float64
        assert [float(each) for each in v1.losses.get_regularization_losses()] == [2.0, 3.0]

    def test_lists_of_variables(self):
        with v1.variable_scope("a"):
            v1.get_variable("w", [2])
            v1.get_variable("fixed", [2], trainable=False)
        local = v1.get_local_variable("local", [1])
        assert [v.name for v in v1.global_variables()] == ["a/w:0", "a/fixed:0"]
        assert [v.name for v in v1.trainable_variables()] == ["a/w:0"]
        assert [v.name for v in v1.local_variables()] == ["local:0"]
        assert [v.name for v in v1.global_variables("a/f")] == ["a/fixed:0"]
        assert not local.trainable

    def test_initial_values(self):
        np.testing.assert_array_equal(v1.get_variable("a", initializer=[1, 2]), [1, 2])
        np.testing.assert_array_equal(v1.get_variable("b", [2], tf.int32), [0, 0])
        np.testing.assert_array_equal(
            v1.get_variable("c", [2], initializer=lambda shape: tf.fill(shape, 2.0)), [2, 2]
        )
        np.testing.assert_array_equal(v1.get_variable("d", [2], initializer=v1.ones_initializer), 1)
        assert np.abs(v1.get_variable("e", [100, 100]).numpy()).max() <= np.sqrt(6 / 200)

    def test_templates(self):
        dense = v1.make_template("dense", lambda x: x * v1.get_variable("w", [], tf.float32))
        assert dense(2.0) == dense(1.0) * 2
        assert [v.name for v in v1.global_variables()] == ["dense/w:0"]


def test_eager_programs_make_a_variable_with_every_call():
    with v1.variable_scope("a", reuse=v1.AUTO_REUSE):
        first, second = v1.get_variable("w", [2]), v1.get_variable("w", [2])
    assert first is not second
    assert first.name == second.name == "a/w:0"
    assert v1.global_variables() == []
