"""tf.compat.v1.train.Saver: variables by name, in numbered checkpoints, keeping the latest few.

A checkpoint is one safetensors file, as tf.train.Checkpoint writes it. Values are read from and
written to the session; eager programs pass None.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from types import SimpleNamespace

from penstock import _core, errors, raw_ops
from penstock._api import public
from penstock._base.files import path_text
from penstock._tensors.shape import TensorShape
from penstock.io import gfile
from penstock.train import _format, _state


class Saveable:
    """What a Saver saves like a variable: it has a name, a shape, a graph element and load()."""


@public("v1.train.Saver")
class Saver:
    """Saves and restores variables: `saver.save(sess, "dir/model", global_step=step)`.

    Args:
      var_list: The variables, or a dictionary of them by name; None is all of them.
      reshape: True to restore into variables of another shape with as many elements.
      sharded: Taken as in TensorFlow, and not used.
      max_to_keep: How many checkpoints stay.
      keep_checkpoint_every_n_hours: One checkpoint in so many hours is never deleted.
      name: The name of the operation in a graph.
      restore_sequentially: Taken as in TensorFlow, and not used.
      saver_def: Taken as in TensorFlow, and not used.
      builder: Taken as in TensorFlow, and not used.
      defer_build: True to look for the variables at the first use.
      allow_empty: True to accept that there are no variables.
      write_version: Taken as in TensorFlow, and not used.
      pad_step_number: True to pad the step in file names with zeros.
      save_relative_paths: Taken as in TensorFlow, and not used.
      filename: The file's name.

    >>> import os, tempfile
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    ...     w = tf.compat.v1.get_variable("w", initializer=3.0)
    ...     sess.run(tf.compat.v1.global_variables_initializer())
    ...     saver = tf.compat.v1.train.Saver()
    ...     path = saver.save(sess, os.path.join(tempfile.mkdtemp(), "model"))
    ...     sess.run(w.assign(0.0))
    ...     saver.restore(sess, path)
    ...     print(sess.run(w))
    np.float32(0.0)
    3.0
    """

    def __init__(
        self,
        var_list=None,
        reshape=False,
        sharded=False,
        max_to_keep=5,
        keep_checkpoint_every_n_hours=10000.0,
        name=None,
        restore_sequentially=False,
        saver_def=None,
        builder=None,
        defer_build=False,
        allow_empty=False,
        write_version=2,
        pad_step_number=False,
        save_relative_paths=False,
        filename=None,
    ):
        self._var_list, self._reshape, self._allow_empty = var_list, reshape, allow_empty
        self._max_to_keep, self._keep_hours = max_to_keep, keep_checkpoint_every_n_hours
        self._pad_step_number = pad_step_number
        self._next_kept_for_good = time.time() + keep_checkpoint_every_n_hours * 3600
        self._kept = []  # (prefix, time), the oldest first
        self._written = set()  # prefixes
        self._variables = None
        if not defer_build:
            self.build()

    def build(self) -> None:
        """Decides which variables are saved."""
        from penstock.compat import v1

        variables = self._var_list
        if variables is None:
            if v1.executing_eagerly():
                raise RuntimeError(
                    "When eager execution is enabled, `var_list` must specify a list or dict of "
                    "variables to save"
                )
            saveables = v1.get_collection(v1.GraphKeys.SAVEABLE_OBJECTS)
            variables = [*v1.global_variables(), *saveables]
        if not variables and not self._allow_empty:
            raise ValueError("No variables to save")
        self._variables = _by_name(variables)

    def save(
        self,
        sess,
        save_path,
        global_step=None,
        latest_filename=None,
        meta_graph_suffix="meta",
        write_meta_graph=True,
        write_state=True,
        strip_default_attrs=False,
        save_debug_info=False,
    ) -> str:
        """Writes a checkpoint and returns its name; deletes the oldest if there are too many.

        Args:
          sess: The session.
          save_path: Folder and name of the files.
          global_step: The number in the name, or a variable that holds it.
          latest_filename: The name of the state file; None is "checkpoint".
          meta_graph_suffix: Taken as in TensorFlow, and not used.
          write_meta_graph: Taken as in TensorFlow, and not used.
          write_state: False to leave the state file as it is.
          strip_default_attrs: Taken as in TensorFlow, and not used.
          save_debug_info: Taken as in TensorFlow, and not used.

        >>> import os, tempfile
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     w = tf.compat.v1.get_variable("w", initializer=3.0)
        ...     sess.run(tf.compat.v1.global_variables_initializer())
        ...     path = os.path.join(tempfile.mkdtemp(), "model")
        ...     print(os.path.basename(tf.compat.v1.train.Saver().save(sess, path, global_step=7)))
        model-7
        """
        if latest_filename and os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        prefix = unnumbered = path_text(save_path)
        if global_step is not None:
            step = _step_number(sess, global_step)
            prefix += f"-{step:08d}" if self._pad_step_number else f"-{step}"
        folder = os.path.dirname(prefix)
        if folder and not gfile.isdir(folder):
            raise ValueError(f"Parent directory of {prefix} doesn't exist, can't save.")
        names = list(self._variables)
        values = _read(sess, list(self._variables.values()))
        nodes = (
            SimpleNamespace(children=None, key=key, value=value)
            for key, value in zip(names, values, strict=True)
        )
        _format.write(prefix, nodes)
        self._written.add(prefix)
        if write_state:
            dropped = self._remember(prefix)
            kept = self._kept or [(prefix, time.time())]
            _state.update(folder or ".", prefix, *zip(*kept, strict=True), name=latest_filename)
            # Only now: the state must never name a deleted file.
            for old in dropped:
                if _format.exists(old) and self._may_delete(old, unnumbered):
                    gfile.remove(_format.file_of(old))
        return prefix

    def _may_delete(self, old, unnumbered) -> bool:
        """Whether a checkpoint is one of ours. What was taken over from a state file may be named
        anything, and counts only with the folder and the name that we write to."""
        ours = re.escape(os.path.abspath(unnumbered))
        is_alike = re.fullmatch(ours + "(-{1,2}[0-9]+)?", os.path.abspath(old), re.DOTALL)
        return old in self._written or is_alike is not None

    def _remember(self, prefix) -> list[str]:
        """Notes a new checkpoint; returns those to delete."""
        if not self._max_to_keep:
            return []
        self._kept = [pair for pair in self._kept if pair[0] != prefix]
        self._kept.append((prefix, time.time()))
        dropped = []
        while len(self._kept) > self._max_to_keep:
            old, saved_at = self._kept.pop(0)
            if saved_at > self._next_kept_for_good:
                self._next_kept_for_good += self._keep_hours * 3600
            else:
                dropped.append(old)
        return dropped

    def restore(self, sess, save_path) -> None:
        """Sets the variables to the values of a checkpoint.

        Args:
          sess: The session.
          save_path: The name of the checkpoint.

        >>> import os, tempfile
        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        ...     w = tf.compat.v1.get_variable("w", initializer=3.0)
        ...     sess.run(tf.compat.v1.global_variables_initializer())
        ...     saver = tf.compat.v1.train.Saver()
        ...     path = saver.save(sess, os.path.join(tempfile.mkdtemp(), "model"))
        ...     sess.run(w.assign(0.0))
        ...     saver.restore(sess, path)
        ...     print(sess.run(w))
        np.float32(0.0)
        3.0
        """
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        prefix = path_text(save_path)
        if not _format.exists(prefix):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {prefix}")
        file = _format.CheckpointFile(prefix)
        try:
            known = set(file.keys())
            for key in self._variables:
                if key not in known:
                    raise errors.NotFoundError(
                        None,
                        None,
                        "Restoring from checkpoint failed. This is most likely due to a Variable "
                        "name or other graph key that is missing from the checkpoint. Original "
                        f"error:\n\nKey {key} not found in checkpoint",
                    )
            for key in self._variables:
                self._check_fits(key, file)
            file.check(self._variables)
            for key, variable in self._variables.items():
                value = file.read(key)
                if not variable.shape.is_compatible_with(value.shape):
                    value = raw_ops.Reshape(tensor=value, shape=variable.shape.as_list())
                _write(sess, variable, value)
        finally:
            file.close()

    def _check_fits(self, key, file):
        """Raises InvalidArgumentError unless the variable fits the value in a file."""
        shape, stored = self._variables[key].shape, TensorShape(file.describe(key)[1])
        if shape.is_compatible_with(stored):
            return
        if self._reshape and shape.num_elements() == stored.num_elements():
            return
        raise errors.InvalidArgumentError(
            None,
            None,
            "Restoring from checkpoint failed. This is most likely due to a mismatch between the "
            "current graph and the graph from the checkpoint. Original error:\n\nAssign requires "
            f"shapes of both tensors to match. lhs shape= {list(shape)} rhs shape= "
            f"{list(stored)} ({key})",
        )

    @property
    def last_checkpoints(self) -> list[str]:
        """The kept checkpoints, oldest first."""
        return [prefix for prefix, _ in self._kept]

    def set_last_checkpoints(self, last_checkpoints) -> None:
        """Sets the kept checkpoints."""
        now = time.time()
        self._kept = [(prefix, now) for prefix in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time) -> None:
        """Sets the kept checkpoints, as (name, time)."""
        self._kept = list(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths) -> None:
        """Sets the kept checkpoints to those of the list that exist."""
        there = [path for path in checkpoint_paths if _format.exists(path)]
        times = [gfile.stat(_format.file_of(path)).mtime_nsec / 1e9 for path in there]
        self._kept = list(zip(there, times, strict=True))


def _by_name(variables) -> dict:
    """{name in the checkpoint: variable}"""
    if isinstance(variables, Mapping):
        return dict(variables)
    by_name = {}
    for variable in variables:
        if not isinstance(variable, (_core.VariableHandle, Saveable)):
            raise TypeError(f"Variable to save is not a Variable: {variable}")
        name = variable.name.partition(":")[0]
        if name in by_name:
            raise ValueError(f"At least two variables have the same name: {name}")
        by_name[name] = variable
    return by_name


def _read(sess, variables) -> list:
    """The values, as tensors or variables."""
    if sess is None:
        return variables
    return [_core.to_tensor(value) for value in sess.run(variables)]


def _write(sess, variable, value) -> None:
    if sess is None:
        variable.assign(value)
    else:
        variable.load(value.numpy(), sess)


def _step_number(sess, step) -> int:
    if isinstance(step, (_core.Tensor, _core.VariableHandle)) and sess is not None:
        return int(sess.run(step))
    return int(step)
