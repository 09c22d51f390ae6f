"""tf.data.Dataset: an input pipeline."""

from __future__ import annotations

from penstock import _core, dtypes, errors
from penstock._api import public
from penstock._context.trace import keep_calls
from penstock._tensors.composite import Composite, LoopSource
from penstock._tensors.spec import TensorSpec
from penstock.data import (
    _batching,
    _combining,
    _files,
    _functions,
    _generator,
    _saving,
    _structure,
)
from penstock.data._iterator import Iterator, NumpyIterator, iterate
from penstock.data._memory_plan import MemoryPlan
from penstock.data._options import Options, check_options
from penstock.data._stage import constant, make, number

INFINITE = -1
UNKNOWN = -2

# The names of TensorFlow's classes where they do not follow from the stage's.
_CLASS_NAMES = {
    "Cache": "CacheDataset",
    "Csv": "CsvDatasetV2",
    "FixedLengthRecord": "FixedLengthRecordDatasetV2",
    "Generator": "_FlatMapDataset",
    "ShuffleAndRepeat": "_RepeatDataset",
    "TFRecord": "TFRecordDatasetV2",
    "TextLine": "TextLineDatasetV2",
}


class DatasetV2:
    """What Keras looks for among the bases of a class, to recognise a dataset: this name and a
    module of TensorFlow."""

    __module__ = "tensorflow.python.data.ops.dataset_ops"


