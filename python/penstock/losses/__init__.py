"""tf.losses: losses as classes that reduce and as functions."""

from __future__ import annotations as _annotations

from penstock import _api, _core
from penstock import dtypes as _dtypes
from penstock import raw_ops as _raw_ops
from penstock._base.signature import constructor as _constructor
from penstock._context.scope import graph_scope as _graph_scope
from penstock._ops.convert import cast as _cast
from penstock._ops.convert import count_of as _count_of
from penstock._ops.convert import shape_of as _shape_of
from penstock._variables.module import _snake
from penstock.losses import _functions

_REDUCTIONS = ("sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none", None)


class Loss:
    """The base of losses: subclasses override `call(y_true, y_pred)`."""

    def __init__(self, name=None, reduction="sum_over_batch_size", dtype=None):
        if reduction not in _REDUCTIONS:
            raise ValueError(
                "Invalid value for argument `reduction`. Expected one of "
                f"{set(_REDUCTIONS)}. Received: reduction={reduction}"
            )
        self.name = name or _snake(type(self).__name__)
        self.reduction = reduction
        self.dtype = _dtypes.as_dtype(dtype or _dtypes.float32)

    def __call__(self, y_true, y_pred, sample_weight=None) -> _core.Tensor:
        with _graph_scope(self.name):
            return self._reduced(y_true, y_pred, sample_weight)

    def _reduced(self, y_true, y_pred, sample_weight) -> _core.Tensor:
        y_true = _core.to_tensor(y_true)
        values = self.call(y_true, self._as_own(y_pred))
        weights = None
        if sample_weight is not None:
            values, weights = _functions.weighted(values, sample_weight)
        # As in Keras, there is no mean over no examples.
        is_empty = values.shape.rank == 1 and values.shape.num_elements() == 0
        if self.reduction in ("none", None) or is_empty:
            return values
        total = _raw_ops.Sum(input=values)
        if self.reduction == "sum":
            return total
        if self.reduction == "mean_with_sample_weight" and weights is not None:
            return _raw_ops.DivNoNan(x=total, y=_raw_ops.Sum(input=weights))
        return _raw_ops.DivNoNan(x=total, y=self._count(y_true, values))

    def _count(self, y_true, values):
        """The number of values in a mean."""
        count = _count_of(values)
        return float(count) if isinstance(count, int) else _cast(count, values.dtype)

    def _as_own(self, y_pred):
        return _cast(_core.to_tensor(y_pred), self.dtype)

    def call(self, y_true, y_pred):
        """One value per example."""
        raise NotImplementedError

    def get_config(self):
        """The arguments that recreate this loss."""
        return {"name": self.name, "reduction": self.reduction}


def _loss(class_name: str, function: str, name=None, **parameters):
    """A loss class over a function, whose name instances have unless they are given another one.
    Its parameters are those of the function, then all losses'."""
    parameters = {
        **parameters,
        **({} if "reduction" in parameters else {"reduction": "sum_over_batch_size"}),
        "name": name or function,
        "dtype": None,
    }
    function = getattr(_functions, function)

    def init(self, reduction, name, dtype, **own):
        Loss.__init__(self, name, reduction, dtype)
        self._own = own

    __init__ = _constructor(parameters, init)

    def call(self, y_true, y_pred):
        return function(y_true, y_pred, **self._own)

    def get_config(self):
        return Loss.get_config(self) | self._own

    def _count(self, y_true, values):
        ignored = self._own.get("ignore_class")
        if ignored is None:
            return Loss._count(self, y_true, values)
        return _raw_ops.Sum(input=_cast(y_true != ignored, values.dtype))

    members = {"__init__": __init__, "call": call, "get_config": get_config, "_count": _count}
    members |= {"__doc__": function.__doc__, "__module__": __name__}
    return type(class_name, (Loss,), members)


MeanSquaredError = _loss("MeanSquaredError", "mean_squared_error")
MeanAbsoluteError = _loss("MeanAbsoluteError", "mean_absolute_error")
MeanAbsolutePercentageError = _loss("MeanAbsolutePercentageError", "mean_absolute_percentage_error")
MeanSquaredLogarithmicError = _loss("MeanSquaredLogarithmicError", "mean_squared_logarithmic_error")
Huber = _loss("Huber", "huber", name="huber_loss", delta=1.0)
LogCosh = _loss("LogCosh", "log_cosh")
Hinge = _loss("Hinge", "hinge")
SquaredHinge = _loss("SquaredHinge", "squared_hinge")
CategoricalHinge = _loss("CategoricalHinge", "categorical_hinge")
KLDivergence = _loss("KLDivergence", "kl_divergence")
Poisson = _loss("Poisson", "poisson")
CosineSimilarity = _loss("CosineSimilarity", "cosine_similarity", axis=-1)
BinaryCrossentropy = _loss(
    "BinaryCrossentropy", "binary_crossentropy", from_logits=False, label_smoothing=0.0, axis=-1
)
CategoricalCrossentropy = _loss(
    "CategoricalCrossentropy",
    "categorical_crossentropy",
    from_logits=False,
    label_smoothing=0.0,
    axis=-1,
)
SparseCategoricalCrossentropy = _loss(
    "SparseCategoricalCrossentropy",
    "sparse_categorical_crossentropy",
    from_logits=False,
    ignore_class=None,
    reduction="sum_over_batch_size",
    axis=-1,
)


class Reduction:
    """The names of the reductions."""

    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"
    AUTO = "sum_over_batch_size"


__getattr__, __dir__ = _api.surface("losses")
