"""The element spec as TensorFlow 1 has it: nests of dtypes, of shapes and of classes."""

from __future__ import annotations

from penstock import _core
from penstock._api import public
from penstock._tensors.spec import TensorSpec
from penstock.data import _structure


def _of_leaves(dataset_or_iterator, of_tensor):
    def value(spec):
        return of_tensor(spec) if isinstance(spec, TensorSpec) else spec

    spec = getattr(dataset_or_iterator, "element_spec", None)
    if spec is None:
        raise TypeError(
            "`dataset_or_iterator` must be a `tf.data.Dataset` or tf.data.Iterator object, but got "
            f"{type(dataset_or_iterator)}."
        )
    return _structure.map_leaves(value, spec)


@public("v1.data.get_output_types")
def get_output_types(dataset_or_iterator):
    """The dtypes of an element."""
    return _of_leaves(dataset_or_iterator, lambda spec: spec.dtype)


@public("v1.data.get_output_shapes")
def get_output_shapes(dataset_or_iterator):
    """The shapes of an element."""
    return _of_leaves(dataset_or_iterator, lambda spec: spec.shape)


@public("v1.data.get_output_classes")
def get_output_classes(dataset_or_iterator):
    """The classes of an element: tf.Tensor for a tensor."""
    return _of_leaves(dataset_or_iterator, lambda spec: _core.Tensor)