@_structure.register_dataset
@public("data.Dataset")
class Dataset(DatasetV2, Composite, LoopSource):
    """An input pipeline: a description of elements, which an iterator computes.

    Every method returns a new dataset. What a pipeline buffers is counted under `dataset`;
    `memory_plan()` says how much before anything runs.

    >>> ds = tf.data.Dataset.range(6).map(lambda x: x * x).batch(3)
    >>> [batch.numpy().tolist() for batch in ds]
    [[0, 1, 4], [9, 16, 25]]
    """

    _name = None  # TensorFlow's class name, where the stage has another
    _options = None
    _is_dataset = True

    def __init__(self, variant_tensor=None):
        raise TypeError(
            "a tf.data.Dataset is made by its functions, such as tf.data.Dataset.from_tensor_slices"
        )

    @classmethod
    def _of(cls, core, element_spec, keeps=()):
        """The dataset around the runtime's; `keeps` lives as long as it does."""
        dataset = object.__new__(cls)
        dataset._core, dataset._element_spec, dataset._keeps = core, element_spec, keeps
        options = (each._options for each in keeps if isinstance(each, Dataset))
        for each in filter(None, options):
            dataset._options = each if dataset._options is None else dataset._options.merge(each)
        return dataset

    element_spec = property(lambda self: self._element_spec, doc="The spec of an element.")

    @property
    def _type_spec(self):
        return _structure.DatasetSpec(self._element_spec)

    # Sources.

    @staticmethod
    def from_tensors(tensors, name=None) -> Dataset:
        """A dataset of one element.

        >>> list(tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
        [array([1, 2], dtype=int32)]
        """
        return _combining.of_tensors("Tensor", tensors)

    @staticmethod
    def from_tensor_slices(tensors, name=None) -> Dataset:
        """The rows of tensors, one element each.

        >>> ds = tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"]))
        >>> list(ds.as_numpy_iterator())
        [(1, b'a'), (2, b'b')]
        """
        return _combining.of_tensors("TensorSlice", tensors)

    @staticmethod
    def from_generator(
        generator,
        output_types=None,
        output_shapes=None,
        args=None,
        output_signature=None,
        name=None,
    ) -> Dataset:
        """The elements that a Python generator yields.

        Args:
          generator: A function that returns an iterable; it is called for every iterator.
          output_types: The dtypes of an element; deprecated.
          output_shapes: Their shapes; deprecated.
          args: Tensors that the function is called with.
          output_signature: The specs of an element.
          name: Ignored.

        >>> ds = tf.data.Dataset.from_generator(
        ...     lambda: iter([1, 2]), output_signature=tf.TensorSpec([], tf.int32))
        >>> list(ds.as_numpy_iterator())
        [1, 2]
        """
        return _generator.from_generator(
            generator, output_types, output_shapes, args, output_signature
        )

    @staticmethod
    def range(*args, **kwargs) -> Dataset:
        """Whole numbers, as Python's range.

        >>> list(tf.data.Dataset.range(2, 10, 3).as_numpy_iterator())
        [2, 5, 8]
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(f"`range` takes 1 to 3 arguments, but {len(args)} were given")
        dtype = kwargs.get("output_type") or dtypes.int64
        ends = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
        spec = TensorSpec([], dtype)
        return make("Range", (), map(number, ends), spec=spec, dtype=dtypes.as_dtype(dtype)._code)

    @staticmethod
    def counter(start=0, step=1, dtype=dtypes.int64, name=None) -> Dataset:
        """Numbers without end.

        >>> list(tf.data.Dataset.counter(5, 2).take(3).as_numpy_iterator())
        [5, 7, 9]
        """
        return _combining.counter(start, step, dtype)

    @staticmethod
    def random(seed=None, rerandomize_each_iteration=None, name=None) -> Dataset:
        """Random whole numbers without end."""
        return _combining.random(seed, rerandomize_each_iteration)

    @staticmethod
    def zip(*args, datasets=None, name=None) -> Dataset:
        """Elements made of one element of each dataset.

        >>> a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(5, 7)
        >>> list(tf.data.Dataset.zip(a, b).as_numpy_iterator())
        [(0, 5), (1, 6)]
        """
        return _combining.zip_all(args, datasets)

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None) -> Dataset:
        """The names of the files that match a pattern."""
        return _files.list_files(file_pattern, shuffle, seed)

    @staticmethod
    def sample_from_datasets(
        datasets,
        weights=None,
        seed=None,
        stop_on_empty_dataset=False,
        rerandomize_each_iteration=None,
    ) -> Dataset:
        """Elements of several datasets, drawn at random."""
        return _combining.sample_from_datasets(
            datasets, weights, seed, stop_on_empty_dataset, rerandomize_each_iteration
        )

    @staticmethod
    def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=True) -> Dataset:
        """Elements of several datasets, chosen by the numbers of another.

        >>> letters = [tf.data.Dataset.from_tensors(x).repeat() for x in "ab"]
        >>> ds = tf.data.Dataset.choose_from_datasets(letters, tf.data.Dataset.range(2).repeat(2))
        >>> list(ds.as_numpy_iterator())
        [b'a', b'b', b'a', b'b']
        """
        return _combining.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)

    @staticmethod
    def load(path, element_spec=None, compression=None, reader_func=None, wait=False) -> Dataset:
        """The dataset that `save` wrote."""
        return _saving.load(path, element_spec, compression, reader_func)

    # Functions of elements.

    def map(
        self,
        map_func,
        num_parallel_calls=None,
        deterministic=None,
        synchronous=None,
        use_unbounded_threadpool=False,
        name=None,
    ) -> Dataset:
        """A function of every element.

        Args:
          map_func: The function; it is traced once. A tuple is several arguments.
          num_parallel_calls: How many elements are computed at a time; tf.data.AUTOTUNE to choose.
          deterministic: Accepted; elements always keep their order.
          synchronous: True to compute an element when it is asked for.
          use_unbounded_threadpool: Accepted.
          name: Ignored.

        >>> list(tf.data.Dataset.range(3).map(lambda x: x + 1).as_numpy_iterator())
        [1, 2, 3]
        """
        if synchronous and num_parallel_calls is not None:
            raise ValueError(
                "`synchronous` is not supported with `num_parallel_calls`, but "
                f"`num_parallel_calls` was set to {num_parallel_calls}"
            )
        function = _functions.trace(map_func, self.element_spec)
        if num_parallel_calls is None:
            return make("Map", [self], (), [function], spec=function.element_spec)
        return make(
            "ParallelMap",
            [self],
            [number(num_parallel_calls)],
            [function],
            spec=function.element_spec,
        )

    def filter(self, predicate, name=None) -> Dataset:
        """The elements for which a function is true.

        >>> list(tf.data.Dataset.range(6).filter(lambda x: x % 2 == 0).as_numpy_iterator())
        [0, 2, 4]
        """
        function = _functions.trace(predicate, self.element_spec)
        _functions.check_predicate(function, "predicate")
        return make("Filter", [self], (), [function])

    def take_while(self, predicate, name=None) -> Dataset:
        """The elements up to the first for which a function is false.

        >>> list(tf.data.Dataset.range(6).take_while(lambda x: x < 2).as_numpy_iterator())
        [0, 1]
        """
        function = _functions.trace(predicate, self.element_spec)
        _functions.check_predicate(function, "predicate")
        return make("TakeWhile", [self], (), [function])

    def flat_map(self, map_func, name=None) -> Dataset:
        """The elements of the datasets that a function gives.

        >>> ds = tf.data.Dataset.range(3).flat_map(lambda x: tf.data.Dataset.range(x))
        >>> list(ds.as_numpy_iterator())
        [0, 0, 1]
        """
        function = _functions.trace_to_dataset(map_func, self.element_spec)
        return make("FlatMap", [self], (), [function], spec=function.element_spec)

    def interleave(
        self,
        map_func,
        cycle_length=None,
        block_length=None,
        num_parallel_calls=None,
        deterministic=None,
        name=None,
    ) -> Dataset:
        """The elements of the datasets that a function gives, of several at a time.

        >>> ds = tf.data.Dataset.range(1, 3).interleave(
        ...     lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2)
        >>> list(ds.as_numpy_iterator())
        [1, 2, 1, 2, 1, 2]
        """
        return _combining.interleave(self, map_func, cycle_length, block_length, num_parallel_calls)

    def scan(self, initial_state, scan_func, name=None) -> Dataset:
        """A function of a state and every element, which gives the next state and an element.

        >>> ds = tf.data.Dataset.range(4).scan(np.int64(0), lambda s, x: (s + x, s + x))
        >>> list(ds.as_numpy_iterator())
        [0, 1, 3, 6]
        """
        return _combining.scan(self, initial_state, scan_func)

    def reduce(self, initial_state, reduce_func, name=None):
        """The last state of a function of a state and every element.

        >>> int(tf.data.Dataset.range(5).reduce(np.int64(0), lambda state, x: state + x))
        10
        """
        return _combining.reduce(self, initial_state, reduce_func)

    def group_by_window(
        self, key_func, reduce_func, window_size=None, window_size_func=None, name=None
    ) -> Dataset:
        """Windows of elements with the same key, each reduced to a dataset.

        >>> ds = tf.data.Dataset.range(6).group_by_window(
        ...     key_func=lambda x: x % 2, reduce_func=lambda key, w: w.batch(3), window_size=3)
        >>> [batch.tolist() for batch in ds.as_numpy_iterator()]
        [[0, 2, 4], [1, 3, 5]]
        """
        return _combining.group_by_window(
            self, key_func, reduce_func, window_size, window_size_func
        )

    def apply(self, transformation_func) -> Dataset:
        """A function of the dataset."""
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError(
                f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(dataset)}"
            )
        return dataset

    # Counting.

    def take(self, count, name=None) -> Dataset:
        """The first elements; all of them for -1.

        >>> list(tf.data.Dataset.range(9).take(2).as_numpy_iterator())
        [0, 1]
        """
        return make("Take", [self], [number(count)])

    def skip(self, count, name=None) -> Dataset:
        """All but the first elements.

        >>> list(tf.data.Dataset.range(4).skip(2).as_numpy_iterator())
        [2, 3]
        """
        return make("Skip", [self], [number(count)])

    def repeat(self, count=None, name=None) -> Dataset:
        """The elements several times; without end for None or -1.

        >>> list(tf.data.Dataset.range(2).repeat(2).as_numpy_iterator())
        [0, 1, 0, 1]
        """
        count = number(-1 if count is None else count)
        if self._core.stage == "Shuffle" and self._is_optimized("shuffle_and_repeat_fusion"):
            core = _core.repeat_shuffled(self._core, count)
            return Dataset._of(core, self._element_spec, (self,))
        return make("Repeat", [self], [count])

    def shard(self, num_shards, index, name=None) -> Dataset:
        """Every num_shards-th element, from `index` on.

        >>> list(tf.data.Dataset.range(6).shard(3, 1).as_numpy_iterator())
        [1, 4]
        """
        return make("Shard", [self], [number(num_shards), number(index)])

    def enumerate(self, start=0, name=None) -> Dataset:
        """The elements with their numbers.

        >>> list(tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(5).as_numpy_iterator())
        [(5, b'a'), (6, b'b')]
        """
        numbers = Dataset.range(start, dtypes.int64.max)
        return Dataset.zip(numbers, self)

    def concatenate(self, dataset, name=None) -> Dataset:
        """The elements of this dataset, then another's.

        >>> ds = tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(5, 7))
        >>> list(ds.as_numpy_iterator())
        [0, 1, 5, 6]
        """
        return _combining.concatenate(self, dataset)

    # Order and buffers.

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=True, name=None) -> Dataset:
        """The elements in a random order: each is drawn from a buffer.

        The order for given seeds is TensorFlow's. A buffer that is larger than its share of the
        budget continues in a file.

        Args:
          buffer_size: The number of elements in the buffer; tf.data.UNKNOWN_CARDINALITY for all.
          seed: The op seed.
          reshuffle_each_iteration: Whether each iterator has an order of its own.
          name: Ignored.

        >>> sorted(tf.data.Dataset.range(4).shuffle(4).as_numpy_iterator())
        [0, 1, 2, 3]
        """
        key, op_seed = _combining.seeds(seed)
        reshuffles = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
        operands = [number(buffer_size), number(key), number(op_seed)]
        return make("Shuffle", [self], operands, reshuffle=reshuffles)

    def prefetch(self, buffer_size, name=None) -> Dataset:
        """Elements computed ahead of their use, on a thread of their own."""
        return make("Prefetch", [self], [number(-1 if buffer_size is None else buffer_size)])

    def cache(self, filename="", name=None) -> Dataset:
        """The elements, kept after the first epoch: in memory, or in a file."""
        return make("Cache", [self], [constant(filename, dtypes.string)])

    def unique(self, name=None) -> Dataset:
        """The elements without repetitions.

        >>> list(tf.data.Dataset.from_tensor_slices([1, 2, 1]).unique().as_numpy_iterator())
        [1, 2]
        """
        return _combining.unique(self)

    def ignore_errors(self, log_warning=False, name=None) -> Dataset:
        """The elements without those that fail.

        >>> ds = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 4.0])
        >>> ds = ds.map(lambda x: tf.debugging.check_numerics(1.0 / x, "")).ignore_errors()
        >>> list(ds.as_numpy_iterator())
        [1.0, 0.25]
        """
        return make("IgnoreErrors", [self], log_warning=log_warning)

    # Batches.

    def batch(
        self,
        batch_size,
        drop_remainder=False,
        num_parallel_calls=None,
        deterministic=None,
        name=None,
    ) -> Dataset:
        """Several elements as rows of one.

        >>> [batch.tolist() for batch in tf.data.Dataset.range(5).batch(2).as_numpy_iterator()]
        [[0, 1], [2, 3], [4]]
        """
        return _batching.batch(self, batch_size, drop_remainder, num_parallel_calls)

    def padded_batch(
        self,
        batch_size,
        padded_shapes=None,
        padding_values=None,
        drop_remainder=False,
        name=None,
    ) -> Dataset:
        """Several elements as rows of one, padded to the same shape.

        >>> ds = tf.data.Dataset.range(1, 4).map(lambda x: tf.fill([x], x)).padded_batch(3)
        >>> [batch.tolist() for batch in ds.as_numpy_iterator()]
        [[[1, 0, 0], [2, 2, 0], [3, 3, 3]]]
        """
        return _batching.padded_batch(
            self, batch_size, padded_shapes, padding_values, drop_remainder
        )

    def unbatch(self, name=None) -> Dataset:
        """The rows of every element.

        >>> list(tf.data.Dataset.from_tensors([[1, 2], [3, 4]]).unbatch().as_numpy_iterator())
        [array([1, 2], dtype=int32), array([3, 4], dtype=int32)]
        """
        return _batching.unbatch(self)

    def rebatch(self, batch_size, drop_remainder=False, name=None) -> Dataset:
        """Batches of other sizes.

        >>> ds = tf.data.Dataset.range(6).batch(3).rebatch(2)
        >>> [batch.tolist() for batch in ds.as_numpy_iterator()]
        [[0, 1], [2, 3], [4, 5]]
        """
        return _batching.rebatch(self, batch_size, drop_remainder)

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None) -> Dataset:
        """Windows of elements, each a dataset.

        >>> ds = tf.data.Dataset.range(5).window(3, shift=1, drop_remainder=True)
        >>> [list(window.as_numpy_iterator()) for window in ds]
        [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
        """
        return _batching.window(self, size, shift, stride, drop_remainder)

    def bucket_by_sequence_length(
        self,
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes=None,
        padding_values=None,
        pad_to_bucket_boundary=False,
        no_padding=False,
        drop_remainder=False,
        name=None,
    ) -> Dataset:
        """Batches of elements of similar length."""
        return _batching.bucket_by_sequence_length(
            self,
            element_length_func,
            bucket_boundaries,
            bucket_batch_sizes,
            padded_shapes,
            padding_values,
            pad_to_bucket_boundary,
            no_padding,
            drop_remainder,
        )

    # Files.

    def save(self, path, compression=None, shard_func=None, checkpoint_args=None):
        """Writes the elements to a folder, which `load` reads."""
        return _saving.save(self, path, compression, shard_func, checkpoint_args)

    def snapshot(
        self, path, compression="AUTO", reader_func=None, shard_func=None, name=None
    ) -> Dataset:
        """The elements, written to a folder in the first epoch and read from there later."""
        return _saving.snapshot(self, path, compression, reader_func, shard_func)

    # What is known, and iteration.

    def cardinality(self):
        """The number of elements as a tensor; -1 if infinite, -2 if unknown.

        >>> int(tf.data.Dataset.range(5).batch(2).cardinality())
        3
        """
        return _core.to_tensor(self._core.cardinality(), dtypes.int64)

    def memory_plan(self) -> MemoryPlan:
        """What an iterator will hold, before it runs: a buffer at a time.

        >>> plan = tf.data.Dataset.range(100).shuffle(10).memory_plan()
        >>> plan.peak_bytes
        80
        """
        return MemoryPlan(self._core.memory_plan())

    def options(self) -> Options:
        """The options of this dataset and of its inputs."""
        return Options() if self._options is None else Options().merge(self._options)

    def with_options(self, options, name=None) -> Dataset:
        """The dataset with other options."""
        check_options(options)
        dataset = Dataset._of(self._core, self._element_spec, (self,))
        dataset._options = self.options().merge(options)
        dataset._name = "_OptionsDataset"
        return dataset

    def _is_optimized(self, rewrite) -> bool:
        """Whether TensorFlow would apply one of its rewrites."""
        if self._options is None:
            return True
        optimization = self._options.experimental_optimization
        if optimization.apply_default_optimizations is False:
            return bool(getattr(optimization, rewrite))
        return getattr(optimization, rewrite) is not False

    def get_single_element(self, name=None):
        """The only element.

        >>> int(tf.data.Dataset.from_tensors(7).get_single_element())
        7
        """
        return _combining.single_element(self)

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator whose elements are NumPy arrays and scalars."""
        return NumpyIterator(self)

    def fingerprint(self):
        """A hash of the description, as a tensor."""
        return _combining.fingerprint(self)

    def ragged_batch(
        self, batch_size, drop_remainder=False, row_splits_dtype=dtypes.int64, name=None
    ):
        """Batches of elements of different shapes; needs ragged tensors."""
        raise errors.UnimplementedError(None, None, "ragged tensors are not supported yet")

    def sparse_batch(self, batch_size, row_shape, name=None):
        """Batches as sparse tensors; needs sparse tensors."""
        raise errors.UnimplementedError(None, None, "sparse tensors are not supported yet")

    def rejection_resample(
        self, class_func, target_dist, initial_dist=None, seed=None, name=None
    ) -> Dataset:
        """Elements drawn so that classes have another distribution."""
        return _combining.rejection_resample(self, class_func, target_dist, initial_dist, seed)

    def __iter__(self) -> Iterator:
        return iterate(self)

    def _loop(self):
        return iterate(self)

    def _parts(self):
        keep_calls([self])
        return [_core.dataset_handle(self._core)]

    def _settled(self):
        # The handle of a dataset that depends on a trace is a node of it.
        return self._with_parts(self._parts()) if self._core.is_template() else self

    def _with_parts(self, parts):
        return self._type_spec._with_parts(parts)

    def _parts_key(self):
        return self._type_spec._parts_key()

    def __len__(self):
        count = self._core.cardinality()
        if count == INFINITE:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return count

    def __bool__(self):
        return True

    __nonzero__ = __bool__

    def __repr__(self):
        stage = self._core.stage
        name = self._name or _CLASS_NAMES.get(stage) or f"_{stage}Dataset"
        return f"<{name} element_spec={self._element_spec!r}>"


Dataset.__name__ = "DatasetV2"  # as TensorFlow's
