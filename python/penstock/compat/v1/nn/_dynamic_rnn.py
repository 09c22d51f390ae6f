"""Recurrent networks over tensors of steps: one loop for any number of steps."""

from __future__ import annotations

from penstock import _core, raw_ops
from penstock._api import public
from penstock._control_flow.loops import while_loop
from penstock._control_flow.tensor_array import TensorArray
from penstock._ops.convert import size_of
from penstock.compat.v1._variable_scope import variable_scope
from penstock.compat.v1.nn._rnn import _where
from penstock.nest import flatten, map_structure, pack_sequence_as


def _check_cell(cell, name="cell"):
    missing = [
        f"'{attribute}' property is missing"
        for attribute in ("output_size", "state_size")
        if not hasattr(cell, attribute)
    ]
    if not (hasattr(cell, "zero_state") or hasattr(cell, "get_initial_state")):
        missing.append("either 'zero_state' or 'get_initial_state' method is required")
    if not callable(cell):
        missing.append("is not callable")
    if missing:
        raise TypeError(f"The argument '{name}' ({cell}) is not an RNNCell: {', '.join(missing)}.")


def _turned(x):
    """Swaps the first two dimensions, steps and sequences."""
    if x.shape.rank is not None and x.shape.rank < 2:
        raise ValueError(f"Expected input tensor {x} to have rank at least 2")
    return raw_ops.Transpose(x=x, perm=[1, 0, *range(2, x.shape.rank)])


