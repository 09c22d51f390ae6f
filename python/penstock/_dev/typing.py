"""The type names of the stubs. Nothing imports this at run time."""

from __future__ import annotations

import typing
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from penstock import DType, Tensor, TensorShape

P = typing.ParamSpec("P")
R = typing.TypeVar("R", covariant=True)

# A tensor, a variable, an array, a number, a text, or nested lists of these: whatever has
# __array__ or __dlpack__ may be given too, so no narrower type would be true.
TensorLike: typing.TypeAlias = typing.Any
DTypeLike: typing.TypeAlias = DType | str | type | np.dtype[typing.Any]
ShapeLike: typing.TypeAlias = (
    TensorShape | Tensor | int | Sequence[typing.Any] | npt.NDArray[typing.Any]
)


class Decorator(typing.Protocol):
    """tf.function called with options only."""

    def __call__(self, func: typing.Callable[P, R]) -> Function[P, R]: ...


class Function(typing.Protocol[P, R]):
    """The result of tf.function: it is called like the original."""

    @property
    def python_function(self) -> typing.Callable[P, R]: ...
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    def __get__(self, instance: object, owner: typing.Any = None) -> typing.Any: ...
    def get_concrete_function(self, *args: typing.Any, **kwargs: typing.Any) -> typing.Any: ...
    def memory_plan(self, *args: typing.Any, **kwargs: typing.Any) -> typing.Any: ...
    def experimental_get_tracing_count(self) -> int: ...
    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str: ...
