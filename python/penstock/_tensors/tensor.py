"""The methods of tensors that need not be fast: printing, shapes, references, iteration."""

from __future__ import annotations

from penstock import _core
from penstock._api import public

Tensor, EagerTensor, SymbolicTensor = _core.Tensor, _core.EagerTensor, _core.SymbolicTensor


class Reference:
    """A tensor or variable as a key: compared by identity, and hashable."""

    __slots__ = ("__weakref__", "_object")

    def __init__(self, wrapped):
        self._object = wrapped

    def deref(self):
        return self._object

    def __eq__(self, other):
        return isinstance(other, Reference) and self._object is other._object

    def __hash__(self):
        return id(self._object)

    def __repr__(self):
        return f"<Reference wrapping {self._object!r}>"


@public("get_static_value")
def get_static_value(tensor, partial=False):
    """The value as a NumPy array if it is known: always, outside functions and graphs."""
    if isinstance(tensor, _core.SymbolicTensor):
        builder = getattr(getattr(tensor, "graph", None), "_builder", None)
        constant = None if builder is None else builder.constant_value(tensor)
        return None if constant is None else constant.numpy()
    return tensor.numpy() if isinstance(tensor, _core.EagerTensor) else tensor


def numpy_text(tensor, for_repr: bool) -> str:
    """The values as TensorFlow prints them."""
    value = tensor._read_only_array()
    if value.ndim > 0:
        return repr(value) if for_repr else str(value)
    value = value[()]
    if isinstance(value, bytes):
        return repr(value)
    return repr(value.item()) if for_repr else str(value)


def tensor_repr(self) -> str:
    text = numpy_text(self, for_repr=True)
    if "\n" in text:
        text = "\n" + text
    return f"<tf.Tensor: shape={tuple(self.shape)}, dtype={self.dtype.name}, numpy={text}>"


def tensor_str(self) -> str:
    text = numpy_text(self, for_repr=False)
    if "\n" in text:
        text = "\n" + text
    return f"tf.Tensor({text}, shape={tuple(self.shape)}, dtype={self.dtype.name})"


def tensor_format(self, spec: str) -> str:
    array = self._read_only_array()
    if self.ndim > 0:
        return format(array, spec)
    return format(float(array) if self.dtype.name == "bfloat16" else array[()], spec)


def tensor_iter(self):
    if self.ndim == 0:
        raise TypeError("Cannot iterate over a scalar tensor.")
    return (self[i] for i in range(len(self)))


def tensor_reversed(self):
    return (self[i] for i in reversed(range(len(self))))


def tensor_array(self, dtype=None, copy=None):
    array = self._read_only_array()
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError("a conversion of dtypes needs a copy")
        return array.astype(dtype)
    return array.copy() if copy else array


def set_shape(self, shape):
    if not self.shape.is_compatible_with(shape):
        from penstock._tensors.shape import TensorShape

        raise ValueError(
            f"Tensor's shape {self.shape} is not compatible with supplied shape "
            f"{TensorShape(shape)}."
        )
    if isinstance(self, _core.SymbolicTensor) and not self.shape.is_fully_defined():
        _core.narrow(self, self.shape.merge_with(shape)._dims)


def _undefined(name):
    def getter(self):
        raise AttributeError(f"Tensor.{name} is undefined when eager execution is enabled.")

    return property(getter)


def _no_eval(self, *args, **kwargs):
    raise NotImplementedError(
        "eval is not supported when eager execution is enabled, is .numpy() what you're looking "
        "for?"
    )


def symbolic_repr(self) -> str:
    return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


def symbolic_str(self) -> str:
    return f'Tensor("{self.name}", shape={self.shape}, dtype={self.dtype.name})'


def _not_allowed(what):
    def refuse(self):
        from penstock import errors

        raise errors.OperatorNotAllowedInGraphError(
            f"{what} is not allowed. You can attempt the following resolutions to the problem: "
            "use an op that takes the whole tensor (tf.where, tf.unstack), pass the value as a "
            "Python number, or run eagerly with tf.config.run_functions_eagerly(True)."
        )

    return refuse


def _not_an_array(self, *args, **kwargs):
    raise NotImplementedError(
        f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may "
        "indicate that you're trying to pass a Tensor to a NumPy call, which is not supported."
    )


def _no_length(self):
    raise TypeError(
        f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` "
        "rather than `len(x)` for shape information."
    )


def _no_number(text):
    def convert(self, *unused):
        raise TypeError(text + " 'SymbolicTensor'")

    return convert


def _no_consumers(self):
    raise NotImplementedError("Tensor.consumers is undefined when eager execution is enabled.")


def _no_eval_in_function(self, *args, **kwargs):
    raise ValueError(
        "Cannot evaluate tensor using `eval()`: No default session is registered. Use `with "
        "sess.as_default()` or pass an explicit session to `eval(session=sess)`"
    )


def _symbolic_format(self, spec):
    if spec:
        raise TypeError("unsupported format string passed to SymbolicTensor.__format__")
    return symbolic_str(self)


def install(symbolic_getitem, reduce):
    """Gives the types of _core their methods."""
    shared = {
        "__array_priority__": 100,
        "__copy__": lambda self: self,
        "__deepcopy__": lambda self, memo: self,
        "ref": lambda self: Reference(self),
        "experimental_ref": lambda self: Reference(self),
        "get_shape": lambda self: self.shape,
        "set_shape": set_shape,
        "eval": _no_eval,
        "consumers": lambda self: [],
    }
    symbolic = {
        "__getitem__": symbolic_getitem,
        "__repr__": symbolic_repr,
        "__str__": symbolic_str,
        "__bool__": _not_allowed("Using a symbolic `tf.Tensor` as a Python `bool`"),
        "__iter__": _not_allowed("Iterating over a symbolic `tf.Tensor`"),
        "__array__": _not_an_array,
        "__len__": _no_length,
        "__int__": _no_number(
            "int() argument must be a string, a bytes-like object or a real number, not"
        ),
        "__float__": _no_number("float() argument must be a string or a real number, not"),
        "__complex__": _no_number("complex() first argument must be a string or a number, not"),
        "__reduce_ex__": _no_number("cannot pickle"),
        "__format__": _symbolic_format,
        "eval": _no_eval_in_function,
        "name": property(lambda self: self.__dict__.get("_name") or f"Tensor_{self._id}:0"),
        "_in_graph_mode": True,
    }
    for name, value in (shared | symbolic).items():
        setattr(SymbolicTensor, name, value)
    members = shared | {
        "__repr__": tensor_repr,
        "__str__": tensor_str,
        "__format__": tensor_format,
        "__iter__": tensor_iter,
        "__reversed__": tensor_reversed,
        "__array__": tensor_array,
        "__reduce__": reduce,
        "__complex__": lambda self: complex(self._read_only_array()[()]),
        "name": _undefined("name"),
        "op": _undefined("op"),
        "graph": _undefined("graph"),
        "consumers": _no_consumers,
        "backing_device": property(lambda self: self.device),
        "_numpy": EagerTensor.numpy,
        "_in_graph_mode": False,
    }
    for name, value in members.items():
        setattr(EagerTensor, name, value)
    Tensor.__doc__ = "An array of elements of one dtype, which never changes."
