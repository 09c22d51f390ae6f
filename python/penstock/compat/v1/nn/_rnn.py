"""Recurrent networks over lists of steps."""

from __future__ import annotations

from penstock import _core, raw_ops
from penstock._api import public
from penstock.compat.v1._variable_scope import variable_scope
from penstock.nest import flatten, pack_sequence_as


@public("v1.nn.static_rnn")
def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    """(the outputs of every step, the last state) of a cell over a list of inputs.

    Args:
      cell: The cell.
      inputs: A list of tensors, one for each step.
      initial_state: The first state; None is zeros.
      dtype: The dtype of the first state.
      sequence_length: How many steps of each example count.
      scope: The scope of the variables.

    >>> with tf.Graph().as_default():
    ...     cell = tf.compat.v1.nn.rnn_cell.BasicLSTMCell(4)
    ...     steps = [tf.ones([2, 3])] * 5
    ...     outputs, state = tf.compat.v1.nn.static_rnn(cell, steps, dtype=tf.float32)
    ...     print(len(outputs), outputs[-1].shape)
    5 (2, 4)
    """
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("inputs must be a sequence")
    if not inputs:
        raise ValueError("inputs must not be empty")
    inputs = [_core.to_tensor(value) for value in inputs]
    with variable_scope(scope or "rnn"):
        batch = inputs[0].shape[0]
        batch = raw_ops.Shape(input=inputs[0])[0] if batch is None else batch
        if initial_state is None:
            if dtype is None:
                raise ValueError(
                    "If no initial_state is provided, argument `dtype` must be specified"
                )
            initial_state = cell.zero_state(batch, dtype)
        lengths = None if sequence_length is None else _core.to_tensor(sequence_length)
        state, outputs = initial_state, []
        for step, step_input in enumerate(inputs):
            output, new = cell(step_input, state)
            if lengths is not None:
                goes_on = raw_ops.ExpandDims(
                    input=_core.to_tensor(step, lengths.dtype) < lengths, axis=1
                )
                output = _where(goes_on, output, raw_ops.ZerosLike(x=output))
                pairs = zip(flatten(new), flatten(state), strict=True)
                new = pack_sequence_as(new, [_where(goes_on, now, old) for now, old in pairs])
            outputs.append(output)
            state = new
    return outputs, state


def _where(condition, yes, no):
    return raw_ops.SelectV2(condition=condition, t=yes, e=no)


@public("v1.nn.static_bidirectional_rnn")
def static_bidirectional_rnn(
    cell_fw,
    cell_bw,
    inputs,
    initial_state_fw=None,
    initial_state_bw=None,
    dtype=None,
    sequence_length=None,
    scope=None,
):
    """(outputs of both directions side by side, the last state of each).

    Args:
      cell_fw: The cell that goes from the first input to the last.
      cell_bw: The cell that goes from the last input to the first.
      inputs: A list of tensors, one for each step.
      initial_state_fw: The first state of the forward cell; None is zeros.
      initial_state_bw: The first state of the backward cell; None is zeros.
      dtype: The dtype of the first states.
      sequence_length: How many steps of each example count.
      scope: The scope of the variables.

    >>> with tf.Graph().as_default():
    ...     cells = [tf.compat.v1.nn.rnn_cell.BasicLSTMCell(4) for _ in range(2)]
    ...     outputs, _, _ = tf.compat.v1.nn.static_bidirectional_rnn(
    ...         *cells, [tf.ones([2, 3])] * 5, dtype=tf.float32
    ...     )
    ...     print(outputs[0].shape)
    (2, 8)
    """
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("inputs must be a sequence")
    if not inputs:
        raise ValueError("inputs must not be empty")
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as scope_fw:
            forward, state_fw = static_rnn(
                cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope_fw
            )
        with variable_scope("bw") as scope_bw:
            backward, state_bw = static_rnn(
                cell_bw,
                _reversed(inputs, sequence_length),
                initial_state_bw,
                dtype,
                sequence_length,
                scope_bw,
            )
    pairs = zip(forward, _reversed(backward, sequence_length), strict=True)
    outputs = [raw_ops.ConcatV2(values=list(pair), axis=1) for pair in pairs]
    return outputs, state_fw, state_bw


def _reversed(steps, lengths):
    """The steps in reverse; for shorter sequences only their own."""
    if lengths is None:
        return list(reversed(steps))
    stacked = raw_ops.Pack(values=list(steps), axis=0)
    turned = raw_ops.ReverseSequence(input=stacked, seq_lengths=lengths, seq_dim=0, batch_dim=1)
    return raw_ops.Unpack(value=turned, num=len(steps), axis=0)
