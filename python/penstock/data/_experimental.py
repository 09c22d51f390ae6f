"""tf.data.experimental: transformations as functions of a dataset, for Dataset.apply."""

from __future__ import annotations

from penstock import dtypes, errors, io
from penstock._api import public
from penstock._tensors.spec import TensorSpec
from penstock.data import _structure
from penstock.data._dataset import Dataset
from penstock.data._stage import constant, make, number


def _method(name, method, doc):
    """A function that returns a transformation: the method with these arguments."""

    def function(*args, **kwargs):
        return lambda dataset: getattr(dataset, method)(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


bucket_by_sequence_length = public(
    "data.experimental.bucket_by_sequence_length", "v1.data.experimental.bucket_by_sequence_length"
)(
    _method(
        "bucket_by_sequence_length",
        "bucket_by_sequence_length",
        "Batches of elements of similar length.",
    )
)
group_by_window = public(
    "data.experimental.group_by_window", "v1.data.experimental.group_by_window"
)(_method("group_by_window", "group_by_window", "Windows of elements with the same key."))
ignore_errors = public("data.experimental.ignore_errors", "v1.data.experimental.ignore_errors")(
    _method("ignore_errors", "ignore_errors", "The elements without those that fail.")
)
rejection_resample = public(
    "data.experimental.rejection_resample", "v1.data.experimental.rejection_resample"
)(_method("rejection_resample", "rejection_resample", "Classes with another distribution."))
scan = public("data.experimental.scan", "v1.data.experimental.scan")(
    _method("scan", "scan", "A function of a state and every element.")
)
snapshot = public("data.experimental.snapshot", "v1.data.experimental.snapshot")(
    _method("snapshot", "snapshot", "The elements, read from a folder after the first epoch.")
)
take_while = public("data.experimental.take_while", "v1.data.experimental.take_while")(
    _method("take_while", "take_while", "The elements up to the first that a function refuses.")
)
unbatch = public("data.experimental.unbatch", "v1.data.experimental.unbatch")(
    _method("unbatch", "unbatch", "The rows of every element.")
)
unique = public("data.experimental.unique", "v1.data.experimental.unique")(
    _method("unique", "unique", "The elements without repetitions.")
)
dense_to_ragged_batch = public(
    "data.experimental.dense_to_ragged_batch", "v1.data.experimental.dense_to_ragged_batch"
)(_method("dense_to_ragged_batch", "ragged_batch", "Batches as ragged tensors."))
dense_to_sparse_batch = public(
    "data.experimental.dense_to_sparse_batch", "v1.data.experimental.dense_to_sparse_batch"
)(_method("dense_to_sparse_batch", "sparse_batch", "Batches as sparse tensors."))


@public("data.experimental.enumerate_dataset", "v1.data.experimental.enumerate_dataset")
def enumerate_dataset(start=0):
    """The elements with their numbers."""
    return lambda dataset: dataset.enumerate(start)


@public("data.experimental.shuffle_and_repeat", "v1.data.experimental.shuffle_and_repeat")
def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """The elements several times, each epoch in an order of its own."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


@public("data.experimental.map_and_batch", "v1.data.experimental.map_and_batch")
def map_and_batch(
    map_func,
    batch_size,
    num_parallel_batches=None,
    drop_remainder=False,
    num_parallel_calls=None,
):
    """A function of every element, and batches of the results."""
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to "
            "be set, but `num_parallel_batches` was set to "
            f"{num_parallel_batches} and `num_parallel_calls` as set to {num_parallel_calls}."
        )
    calls = num_parallel_calls
    if num_parallel_batches is not None:
        calls = batch_size * num_parallel_batches

    def transform(dataset):
        return dataset.map(map_func, calls).batch(batch_size, drop_remainder)

    return transform


@public("data.experimental.parallel_interleave", "v1.data.experimental.parallel_interleave")
def parallel_interleave(
    map_func,
    cycle_length,
    block_length=1,
    sloppy=False,
    buffer_output_elements=None,
    prefetch_input_elements=None,
):
    """The elements of several datasets at a time, read in parallel."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, cycle_length)


@public("data.experimental.prefetch_to_device", "v1.data.experimental.prefetch_to_device")
def prefetch_to_device(device, buffer_size=None):
    """Elements computed ahead of their use."""
    return lambda dataset: dataset.prefetch(buffer_size)


@public("data.experimental.copy_to_device", "v1.data.experimental.copy_to_device")
def copy_to_device(target_device, source_device="/cpu:0"):
    """The dataset itself: there is one memory."""
    return lambda dataset: dataset


@public("data.experimental.assert_cardinality", "v1.data.experimental.assert_cardinality")
def assert_cardinality(expected_cardinality):
    """The dataset with a number of elements that is known to the user, and checked."""
    return lambda dataset: make("AssertCardinality", [dataset], [number(expected_cardinality)])


@public("data.experimental.cardinality", "v1.data.experimental.cardinality")
def cardinality(dataset):
    """The number of elements; -1 if infinite, -2 if unknown."""
    return dataset.cardinality()


@public("data.experimental.choose_from_datasets")
def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=False):
    """Elements of several datasets, chosen by the numbers of another."""
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


