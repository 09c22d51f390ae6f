"""tf.compat.v1.nn.rnn_cell: one step of a recurrent network; nn.static_rnn runs the steps."""

from __future__ import annotations as _annotations

import collections as _collections

from penstock import _core
from penstock import raw_ops as _raw_ops
from penstock._ops.convert import cast as _cast
from penstock._ops.create import zeros as _zeros
from penstock.compat.v1._initializers import constant_initializer as _constant_initializer
from penstock.compat.v1._initializers import zeros_initializer as _zeros_initializer
from penstock.compat.v1.layers._base import Layer as _Layer
from penstock.compat.v1.layers._base import last_size as _last_size
from penstock.compat.v1.nn._functions import dropout as _dropout
from penstock.nest import map_structure as _map_structure


class LSTMStateTuple(_collections.namedtuple("LSTMStateTuple", ("c", "h"))):
    """The state of an LSTM: its memory and its output."""

    __slots__ = ()
    dtype = property(lambda self: self.c.dtype)


class RNNCell(_Layer):
    """The base of cells: `cell(inputs, state)` returns (output, new state)."""

    state_size = output_size = None

    def __call__(self, inputs, state, scope=None):
        if scope is not None and self._scope is None:
            self._scope = scope
        return super().__call__(inputs, state)

    def zero_state(self, batch_size, dtype):
        """The initial state."""
        return _map_structure(lambda size: _zero(batch_size, size, dtype), self.state_size)

    def _matrices(self, inputs, units, prefix="", bias=None):
        """(kernel, bias) of a product with concatenated inputs and state."""
        kernel = self.add_variable(prefix + "kernel", [inputs, units])
        initializer = _zeros_initializer if bias is None else _constant_initializer(bias)
        return kernel, self.add_variable(prefix + "bias", [units], initializer)


def _zero(batch_size, size, dtype):
    if isinstance(batch_size, int):
        return _zeros([batch_size, size], dtype)
    return _zeros(_raw_ops.Pack(values=[_cast(batch_size, "int32"), size], axis=0), dtype)


def _product(parts, matrices):
    kernel, bias = matrices
    joined = _raw_ops.ConcatV2(values=parts, axis=1)
    return _raw_ops.BiasAdd(value=_raw_ops.MatMul(a=joined, b=kernel), bias=bias)


class BasicRNNCell(RNNCell):
    """activation(W · [input, state] + b)."""

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units, self._activation = num_units, activation
        self.state_size = self.output_size = num_units

    def build(self, input_shape):
        inputs = _last_size(input_shape, type(self).__name__)
        self._all = self._matrices(inputs + self._num_units, self._num_units)

    def call(self, inputs, state):
        product = _product([inputs, state], self._all)
        output = _raw_ops.Tanh(x=product) if self._activation is None else self._activation(product)
        return output, output


class GRUCell(RNNCell):
    """A cell with gates that control how much of its state is renewed."""

    def __init__(
        self,
        num_units,
        activation=None,
        reuse=None,
        kernel_initializer=None,
        bias_initializer=None,
        name=None,
        dtype=None,
        **kwargs,
    ):
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units, self._activation = num_units, activation
        self._initializers = kernel_initializer, bias_initializer
        self.state_size = self.output_size = num_units

    def build(self, input_shape):
        size = _last_size(input_shape, "GRUCell") + self._num_units
        kernel, bias = self._initializers
        self._gates = (
            self.add_variable("gates/kernel", [size, 2 * self._num_units], kernel),
            self.add_variable(
                "gates/bias", [2 * self._num_units], bias or _constant_initializer(1.0)
            ),
        )
        self._candidate = (
            self.add_variable("candidate/kernel", [size, self._num_units], kernel),
            self.add_variable("candidate/bias", [self._num_units], bias or _zeros_initializer),
        )

    def call(self, inputs, state):
        gates = _raw_ops.Sigmoid(x=_product([inputs, state], self._gates))
        r, u = _raw_ops.Split(value=gates, num_split=2, axis=1)
        product = _product([inputs, r * state], self._candidate)
        product = (
            _raw_ops.Tanh(x=product) if self._activation is None else self._activation(product)
        )
        output = u * state + (1 - u) * product
        return output, output


