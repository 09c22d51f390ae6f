"""tf.summary: event files that TensorBoard reads.

writer = tf.summary.create_file_writer("logs")
with writer.as_default(step=1):
    tf.summary.scalar("loss", 0.5)
"""

from penstock import _api
from penstock import dtypes as _dtypes
from penstock.summary import experimental
from penstock.summary._messages import SummaryMetadata as _Metadata
from penstock.summary._writer import write_value as _write_value


def _metadata(plugin, description):
    metadata = _Metadata(summary_description=description or "")
    metadata.plugin_data.plugin_name = plugin
    return metadata


def _written(name, data, step, metadata, make):
    with experimental.summary_scope(name, "summary") as (tag, _):
        return _write_value(tag, data, step, metadata, make)


def write(tag, tensor, step=None, metadata=None, name=None):
    """Writes a tensor under a name, with the metadata of the plugin that shows it."""
    return _write_value(tag, tensor, step, metadata)


def scalar(name, data, step=None, description=None):
    """Writes a number."""

    def make(data):
        if data.shape:
            raise ValueError(f"Summary {name!r} must be a scalar, but has shape {data.shape}.")
        return data.astype("float32")

    return _written(name, data, step, _metadata("scalars", description), make)


def histogram(name, data, step=None, buckets=None, description=None):
    """Writes how values are spread."""

    def make(data):
        from penstock.summary._values import buckets as rows

        return rows(data, 30 if buckets is None else buckets)

    return _written(name, data, step, _metadata("histograms", description), make)


def text(name, data, step=None, description=None):
    """Writes text, which may be Markdown."""
    return _written(
        name, data, step, _metadata("text", description), lambda data: _texts(name, data)
    )


def _texts(name, data):
    import numpy as np

    texts = np.asarray(data, dtype=object)
    if not all(isinstance(text, (str, bytes)) for text in texts.reshape(-1)):
        raise TypeError(f"Type of {name!r} must be {_dtypes.string!r}.")
    return texts


def image(name, data, step=None, max_outputs=3, description=None):
    """Writes images, [how many, height, width, channels]: uint8, or floats from 0 to 1."""

    def make(data):
        from penstock.summary import _values

        if data.ndim != 4:
            raise ValueError(f"Images have 4 dimensions; {name!r} has shape {data.shape}.")
        sizes = [str(data.shape[2]).encode(), str(data.shape[1]).encode()]
        return [*sizes, *(_values.png(_values.saturated(image)) for image in data[:max_outputs])]

    return _written(name, data, step, _metadata("images", description), make)


__getattr__, __dir__ = _api.surface("summary")