@public("data.experimental.sample_from_datasets")
def sample_from_datasets(datasets, weights=None, seed=None, stop_on_empty_dataset=False):
    """Elements of several datasets, drawn at random."""
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


@public("data.experimental.Counter")
def Counter(start=0, step=1, dtype=dtypes.int64):
    """Numbers without end."""
    return Dataset.counter(start, step, dtype)


@public("data.experimental.RandomDataset")
def RandomDataset(seed=None, rerandomize_each_iteration=None, name=None):
    """Random whole numbers without end."""
    return Dataset.random(seed, rerandomize_each_iteration)


@public("data.experimental.get_single_element", "v1.data.experimental.get_single_element")
def get_single_element(dataset):
    """The only element."""
    return dataset.get_single_element()


@public("data.experimental.get_structure", "v1.data.experimental.get_structure")
def get_structure(dataset_or_iterator):
    """The spec of an element."""
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or "
            f"tf.data.Iterator object, but got {type(dataset_or_iterator)}."
        ) from None


@public("data.experimental.from_list")
def from_list(elements, name=None):
    """A dataset of the elements in a list."""
    if elements is None or len(elements) == 0:
        raise ValueError(
            "Invalid `elements`. `elements` should not be empty. If you want an empty dataset, "
            "use `tf.data.Dataset.range(0)`."
        )
    elements = [_structure.map_leaves(constant, each) for each in elements]
    first = elements[0]
    for each in elements[1:]:
        if not _structure.same_structure(first, each):
            raise ValueError(
                "The two structures don't have the same nested structure.\n\nFirst structure: "
                f"{first}\n\nSecond structure: {each}"
            )
    columns = zip(*(_structure.flatten(each) for each in elements), strict=True)
    rows = [constant([leaf.numpy() for leaf in column]) for column in columns]
    return Dataset.from_tensor_slices(_structure.pack(first, rows))


@public("data.experimental.at")
def at(dataset, index):
    """The element with a number."""
    index = int(index)
    count = dataset._core.cardinality()
    if index < 0 or 0 <= count <= index:
        raise errors.OutOfRangeError(None, None, f"Index out of range [0, {count}):{index}")
    for element in dataset.skip(index).take(1):
        return element
    raise errors.OutOfRangeError(None, None, f"Index out of range:{index}")


@public("data.experimental.to_variant", "v1.data.experimental.to_variant")
def to_variant(dataset):
    """The dataset as a value that from_variant takes."""
    return dataset


@public("data.experimental.from_variant", "v1.data.experimental.from_variant")
def from_variant(variant, structure):
    """The dataset of to_variant."""
    return variant


@public("data.experimental.enable_debug_mode")
def enable_debug_mode():
    """Accepted: functions are traced all the same."""


@public("data.experimental.TFRecordWriter", "v1.data.experimental.TFRecordWriter")
class TFRecordWriter:
    """Writes a dataset of strings to a TFRecord file.

    Args:
      filename: The file's name.
      compression_type: "", "ZLIB" or "GZIP".
    """

    def __init__(self, filename, compression_type=None):
        self._filename, self._compression_type = filename, compression_type

    def write(self, dataset):
        """Writes all elements."""
        if not _structure.is_dataset(dataset):
            raise TypeError(f"Invalid `dataset.` Expected a `tf.data.Dataset`, not {dataset!r}.")
        if dataset.element_spec != TensorSpec([], dtypes.string):
            raise TypeError(
                "Invalid `dataset`. `dataset` must produce scalar `DT_STRING` tensors whereas it "
                f"produces {dataset.element_spec}"
            )
        with io.TFRecordWriter(str(self._filename), self._compression_type) as writer:
            for record in dataset.as_numpy_iterator():
                writer.write(record)


@public("data.experimental.Reducer", "v1.data.experimental.Reducer")
class Reducer:
    """The functions of group_by_reducer: a first state, the next state, and the result.

    Args:
      init_func: From a key to the first state.
      reduce_func: From a state and an element to the next state.
      finalize_func: From the last state to the result.
    """

    def __init__(self, init_func, reduce_func, finalize_func):
        self._init_func, self._reduce_func = init_func, reduce_func
        self._finalize_func = finalize_func

    init_func = property(lambda self: self._init_func)
    reduce_func = property(lambda self: self._reduce_func)
    finalize_func = property(lambda self: self._finalize_func)


@public("data.experimental.group_by_reducer", "v1.data.experimental.group_by_reducer")
def group_by_reducer(key_func, reducer):
    """One element for each key: the elements of the key, reduced."""

    def reduce(key, window):
        state = window.reduce(reducer.init_func(key), reducer.reduce_func)
        arguments = state if type(state) is tuple else (state,)
        return Dataset.from_tensors(reducer.finalize_func(*arguments))

    return lambda dataset: dataset.group_by_window(key_func, reduce, dtypes.int64.max)
