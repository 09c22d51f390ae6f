"""tf.compat.v1.data.Dataset: a dataset with TensorFlow 1's methods."""

from __future__ import annotations

import functools

from penstock._api import public
from penstock.compat.v1.data import _iterator, _legacy
from penstock.data._dataset import Dataset
from penstock.data._stage import make


@public("v1.data.Dataset")
class DatasetV1(Dataset):
    """An input pipeline, for graphs and sessions.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     ds = tf.compat.v1.data.Dataset.range(3).map(lambda x: x * x)
    ...     following = ds.make_one_shot_iterator().get_next()
    ...     print([int(sess.run(following)) for _ in range(3)])
    [0, 1, 4]
    """

    output_types = property(_legacy.get_output_types, doc="The dtypes of an element.")
    output_shapes = property(_legacy.get_output_shapes, doc="The shapes of an element.")
    output_classes = property(_legacy.get_output_classes, doc="The classes of an element.")

    def make_one_shot_iterator(self):
        """An iterator that a session starts when it first uses it."""
        return _iterator.make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name=None):
        """An iterator that begins again with each run of its initializer."""
        return _iterator.make_initializable_iterator(self, shared_name)

    def map(self, map_func, num_parallel_calls=None, deterministic=None, name=None):
        """A function of every element. The number of elements is not known afterwards."""
        mapped = Dataset.map(self, map_func, num_parallel_calls, deterministic)
        return as_v1(_uncounted(mapped))

    def map_with_legacy_function(self, map_func, num_parallel_calls=None, deterministic=None):
        """The same as map."""
        return self.map(map_func, num_parallel_calls, deterministic)

    def filter_with_legacy_function(self, predicate):
        """The same as filter."""
        return self.filter(predicate)


def as_v1(dataset, cls=DatasetV1):
    """A dataset with TensorFlow 1's methods."""
    made = cls._of(dataset._core, dataset._element_spec, (dataset,))
    made._name = dataset._name
    return made


def _uncounted(dataset):
    made = make("Uncounted", [dataset])
    made._name = f"_{dataset._core.stage}Dataset"
    return made


def as_method(function):
    """The function, whose dataset is one of TensorFlow 1."""

    @functools.wraps(function)
    def method(*args, **kwargs):
        return as_v1(function(*args, **kwargs))

    return method


def _add_methods():
    """Methods that return a dataset return one of TensorFlow 1."""
    for name, value in vars(Dataset).items():
        function = getattr(value, "__func__", value)
        if name in vars(DatasetV1) or name.startswith("_") or not callable(function):
            continue
        if getattr(function, "__annotations__", {}).get("return") != "Dataset":
            continue
        method = as_method(function)
        setattr(DatasetV1, name, staticmethod(method) if function is not value else method)


_add_methods()
