"""tf.metrics: figures that gather over many batches: update_state, result, reset_state."""

from __future__ import annotations as _annotations

from penstock import _api, _core
from penstock import dtypes as _dtypes
from penstock import raw_ops as _raw_ops
from penstock._autodiff.tape import pause as _pause
from penstock._base.signature import constructor as _constructor
from penstock._ops.convert import cast as _cast
from penstock._ops.convert import count_of as _count_of
from penstock._ops.create import fill_with as _fill_with
from penstock._variables.module import _snake
from penstock._variables.track import Trackable as _Trackable
from penstock._variables.variable import Variable as _Variable
from penstock.losses import _functions
from penstock.metrics import _accuracy


class Metric(_Trackable):
    """The base of metrics: an own one overrides `update_state` and `result`."""

    def __init__(self, dtype=None, name=None):
        self.name = name or _snake(type(self).__name__)
        self._dtype = _dtypes.as_dtype(dtype or _dtypes.float32)
        self._variables = []

    dtype = property(lambda self: self._dtype.name)
    variables = property(lambda self: list(self._variables))

    def add_variable(self, shape=(), initializer=None, dtype=None, name=None):
        """A variable that reset_state sets to zero."""
        dtype = _dtypes.as_dtype(dtype or self._dtype)
        if callable(initializer):
            value = initializer(shape, dtype=dtype)
        else:
            value = _fill_with(shape, initializer in ("ones", "Ones"), dtype)
        variable = _Variable(value, trainable=False, name=f"{self.name}/{name or 'variable'}")
        self._variables.append(variable)
        return variable

    add_weight = add_variable

    def reset_state(self) -> None:
        """Sets the state back to the initial one."""
        for variable in self._variables:
            variable.assign(_fill_with(variable.shape, False, variable.dtype))

    reset_states = reset_state

    def update_state(self, *args, **kwargs):
        """Takes one more batch into account."""
        raise NotImplementedError

    def result(self) -> _core.Tensor:
        """The figure so far."""
        raise NotImplementedError

    def __call__(self, *args, **kwargs) -> _core.Tensor:
        self.update_state(*args, **kwargs)
        return self.result()

    def __repr__(self):
        return f"<{type(self).__name__} name={self.name}>"


class Sum(Metric):
    """The sum of the values."""

    def __init__(self, name="sum", dtype=None):
        super().__init__(dtype, name)
        self.total = self.add_variable(name="total")

    def update_state(self, values, sample_weight=None):
        with _pause():
            values = _cast(_core.to_tensor(values), self._dtype)
            if sample_weight is not None:
                values, _ = _functions.weighted(values, sample_weight)
            self.total._assign_add(_raw_ops.Sum(input=values))

    def result(self) -> _core.Tensor:
        return self.total.value()


class Mean(Metric):
    """The mean of the values."""

    def __init__(self, name="mean", dtype=None):
        super().__init__(dtype, name)
        self.total = self.add_variable(name="total")
        self.count = self.add_variable(name="count")

    def update_state(self, values, sample_weight=None):
        with _pause():
            values = _cast(_core.to_tensor(values), self._dtype)
            if sample_weight is None:
                count = _cast(_count_of(values), self._dtype)
            else:
                values, weights = _functions.weighted(values, sample_weight)
                count = _raw_ops.Sum(input=weights)
            self.total._assign_add(_raw_ops.Sum(input=values))
            self.count._assign_add(count)

    def result(self) -> _core.Tensor:
        return _raw_ops.DivNoNan(x=self.total, y=self.count)


class MeanMetricWrapper(Mean):
    """The mean of a function of labels and predictions: one value per example."""

    def __init__(self, fn, name=None, dtype=None, **kwargs):
        super().__init__(name or getattr(fn, "__name__", None), dtype)
        self._function, self._own = fn, kwargs

    def update_state(self, y_true, y_pred, sample_weight=None):
        with _pause():
            super().update_state(self._function(y_true, y_pred, **self._own), sample_weight)


def _mean_of(class_name: str, function, **parameters):
    """A metric class over a function. Its parameters are all metrics', then the function's."""
    if "name" not in parameters:
        parameters = {"name": _snake(class_name), "dtype": None, **parameters}

    def init(self, name, dtype, **own):
        MeanMetricWrapper.__init__(self, function, name, dtype, **own)

    members = {"__init__": _constructor(parameters, init)}
    members |= {"__doc__": function.__doc__, "__module__": __name__}
    return type(class_name, (MeanMetricWrapper,), members)


