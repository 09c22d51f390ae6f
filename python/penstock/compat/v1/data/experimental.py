"""tf.compat.v1.data.experimental: tf.data.experimental, whose datasets are TensorFlow 1's."""

from penstock.compat.v1 import _names

_MAKE_DATASETS = frozenset(
    [
        *("Counter", "CsvDataset", "RandomDataset", "SqlDataset", "choose_from_datasets"),
        *("make_batched_features_dataset", "make_csv_dataset", "sample_from_datasets"),
    ]
)
_find, __dir__ = _names.surface(
    "data.experimental", "data.experimental", without=("at", "from_list", "load", "save")
)


def __getattr__(name):
    if name not in _MAKE_DATASETS:
        return _find(name)
    from penstock.compat.v1.data import _todays

    found = globals()[name] = _todays.as_version_1("data.experimental", name)
    return found