@public("v1.nn.dynamic_rnn")
def dynamic_rnn(
    cell,
    inputs,
    sequence_length=None,
    initial_state=None,
    dtype=None,
    parallel_iterations=None,
    swap_memory=False,
    time_major=False,
    scope=None,
):
    """(the outputs of every step, the last state) of a cell over tensors [batch, time, …], or
    [time, batch, …] where `time_major`. After the end of a shorter sequence outputs are zeros, and
    its state stays."""
    _check_cell(cell)
    with variable_scope(scope or "rnn"):
        steps = [_core.to_tensor(leaf) for leaf in flatten(inputs)]
        steps = steps if time_major else [_turned(step) for step in steps]
        count, batch = size_of(steps[0], 0), size_of(steps[0], 1)
        lengths = None if sequence_length is None else _checked_lengths(sequence_length, steps[0])
        state = _first_state(cell, initial_state, batch, dtype)

        def read(number):
            rows = [raw_ops.GatherV2(params=step, indices=number, axis=0) for step in steps]
            return pack_sequence_as(inputs, rows)

        def step(number, arrays, state):
            output, new = cell(read(number), state)
            if lengths is not None:
                output, new = _kept(number < lengths, (output, new), state)
            pairs = zip(arrays, flatten(output), strict=True)
            return number + 1, [array.write(number, value) for array, value in pairs], new

        form = _output_form(cell)
        arrays = [TensorArray(flatten(state)[0].dtype, count) for _ in flatten(form)]
        _, arrays, state = while_loop(
            lambda number, *unused: number < count,
            step,
            (0, arrays, state),
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        outputs = [array.stack() for array in arrays]
        outputs = outputs if time_major else [_turned(output) for output in outputs]
        return pack_sequence_as(form, outputs), state


def _output_form(cell):
    return cell.output_size if isinstance(cell.output_size, (list, tuple)) else 0


def _first_state(cell, initial_state, batch, dtype):
    if initial_state is not None:
        return map_structure(_core.to_tensor, initial_state)
    if dtype is None:
        raise ValueError("If there is no initial_state, you must give a dtype.")
    if hasattr(cell, "get_initial_state"):
        return cell.get_initial_state(inputs=None, batch_size=batch, dtype=dtype)
    return cell.zero_state(batch, dtype)


def _checked_lengths(lengths, steps):
    lengths = _core.to_tensor(lengths)
    if not lengths.dtype.is_integer:
        raise TypeError(f"sequence_length must be integers, not {lengths.dtype.name}")
    if lengths.shape.rank not in (1, None):
        raise ValueError(
            f"sequence_length must be a vector of length batch_size, but saw shape: {lengths.shape}"
        )
    if None not in (lengths.shape[0], steps.shape[1]) and lengths.shape[0] != steps.shape[1]:
        raise ValueError(
            f"sequence_length has {lengths.shape[0]} elements for a batch of {steps.shape[1]}"
        )
    return raw_ops.Cast(x=lengths, DstT="int32")


def _kept(goes_on, results, state):
    """The results of a step for active sequences; zeros and the old state for the others."""

    def choose(one, other):
        if one.shape.rank == 0:
            return one
        mask = raw_ops.Reshape(tensor=goes_on, shape=[-1] + [1] * (one.shape.rank - 1))
        return _where(mask, one, other)

    output, new = results
    output = map_structure(lambda leaf: choose(leaf, raw_ops.ZerosLike(x=leaf)), output)
    pairs = zip(flatten(new), flatten(state), strict=True)
    return output, pack_sequence_as(new, [choose(now, old) for now, old in pairs])


@public("v1.nn.bidirectional_dynamic_rnn")
def bidirectional_dynamic_rnn(
    cell_fw,
    cell_bw,
    inputs,
    sequence_length=None,
    initial_state_fw=None,
    initial_state_bw=None,
    dtype=None,
    parallel_iterations=None,
    swap_memory=False,
    time_major=False,
    scope=None,
):
    """((outputs forwards, outputs backwards), (the last state of each))."""
    _check_cell(cell_fw, "cell_fw")
    _check_cell(cell_bw, "cell_bw")
    options = (dtype, parallel_iterations, swap_memory, time_major)

    def turned(x):
        return _reversed(_core.to_tensor(x), sequence_length, time_major)

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            forward, state_fw = dynamic_rnn(
                cell_fw, inputs, sequence_length, initial_state_fw, *options, scope=inner
            )
        with variable_scope("bw") as inner:
            backward, state_bw = dynamic_rnn(
                cell_bw,
                map_structure(turned, inputs),
                sequence_length,
                initial_state_bw,
                *options,
                scope=inner,
            )
    return (forward, map_structure(turned, backward)), (state_fw, state_bw)


def _reversed(x, lengths, time_major):
    """The steps in reverse; for shorter sequences only their own."""
    time, batch = (0, 1) if time_major else (1, 0)
    if lengths is None:
        return raw_ops.ReverseV2(tensor=x, axis=[time])
    return raw_ops.ReverseSequence(
        input=x, seq_lengths=_core.to_tensor(lengths), seq_dim=time, batch_dim=batch
    )


@public("v1.nn.raw_rnn")
def raw_rnn(cell, loop_fn, parallel_iterations=None, swap_memory=False, scope=None):
    """(a TensorArray of the outputs, the last state, the last loop state) of a cell whose inputs
    and states `loop_fn(time, output, state, loop state)` gives: (which sequences are finished, the
    next input, the next state, what is put out, the next loop state)."""
    _check_cell(cell)
    if not callable(loop_fn):
        raise TypeError("loop_fn must be a callable")
    with variable_scope(scope or "rnn"):
        finished, inputs, state, form, loop_state = loop_fn(_core.to_tensor(0), None, None, None)
        form = cell.output_size if form is None else form
        dtype = flatten(state)[0].dtype
        has_loop_state = loop_state is not None
        arrays = [
            TensorArray(_dtype_of(leaf, dtype), 0, dynamic_size=True) for leaf in flatten(form)
        ]
        finished = _core.to_tensor(finished)

        def goes_on(number, finished, *unused):
            return raw_ops.LogicalNot(x=raw_ops.All(input=finished, axis=[0]))

        def step(number, finished, step_inputs, arrays, state, loop_state):
            output, new = cell(step_inputs, state)
            following = loop_fn(number + 1, output, new, loop_state if has_loop_state else None)
            now, step_inputs, new, output, after = following
            output, new = _kept(raw_ops.LogicalNot(x=finished), (output, new), state)
            pairs = zip(arrays, flatten(output), strict=True)
            return (
                number + 1,
                raw_ops.LogicalOr(x=finished, y=_core.to_tensor(now)),
                step_inputs,
                [array.write(number, written) for array, written in pairs],
                new,
                after if has_loop_state else loop_state,
            )

        _, _, _, arrays, state, loop_state = while_loop(
            goes_on,
            step,
            (0, finished, inputs, arrays, state, loop_state if has_loop_state else 0),
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
    return pack_sequence_as(form, arrays), state, loop_state if has_loop_state else None


def _dtype_of(leaf, default):
    return leaf.dtype if isinstance(leaf, _core.Tensor) else default