Accuracy = _mean_of("Accuracy", _accuracy.accuracy)
BinaryAccuracy = _mean_of("BinaryAccuracy", _accuracy.binary_accuracy, threshold=0.5)
CategoricalAccuracy = _mean_of("CategoricalAccuracy", _accuracy.categorical_accuracy)
SparseCategoricalAccuracy = _mean_of(
    "SparseCategoricalAccuracy", _accuracy.sparse_categorical_accuracy
)
TopKCategoricalAccuracy = _mean_of(
    "TopKCategoricalAccuracy",
    _accuracy.top_k_categorical_accuracy,
    k=5,
    name="top_k_categorical_accuracy",
    dtype=None,
)
SparseTopKCategoricalAccuracy = _mean_of(
    "SparseTopKCategoricalAccuracy",
    _accuracy.sparse_top_k_categorical_accuracy,
    k=5,
    name="sparse_top_k_categorical_accuracy",
    dtype=None,
)
MeanSquaredError = _mean_of("MeanSquaredError", _functions.mean_squared_error)
MeanAbsoluteError = _mean_of("MeanAbsoluteError", _functions.mean_absolute_error)
CosineSimilarity = _mean_of("CosineSimilarity", _functions.cosine, axis=-1)
BinaryCrossentropy = _mean_of(
    "BinaryCrossentropy", _functions.binary_crossentropy, from_logits=False, label_smoothing=0.0
)
CategoricalCrossentropy = _mean_of(
    "CategoricalCrossentropy",
    _functions.categorical_crossentropy,
    from_logits=False,
    label_smoothing=0.0,
    axis=-1,
)
SparseCategoricalCrossentropy = _mean_of(
    "SparseCategoricalCrossentropy",
    _functions.sparse_categorical_crossentropy,
    from_logits=False,
    ignore_class=None,
    axis=-1,
)


class RootMeanSquaredError(Mean):
    """The root of the mean of the squared differences."""

    def __init__(self, name="root_mean_squared_error", dtype=None):
        super().__init__(name, dtype)

    def update_state(self, y_true, y_pred, sample_weight=None):
        with _pause():
            y_true, y_pred = _functions.matched(y_true, y_pred)
            super().update_state(_raw_ops.Square(x=y_true - y_pred), sample_weight)

    def result(self) -> _core.Tensor:
        return _raw_ops.Sqrt(x=super().result())


class _Counts(Metric):
    """Counts of right and wrong yes-or-no predictions; `_KINDS` says which (label, answer)."""

    _KINDS = ()

    def __init__(self, thresholds=None, name=None, dtype=None):
        super().__init__(dtype, name)
        self.thresholds = 0.5 if thresholds is None else thresholds
        several = isinstance(thresholds, (list, tuple))
        self._limits = list(thresholds) if several else [self.thresholds]
        for limit in self._limits:
            if not isinstance(limit, (int, float)) or not 0 <= limit <= 1:
                raise ValueError(f"Threshold values must be in [0, 1]. Received: {thresholds}")
        shape = [len(self._limits)] if len(self._limits) > 1 else []
        self._counts = [self.add_variable(shape, name=f"{t:d}{p:d}") for t, p in self._KINDS]

    def update_state(self, y_true, y_pred, sample_weight=None):
        with _pause():
            y_true, y_pred = _functions.matched(y_true, y_pred)
            labels = {True: y_true != 0, False: y_true == 0}
            for (label, answer), count in zip(self._KINDS, self._counts, strict=True):
                hits = [
                    self._hits(
                        labels[label], y_pred > limit if answer else y_pred <= limit, sample_weight
                    )
                    for limit in self._limits
                ]
                count._assign_add(_raw_ops.Pack(values=hits) if len(hits) > 1 else hits[0])

    def _hits(self, labels, answers, weights):
        hits = _cast(_raw_ops.LogicalAnd(x=labels, y=answers), self._dtype)
        if weights is not None:
            hits, _ = _functions.weighted(hits, weights)
        return _raw_ops.Sum(input=hits)

    def result(self) -> _core.Tensor:
        if len(self._counts) == 1:
            return self._counts[0].value()
        return _raw_ops.DivNoNan(x=self._counts[0], y=self._counts[0] + self._counts[1])


def _counts_of(class_name: str, doc: str, *kinds):
    members = {"_KINDS": kinds, "__doc__": doc, "__module__": __name__}
    return type(class_name, (_Counts,), members)


TruePositives = _counts_of("TruePositives", "Right yeses.", (True, True))
TrueNegatives = _counts_of("TrueNegatives", "Right noes.", (False, False))
FalsePositives = _counts_of("FalsePositives", "Wrong yeses.", (False, True))
FalseNegatives = _counts_of("FalseNegatives", "Wrong noes.", (True, False))
Precision = _counts_of("Precision", "How many yeses are right.", (True, True), (False, True))
Recall = _counts_of("Recall", "How many true ones got a yes.", (True, True), (True, False))

__getattr__, __dir__ = _api.surface("metrics")
