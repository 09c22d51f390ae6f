"""tf.GradientTape and tf.IndexedSlices."""

from __future__ import annotations

import contextlib
import enum
import threading
import weakref

from penstock import _core
from penstock._api import public
from penstock._base.nest import flatten, pack_like
from penstock._base.version_1 import version_1
from penstock._context.scope import graph_scope, take_name
from penstock._tensors.kinds import is_graph_variable, is_tensor_like
from penstock._tensors.slices import IndexedSlices
from penstock._tensors.tensor import Tensor


@public("UnconnectedGradients")
class UnconnectedGradients(enum.Enum):
    """The value of a gradient without a path: None, or zeros."""

    NONE = "none"
    ZERO = "zero"


# All variables, by id: a tape knows only ids.
variables_by_id = weakref.WeakValueDictionary()


def variables_of(tape) -> tuple:
    """The variables that a tape of _core has watched, in creation order."""
    variables = (variables_by_id.get(number) for number in tape.watched_variables())
    return tuple(variable for variable in variables if variable is not None)


class pause(contextlib.AbstractContextManager):
    """Inside `with`, no tape of this thread records."""

    def __enter__(self):
        self._pause = _core.PauseRecording()

    def __exit__(self, *unused):
        self._pause = None


_here = threading.local()


def is_recording() -> bool:
    """Whether a tape of this thread is open."""
    return getattr(_here, "open_tapes", 0) > 0


def count_open(change):
    """Counts a tape or accumulator that is opened (1) or closed (-1)."""
    _here.open_tapes = getattr(_here, "open_tapes", 0) + change


def note_read(variable, tensor):
    """Tells the open tapes of this thread that a variable of a graph was read."""
    for tape in getattr(_here, "tapes", ()):
        tape._see(variable, tensor)


