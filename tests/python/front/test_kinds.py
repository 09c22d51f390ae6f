"""What counts as a tensor, for functions that take tensors and other values."""

import numpy as np
import penstock as tf
import pytest
from penstock._tensors.kinds import is_graph_variable, is_tensor_like

v1 = tf.compat.v1


def test_tensors_and_variables_do():
    assert is_tensor_like(tf.constant(1.0))
    assert is_tensor_like(tf.Variable(1.0))
    assert not is_graph_variable(tf.Variable(1.0))
    seen = []
    tf.function(lambda x: seen.append(is_tensor_like(x)) or x)(1.0)
    tf.function(lambda x: seen.append(is_tensor_like(x)) or x)(tf.constant(1.0))
    assert seen == [False, True]


def test_those_of_graphs_do():
    with tf.Graph().as_default():
        variable = v1.get_variable("v", [2])
        assert is_tensor_like(variable)
        assert is_graph_variable(variable)
        assert is_tensor_like(variable + 1.0)
        assert not is_graph_variable(variable + 1.0)


@pytest.mark.parametrize(
    "value",
    [None, 1.0, "text", [1.0], np.ones(2), tf.IndexedSlices([1.0], [0]), tf.TensorSpec([2])],
    ids=lambda value: type(value).__name__,
)
def test_other_values_do_not(value):
    assert not is_tensor_like(value)
    assert not is_graph_variable(value)
