"""tf.compat.v1.summary: serialized summaries, and the writer of event files that takes them."""

from __future__ import annotations as _annotations

import time as _time
from typing import ClassVar as _ClassVar

from penstock import _core
from penstock import dtypes as _dtypes
from penstock import errors as _errors
from penstock import raw_ops as _raw_ops
from penstock._context.scope import scoped as _scoped
from penstock._ops.host_calls import numpy_function as _numpy_function
from penstock.compat.v1 import _collections, _names
from penstock.compat.v1._collections import GraphKeys as _GraphKeys
from penstock.summary import _messages
from penstock.summary._events import EventFile as _EventFile
from penstock.summary._messages import SummaryMetadata as _SummaryMetadata


def _clean(name: str) -> str:
    import re

    return re.sub(r"[^-/\w.]", "_", name).lstrip("/")


def _tag(name, family=None) -> tuple[str, str]:
    """The name inside of the scopes around it, and that of its node: in a graph no two are the
    same."""
    from penstock._context.scope import current_scope, default_graph

    base = f"{family}/{_clean(name)}" if family else _clean(name)
    building = _core.is_building()
    full = default_graph().unique_name(base) if building else current_scope() + base
    return f"{family}/{full}" if family else full, full + "/"


def _summary(build, tensor, collections, name) -> _core.Tensor:
    """The serialized Summary that `build` makes of the values, as a string tensor."""
    if isinstance(tensor, _core.SymbolicTensor):

        def run(data):
            return build(data).SerializeToString()

        summary = _numpy_function(run, [tensor], _dtypes.string, name=name)
    else:
        summary = _core.to_tensor(build(tensor.numpy()).SerializeToString(), _dtypes.string)
    _collections.keep([_GraphKeys.SUMMARIES] if collections is None else collections, summary)
    return summary


def scalar(name, tensor, collections=None, family=None) -> _core.Tensor:
    """A number, as a serialized Summary."""
    tag, node = _tag(name, family)

    def build(data):
        if data.shape:
            raise _errors.InvalidArgumentError(
                None, None, f"tags and values are not the same shape: [] != {list(data.shape)}"
            )
        return _messages.Summary(value=[_messages.Summary.Value(tag=tag, simple_value=float(data))])

    return _summary(build, _core.to_tensor(tensor), collections, node)


def histogram(name, values, collections=None, family=None) -> _core.Tensor:
    """How values are spread, as a serialized Summary."""
    tag, node = _tag(name, family)

    def build(data):
        from penstock.summary import _values

        return _messages.Summary(
            value=[_messages.Summary.Value(tag=tag, histo=_values.histogram(data))]
        )

    return _summary(build, _core.to_tensor(values), collections, node)


def image(name, tensor, max_outputs=3, collections=None, family=None) -> _core.Tensor:
    """Images, [how many, height, width, channels], as a serialized Summary."""
    tag, node = _tag(name, family)

    def build(data):
        from penstock.summary import _values

        summary = _messages.Summary()
        for i, image in enumerate(data[:max_outputs]):
            height, width, channels = image.shape
            summary.value.add(
                tag=f"{tag}/image/{i}" if max_outputs > 1 else f"{tag}/image",
                image=_messages.Summary.Image(
                    height=height,
                    width=width,
                    colorspace=channels,
                    encoded_image_string=_values.png(_values.stretched(image, (255, 0, 0, 255))),
                ),
            )
        return summary

    return _summary(build, _core.to_tensor(tensor), collections, node)


def tensor_summary(
    name,
    tensor,
    summary_description=None,
    collections=None,
    summary_metadata=None,
    family=None,
    display_name=None,
) -> _core.Tensor:
    """A tensor, as a serialized Summary."""
    tag, node = _tag(name, family)
    metadata = _SummaryMetadata()
    metadata.CopyFrom(summary_metadata or _SummaryMetadata())
    if display_name is not None:
        metadata.display_name = display_name
    if summary_description is not None:
        metadata.summary_description = summary_description

    def build(data):
        value = _messages.Summary.Value(tag=tag, metadata=metadata)
        value.tensor.CopyFrom(_messages.make_tensor_proto(data))
        return _messages.Summary(value=[value])

    return _summary(build, _core.to_tensor(tensor), collections, node)


def text(name, tensor, collections=None) -> _core.Tensor:
    """Text, as a serialized Summary."""
    tensor = _core.to_tensor(tensor)
    if tensor.dtype is not _dtypes.string:
        raise ValueError(f"Expected tensor {name} to have dtype string, got {tensor.dtype!r}")
    metadata = _SummaryMetadata()
    metadata.plugin_data.plugin_name = "text"
    return tensor_summary(name, tensor, collections=collections, summary_metadata=metadata)


