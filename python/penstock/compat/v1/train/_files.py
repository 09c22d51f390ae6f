"""Checkpoints by their names, and event files read back."""

from __future__ import annotations

import os

from penstock.io import gfile
from penstock.io._record_reader import tf_record_iterator
from penstock.summary._messages import Event


def checkpoint_exists(checkpoint_prefix) -> bool:
    """Whether there is a checkpoint of that name."""
    return bool(gfile.glob(f"{checkpoint_prefix}.index")) or gfile.exists(checkpoint_prefix)


def get_checkpoint_mtimes(checkpoint_prefixes) -> list[float]:
    """When each of the checkpoints was written; those that are not there are left out."""
    found = (f"{prefix}.index" for prefix in checkpoint_prefixes)
    return [gfile.stat(path).mtime_nsec / 1e9 for path in found if gfile.exists(path)]


def remove_checkpoint(
    checkpoint_prefix, checkpoint_format_version=2, meta_graph_suffix="meta"
) -> None:
    """Deletes the files of a checkpoint."""
    for path in gfile.glob([f"{checkpoint_prefix}.index", f"{checkpoint_prefix}.data-*"]):
        gfile.remove(path)
    meta = f"{checkpoint_prefix}.{meta_graph_suffix}"
    if os.path.exists(meta):
        gfile.remove(meta)


def summary_iterator(path):
    """The events of an event file."""
    for record in tf_record_iterator(path):
        yield Event.FromString(record)
