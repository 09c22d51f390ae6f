"""tf.train.CheckpointManager: keeps the latest checkpoints of a run, and some older ones."""

from __future__ import annotations

import os
import re
import time
import warnings

from penstock._api import public
from penstock._base.files import path_text
from penstock.train import _format, _state


@public("train.CheckpointManager")
class CheckpointManager:
    """Saves numbered checkpoints to a folder and deletes old ones.

    Args:
      checkpoint: A tf.train.Checkpoint.
      directory: The folder.
      max_to_keep: How many checkpoints stay.
      keep_checkpoint_every_n_hours: One checkpoint in so many hours is never deleted.
      checkpoint_name: The prefix of the files.
      step_counter: A variable that counts the steps.
      checkpoint_interval: The least number of steps between two checkpoints.
      init_fn: A function that is called where there is nothing to restore.
      last_checkpoint_step: The step of the last checkpoint.

    >>> import tempfile
    >>> w = tf.Variable(1.0)
    >>> manager = tf.train.CheckpointManager(
    ...     tf.train.Checkpoint(w=w), tempfile.mkdtemp(), max_to_keep=2
    ... )
    >>> names = [manager.save() for _ in range(3)]
    >>> len(manager.checkpoints)
    2
    """

    def __init__(
        self,
        checkpoint,
        directory,
        max_to_keep,
        keep_checkpoint_every_n_hours=None,
        checkpoint_name="ckpt",
        step_counter=None,
        checkpoint_interval=None,
        init_fn=None,
        last_checkpoint_step=None,
    ):
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint = checkpoint
        self._directory = path_text(directory)
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._max_to_keep = max_to_keep
        self._keep_every = keep_checkpoint_every_n_hours
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step = last_checkpoint_step
        self._latest = None
        self._kept = {}  # name: time, the oldest first
        self._preserved = None  # the time of the last checkpoint kept permanently
        self._resume()

    def _resume(self):
        """Takes over the state that an earlier manager left in the folder."""
        now = time.time()
        state = _state.get_checkpoint_state(self._directory)
        if state is None:
            self._preserved = now - (self._keep_every or 0) * 3600
            return
        self._latest = state.model_checkpoint_path
        self._preserved = state.last_preserved_timestamp or now
        paths, times = state.all_model_checkpoint_paths, state.all_model_checkpoint_timestamps
        if len(times) != len(paths):
            times = [now] * len(paths)
        self._kept = dict(zip(paths, times, strict=True))

    directory = property(lambda self: self._directory)
    checkpoint = property(lambda self: self._checkpoint)
    checkpoint_interval = property(lambda self: self._interval)
    latest_checkpoint = property(
        lambda self: self._latest, doc="The name of the latest checkpoint, or None."
    )
    checkpoints = property(
        lambda self: list(self._kept),
        doc="The names of the checkpoints that are kept, oldest first.",
    )

    def save(self, checkpoint_number=None, check_interval=True, options=None) -> str | None:
        """Saves a checkpoint and returns its name; None if it is too early for the next one.

        Args:
          checkpoint_number: The number in the name; None counts on.
          check_interval: False to save even when it is too early.
          options: Taken as in TensorFlow, and not used.

        >>> import os, tempfile
        >>> checkpoint = tf.train.Checkpoint(w=tf.Variable(1.0))
        >>> manager = tf.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), max_to_keep=1)
        >>> os.path.basename(manager.save())
        'ckpt-1'
        """
        if check_interval and not self._is_time():
            return None
        path = self._checkpoint._write_next(self._prefix, checkpoint_number)
        if self._interval is not None:
            self._last_step = int(self._step_counter)
        self._kept.pop(path, None)  # a checkpoint saved again is the newest
        self._latest, self._kept[path] = path, time.time()
        dropped = self._drop_old()
        _state.update(self._directory, path, self._kept, self._kept.values(), self._preserved)
        # Only now: the state must never name a deleted file.
        for old in dropped:
            self._delete(old)
        return path

    def _delete(self, prefix):
        # The state file may name anything: only files that a manager of this folder wrote are
        # deleted.
        folder, name = os.path.split(os.path.abspath(prefix))
        ours, start = os.path.split(os.path.abspath(self._prefix))
        try:
            if folder != ours or not re.fullmatch(re.escape(start) + "-{1,2}[0-9]+", name):
                raise OSError(f"it is no {start}-NUMBER in {self._directory}")
            os.unlink(_format.file_of(prefix))
        except OSError as error:
            warnings.warn(f"could not delete the old checkpoint {prefix}: {error}", stacklevel=3)

    def _is_time(self) -> bool:
        if self._interval is None or self._last_step is None:
            return True
        return int(self._step_counter) >= self._last_step + self._interval

    def _drop_old(self) -> list[str]:
        """Drops the oldest ones; returns those that are not kept permanently."""
        dropped = []
        while self._max_to_keep is not None and len(self._kept) > self._max_to_keep:
            path, saved_at = next(iter(self._kept.items()))
            del self._kept[path]
            if self._keep_every and saved_at - self._keep_every * 3600 >= self._preserved:
                self._preserved = saved_at
            else:
                dropped.append(path)
        return dropped

    def restore_or_initialize(self) -> str | None:
        """Restores the latest checkpoint and returns its name; else calls `init_fn`."""
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._interval is not None:
                self._last_step = int(self._step_counter)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None

    def sync(self) -> None:
        """Does nothing: saving is complete when it returns."""