@_scoped("Merge", "MergeSummary")
def _merged(inputs, name):
    return _raw_ops.StringJoin(inputs=inputs)


def merge(inputs, collections=None, name=None) -> _core.Tensor:
    """Several summaries as one."""
    # Messages one after the other are one message with the values of all.
    merged = _merged(list(inputs), name=name)
    if collections:
        _collections.keep(collections, merged)
    return merged


def merge_all(key=_GraphKeys.SUMMARIES, scope=None, name=None):
    """All summaries of the graph as one; None where there are none."""
    summaries = _collections.get_collection(key, scope=scope)
    return merge(summaries, name=name) if summaries else None


def all_v2_summary_ops():
    """None: summaries of today's kind are written as they are made."""
    return


def get_summary_description(node_def):
    """The metadata of a node that makes a summary: such nodes have none here."""
    raise ValueError(f"Can't get_summary_description on {node_def!r}")


class FileWriter:
    """Writes summaries and events to a file that TensorBoard reads."""

    def __init__(
        self,
        logdir,
        graph=None,
        max_queue=10,
        flush_secs=120,
        graph_def=None,
        filename_suffix=None,
        session=None,
    ):
        self._file = _EventFile(logdir, max_queue, flush_secs, filename_suffix)
        self._seen_tags = set()
        graph = session.graph if graph is None and session is not None else graph
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def get_logdir(self) -> str:
        """The folder."""
        return self._file.logdir

    def _add(self, step=None, **fields):
        event = _messages.Event(wall_time=_time.time(), **fields)
        if step is not None:
            event.step = int(step)
        self.add_event(event)

    def add_summary(self, summary, global_step=None) -> None:
        """Adds a Summary, or the bytes of one."""
        if isinstance(summary, (_core.Tensor, memoryview)):
            summary = bytes(getattr(summary, "numpy", lambda: summary)())
        message = _messages.Summary()
        if isinstance(summary, bytes):
            message.ParseFromString(summary)
        else:
            message.CopyFrom(summary)
        for value in message.value:
            # TensorBoard keeps a name's metadata from the first time.
            if value.tag in self._seen_tags:
                value.ClearField("metadata")
            elif value.HasField("metadata"):
                self._seen_tags.add(value.tag)
        self._add(global_step, summary=message)

    def add_event(self, event) -> None:
        """Adds an Event."""
        if self._file.is_closed:
            import warnings

            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop unless the "
                "FileWriter is explicitly reopened.",
                stacklevel=2,
            )
            return
        self._file.write(event)

    def add_graph(self, graph=None, global_step=None, graph_def=None) -> None:
        """Adds a graph."""
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        source = graph if graph_def is None else graph_def
        if hasattr(source, "as_graph_def"):
            source = source.as_graph_def(add_shapes=True)
        if not hasattr(source, "SerializeToString"):
            raise TypeError(
                "The passed graph must be an instance of `Graph` or the deprecated `GraphDef`"
            )
        self._add(global_step, graph_def=source.SerializeToString())

    def add_meta_graph(self, meta_graph_def, global_step=None) -> None:
        """Adds a MetaGraphDef."""
        self._add(global_step, meta_graph_def=meta_graph_def.SerializeToString())

    def add_session_log(self, session_log, global_step=None) -> None:
        """Adds what a session did."""
        self._add(global_step, session_log=session_log)

    def add_run_metadata(self, run_metadata, tag, global_step=None) -> None:
        """Adds what a run told of itself."""
        tagged = _messages.TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._add(global_step, tagged_run_metadata=tagged)

    def flush(self) -> None:
        """Hands what was written to the system."""
        self._file.flush()

    def close(self) -> None:
        """Ends the file."""
        self._file.close()

    def reopen(self) -> None:
        """Begins a new file in the same folder."""
        self._file.open()


class FileWriterCache:
    """One FileWriter for every folder."""

    _writers: _ClassVar[dict] = {}

    @staticmethod
    def get(logdir) -> FileWriter:
        """The writer of a folder."""
        cache = FileWriterCache._writers
        if logdir not in cache:
            cache[logdir] = FileWriter(logdir)
        return cache[logdir]

    @staticmethod
    def clear() -> None:
        """Closes all of them."""
        for writer in FileWriterCache._writers.values():
            writer.close()
        FileWriterCache._writers.clear()


__getattr__, __dir__ = _names.surface("summary")