@public("GradientTape", "autodiff.GradientTape")
class GradientTape:
    """Records what happens to watched tensors and variables, and runs it backwards.

    Args:
      persistent: True to allow several calls of `gradient`.
      watch_accessed_variables: False to watch only what `watch` names.

    >>> x = tf.constant(3.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._persistent = persistent
        self._watch_variables = watch_accessed_variables
        self._tape = None
        self._recording = False
        self._used = False
        self._variables = ()
        self._graph_reads = {}  # the reads of graph variables, by variable

    def __enter__(self) -> GradientTape:
        if self._recording:
            raise ValueError(
                "Tape is still recording, This can happen if you try to re-enter an "
                "already-active tape."
            )
        if self._tape is None:
            self._tape = _core.Tape(self._persistent, self._watch_variables)
        else:
            self._tape.resume()
        self._note(True)
        return self

    def __exit__(self, *unused):
        if self._recording:
            self._stop()

    def _stop(self):
        self._tape.stop()
        self._note(False)

    def _note(self, recording):
        self._recording = recording
        count_open(1 if recording else -1)
        tapes = [tape for tape in getattr(_here, "tapes", ()) if tape is not self]
        _here.tapes = [*tapes, self] if recording else tapes

    def _see(self, variable, tensor):
        is_wanted = variable in self._graph_reads or (self._watch_variables and variable.trainable)
        if is_wanted and (tensor.dtype.is_floating or tensor.dtype.is_complex):
            self._tape.watch(tensor)
            self._graph_reads.setdefault(variable, []).append(tensor)

    def watch(self, tensor) -> None:
        """Records what happens to a tensor from here on; trainable variables need no watching.

        Args:
          tensor: A tensor, a variable, or a nest of them.

        >>> x = tf.constant(2.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x**3
        >>> tape.gradient(y, x).numpy()
        np.float32(12.0)
        """
        if self._tape is None:
            raise RuntimeError("GradientTape.watch is for use inside `with tape:`")
        for leaf in flatten(tensor):
            if not is_tensor_like(leaf):
                raise ValueError(
                    f"Passed in object {leaf} of type {type(leaf).__name__!r}, not tf.Tensor or "
                    "tf.Variable or ExtensionType."
                )
            if is_graph_variable(leaf):
                self._graph_reads.setdefault(leaf, [])
            elif leaf.dtype.is_floating or leaf.dtype.is_complex:
                self._tape.watch(leaf)

    def watched_variables(self) -> tuple:
        """The variables that were read or watched, in creation order.

        >>> w = tf.Variable(1.0, name="w")
        >>> with tf.GradientTape() as tape:
        ...     y = w * 2
        >>> [v.name for v in tape.watched_variables()]
        ['w:0']
        """
        is_over = self._tape is None or self._used
        variables = self._variables if is_over else variables_of(self._tape)
        return variables + tuple(self._graph_reads)

    def reset(self) -> None:
        """Forgets what has been recorded.

        >>> x = tf.Variable(3.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        ...     tape.reset()
        >>> tape.gradient(y, x) is None
        True
        """
        recording = self._recording
        if recording:
            self._stop()
        self._tape, self._used, self._variables, self._graph_reads = None, False, (), {}
        if recording:
            self.__enter__()

    @contextlib.contextmanager
    def stop_recording(self):
        """What is called inside the `with` block is not recorded.

        >>> x = tf.Variable(3.0)
        >>> with tf.GradientTape() as tape:
        ...     with tape.stop_recording():
        ...         y = x * x
        >>> tape.gradient(y, x) is None
        True
        """
        if self._tape is None:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        if not self._recording:
            raise ValueError("Tape is not recording; stop_recording is for use inside `with tape:`")
        self._stop()
        try:
            yield
        finally:
            self._tape.resume()
            self._note(True)

    def _begin(self):
        if self._tape is None or self._used:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians)"
            )
        if self._recording and not self._persistent:
            self._stop()

    def _end(self):
        if not self._persistent:
            self._variables = variables_of(self._tape)
            self._used = True
            self._tape.reset()

    def _run(self, targets, sources, dys, zeros):
        def find(tensors):
            gradients = self._tape.gradient(targets, tensors, dys, zeros)
            return [
                _slices(*gradient) if isinstance(gradient, tuple) else gradient
                for gradient in gradients
            ]

        if not any(is_graph_variable(source) for source in sources):
            return find(sources)
        reads = {
            k: self._graph_reads.get(source, [])
            for k, source in enumerate(sources)
            if is_graph_variable(source)
        }
        return version_1.tape_reads.gradients(find, sources, reads, zeros)

    def gradient(
        self,
        target,
        sources,
        output_gradients=None,
        unconnected_gradients=UnconnectedGradients.NONE,
    ):
        """The gradients of the target (or of the sum of several) at the sources.

        Args:
          target: A tensor, or a nest of them.
          sources: A tensor or variable, or a nest of them.
          output_gradients: Gradients of the target, in place of ones.
          unconnected_gradients: tf.UnconnectedGradients.NONE for None where there is no path,
            ZERO for zeros.

        Returns:
          The gradients, in the structure of the sources; None where there is none.

        >>> x = tf.Variable([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     y = tf.reduce_sum(x**2)
        >>> tape.gradient(y, x)
        <tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 4.], dtype=float32)>
        """
        zeros = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        flat = flatten(sources)
        for source in flat:
            if not is_tensor_like(source):
                raise TypeError(f"a source must be a tensor or a variable, not {source!r}")
        # For IndexedSlices, the rows count.
        targets = [
            item.values if isinstance(item, IndexedSlices) else item for item in flatten(target)
        ]
        if any(target is None for target in targets):
            raise TypeError("Argument `target` should be tensors or variables, but received None.")
        for leaf in targets:
            if not is_tensor_like(leaf):
                raise TypeError(f"a target must be a tensor or a variable, not {leaf!r}")
        self._begin()
        dys = []
        if output_gradients is not None:
            dys = list(map(_arriving, targets, flatten(output_gradients)))
        try:
            if _core.is_building():
                gradients = version_1.tape_names.run(self._run, targets, flat, dys, zeros)
            else:
                gradients = self._run(targets, flat, dys, zeros)
        finally:
            self._end()
        for variable in (t for t in targets if isinstance(t, _core.VariableHandle)):
            # No op reads a variable that is itself the target; its gradient is one.
            for k, source in enumerate(flat):
                if source is variable:
                    one = _ones_like(source)
                    gradients[k] = one if gradients[k] is None else gradients[k] + one
        return pack_like(sources, gradients)

    gradient.__overloads__ = """
        target: typing.Any, sources: Tensor | Variable -> Tensor
        target: typing.Any, sources: builtins.list[typing.Any] -> builtins.list[Tensor]
        target: typing.Any, sources: builtins.tuple[typing.Any, ...] -> builtins.tuple[Tensor, ...]
        target: typing.Any, sources: typing.Any -> typing.Any
    """

    def _rows(self, target, flat, zeros):
        """The gradients at all sources, for every element of the target in turn."""
        count = _known_count(target.shape, "jacobian")
        self._tape.set_persistent(True)
        try:
            for i in range(count):
                yield self._run([target], flat, [_unit(target, i)], zeros)
        finally:
            self._tape.set_persistent(self._persistent)
            self._end()

    def jacobian(
        self,
        target,
        sources,
        unconnected_gradients=UnconnectedGradients.NONE,
        parallel_iterations=None,
        experimental_use_pfor=True,
    ):
        """d target / d source: of the target's shape followed by the source's.

        Args:
          target: A tensor.
          sources: A tensor or variable, or a nest of them.
          unconnected_gradients: tf.UnconnectedGradients.NONE for None where there is no path,
            ZERO for zeros.
          parallel_iterations: Taken as in TensorFlow, and not used.
          experimental_use_pfor: Taken as in TensorFlow, and not used.

        >>> x = tf.Variable([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     y = x * x
        >>> tape.jacobian(y, x)
        <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
        array([[2., 0.],
               [0., 4.]], dtype=float32)>
        """
        from penstock import raw_ops
        from penstock._ops.convert import sizes_of

        zeros = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        flat = flatten(sources)
        self._begin()
        take_name("Reshape")  # of the target, over whose elements TensorFlow loops
        with graph_scope("loop_body"):
            rows = list(self._rows(target, flat, zeros))
        results = []
        for k, source in enumerate(flat):
            parts = [row[k] for row in rows]
            if not parts or parts[0] is None:
                results.append(None)
                continue
            shape = [*target.shape, *sizes_of(source)]
            parts = [_core.to_tensor(part) for part in parts]
            with graph_scope("pfor"):
                packed = raw_ops.Pack(values=parts)
            results.append(raw_ops.Reshape(tensor=packed, shape=shape))
        return pack_like(sources, results)

    def batch_jacobian(
        self,
        target,
        source,
        unconnected_gradients=UnconnectedGradients.NONE,
        parallel_iterations=None,
        experimental_use_pfor=True,
    ):
        """The jacobian of each row of the target by the same row of the source.

        Args:
          target: A tensor whose first dimension is the batch.
          source: A tensor or variable.
          unconnected_gradients: tf.UnconnectedGradients.NONE for None where there is no path,
            ZERO for zeros.
          parallel_iterations: Taken as in TensorFlow, and not used.
          experimental_use_pfor: Taken as in TensorFlow, and not used.

        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.batch_jacobian(y, x).shape
        TensorShape([2, 2, 2])
        """
        from penstock import raw_ops
        from penstock._ops.convert import sizes_of

        if (target.shape.rank or 0) < 2 or not target.shape[:1].is_compatible_with(
            source.shape[:1]
        ):
            raise ValueError(
                f"Need first dimension of target shape ({target.shape}) and source shape "
                f"({source.shape}) to match."
            )
        zeros = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        self._begin()
        inner = _known_count(target.shape[1:], "batch_jacobian")
        shape = [*sizes_of(target), *sizes_of(source)[1:]]
        parts = []
        self._tape.set_persistent(True)
        try:
            for j in range(inner):
                dy = _unit_column(target, inner, j)
                parts.append(self._run([target], [source], [dy], zeros)[0])
        finally:
            self._tape.set_persistent(self._persistent)
            self._end()
        if not parts or parts[0] is None:
            from penstock._ops.create import zeros

            return zeros(shape, target.dtype)
        stacked = raw_ops.Pack(values=[_core.to_tensor(p) for p in parts], axis=1)
        return raw_ops.Reshape(tensor=stacked, shape=shape)


def _slices(values, indices, dense_shape):
    return IndexedSlices(values, indices, _core.to_tensor(dense_shape))


def _arriving(target, dy):
    """The gradient that arrives at a target, in its shape."""
    if dy is None:
        return _ones_like(target)
    from penstock import raw_ops
    from penstock._ops.convert import shape_of

    dy = _core.to_tensor(dy, target.dtype)
    if dy.shape == target.shape and dy.shape.is_fully_defined():
        return dy
    return raw_ops.BroadcastTo(input=dy, shape=shape_of(target))


def _ones_like(tensor):
    from penstock._ops.create import ones_like

    return ones_like(tensor)


def _unit(target, i):
    """Zeros of the target's shape with a one at element i."""
    return _one_at(i, target.shape.num_elements(), tuple(target.shape), target.dtype)


def _one_at(i, count, shape, dtype):
    """Zeros of a shape with that many elements, with a one at element i."""
    import numpy as np

    from penstock._memory.host import booked

    with booked(count * dtype.size, "jacobian"):
        values = np.zeros(count, dtype.as_numpy_dtype)
        values[i] = 1
        return _core.to_tensor(values.reshape(shape))


def _unit_column(target, inner, j):
    """Zeros of the target's shape with a one at element j of every row."""
    from penstock import raw_ops
    from penstock._ops.convert import shape_of

    row = _one_at(j, inner, tuple(target.shape[1:]), target.dtype)
    return raw_ops.BroadcastTo(input=row, shape=shape_of(target))


def _known_count(shape, what) -> int:
    count = shape.num_elements()
    if count is None:
        raise ValueError(
            f"{what} needs the size of the target to be known, as it is one gradient for each "
            f"element; it is {shape}"
        )
    return count


@public("is_tensor")
def is_tensor(x) -> bool:
    """True for tensors and variables."""
    return isinstance(x, (Tensor, _core.VariableHandle, IndexedSlices))