class BasicLSTMCell(RNNCell):
    """A cell with a memory, and gates for its input, memory and output.

    Args:
      num_units: The size of the state.
      forget_bias: What is added to the forget gate.
      state_is_tuple: True for a state of two tensors.
      activation: A function of the outputs, such as tf.nn.relu; None is the identity.
      reuse: True to find variables that exist; tf.compat.v1.AUTO_REUSE to make those that
        do not.
      name: The name of the operation in a graph.
      dtype: The dtype of the result.
      **kwargs: Taken as in TensorFlow.

    >>> with tf.Graph().as_default():
    ...     cell = tf.compat.v1.nn.rnn_cell.BasicLSTMCell(4)
    ...     output, state = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
    ...     print(output.shape, state.c.shape)
    (2, 4) (2, 4)
    """

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        state_is_tuple=True,
        activation=None,
        reuse=None,
        name=None,
        dtype=None,
        **kwargs,
    ):
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._state_is_tuple, self._activation = state_is_tuple, activation
        self.output_size = num_units
        self.state_size = LSTMStateTuple(num_units, num_units) if state_is_tuple else 2 * num_units

    def build(self, input_shape):
        inputs = _last_size(input_shape, type(self).__name__)
        self._all = self._matrices(inputs + self._num_units, 4 * self._num_units)

    def call(self, inputs, state):
        if self._state_is_tuple:
            c, h = state
        else:
            c, h = _raw_ops.Split(value=state, num_split=2, axis=1)
        activate = self._activation or (lambda x: _raw_ops.Tanh(x=x))
        parts = _product([inputs, h], self._all)
        i, j, f, o = _raw_ops.Split(value=parts, num_split=4, axis=1)
        kept = c * _raw_ops.Sigmoid(x=f + _core.to_tensor(self._forget_bias, f.dtype))
        c = kept + _raw_ops.Sigmoid(x=i) * activate(j)
        h = activate(c) * _raw_ops.Sigmoid(x=o)
        state = (
            LSTMStateTuple(c, h)
            if self._state_is_tuple
            else _raw_ops.ConcatV2(values=[c, h], axis=1)
        )
        return h, state


class LSTMCell(BasicLSTMCell):
    """BasicLSTMCell with initializers, and bounds for its memory."""

    def __init__(
        self,
        num_units,
        use_peepholes=False,
        cell_clip=None,
        initializer=None,
        num_proj=None,
        proj_clip=None,
        num_unit_shards=None,
        num_proj_shards=None,
        forget_bias=1.0,
        state_is_tuple=True,
        activation=None,
        reuse=None,
        name=None,
        dtype=None,
        **kwargs,
    ):
        if use_peepholes or num_proj is not None or cell_clip is not None:
            raise NotImplementedError("LSTMCell without peepholes, projections and clips only")
        super().__init__(
            num_units, forget_bias, state_is_tuple, activation, reuse, name, dtype, **kwargs
        )
        self._initializer = initializer

    def build(self, input_shape):
        size = _last_size(input_shape, "LSTMCell") + self._num_units
        self._all = (
            self.add_variable("kernel", [size, 4 * self._num_units], self._initializer),
            self.add_variable("bias", [4 * self._num_units], _zeros_initializer),
        )


class MultiRNNCell(RNNCell):
    """Stacked cells."""

    def __init__(self, cells, state_is_tuple=True):
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not isinstance(cells, (list, tuple)):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        if len({id(cell) for cell in cells}) < len(cells):
            raise ValueError("Every cell of a MultiRNNCell must be another one.")
        if not state_is_tuple:
            raise NotImplementedError("MultiRNNCell with a tuple of states only")
        self._cells = list(cells)
        self.state_size = tuple(cell.state_size for cell in cells)
        self.output_size = cells[-1].output_size

    def call(self, inputs, state):
        from penstock.compat.v1._variable_scope import variable_scope

        states = []
        for i, (cell, own) in enumerate(zip(self._cells, state, strict=True)):
            with variable_scope(f"cell_{i}"):
                inputs, own = cell(inputs, own)
            states.append(own)
        return inputs, tuple(states)


class DropoutWrapper(RNNCell):
    """A cell with dropout on its inputs, outputs or states."""

    def __init__(
        self,
        cell,
        input_keep_prob=1.0,
        output_keep_prob=1.0,
        state_keep_prob=1.0,
        variational_recurrent=False,
        input_size=None,
        dtype=None,
        seed=None,
    ):
        if variational_recurrent:
            raise NotImplementedError("DropoutWrapper that draws anew in every step only")
        super().__init__(dtype=dtype)
        self._cell, self._seed = cell, seed
        self._keep = input_keep_prob, output_keep_prob, state_keep_prob
        self.state_size, self.output_size = cell.state_size, cell.output_size

    def __call__(self, inputs, state, scope=None):
        for_inputs, for_outputs, for_states = self._keep
        output, state = self._cell(self._dropped(inputs, for_inputs), state, scope)
        state = _map_structure(lambda leaf: self._dropped(leaf, for_states), state)
        return self._dropped(output, for_outputs), state

    def _dropped(self, value, keep_prob):
        if isinstance(keep_prob, (int, float)) and keep_prob >= 1:
            return value
        return _dropout(value, keep_prob, seed=self._seed)
