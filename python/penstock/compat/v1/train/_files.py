"""Checkpoints by their names, and event files read back."""

from __future__ import annotations

from penstock._api import public
from penstock._base.files import path_text
from penstock.io import gfile
from penstock.io._record_reader import tf_record_iterator
from penstock.summary._messages import Event
from penstock.train import _format


@public("v1.train.checkpoint_exists")
def checkpoint_exists(checkpoint_prefix) -> bool:
    """Whether a checkpoint of that name exists."""
    return _format.exists(path_text(checkpoint_prefix))


@public("v1.train.get_checkpoint_mtimes")
def get_checkpoint_mtimes(checkpoint_prefixes) -> list[float]:
    """When each of the checkpoints was written; missing ones are skipped."""
    there = filter(checkpoint_exists, checkpoint_prefixes)
    return [gfile.stat(_format.file_of(path_text(prefix))).mtime_nsec / 1e9 for prefix in there]


@public("v1.train.remove_checkpoint")
def remove_checkpoint(
    checkpoint_prefix, checkpoint_format_version=2, meta_graph_suffix="meta"
) -> None:
    """Deletes the file of a checkpoint."""
    if checkpoint_exists(checkpoint_prefix):
        gfile.remove(_format.file_of(path_text(checkpoint_prefix)))


@public("v1.train.summary_iterator")
def summary_iterator(path):
    """The events of an event file."""
    for record in tf_record_iterator(path):
        yield Event.FromString(record)
