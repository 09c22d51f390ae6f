"""tf.train.Checkpoint: the variables under some objects, saved to a file and restored from it."""

from __future__ import annotations

import os

from penstock import _core, dtypes, errors
from penstock._api import public
from penstock._base.files import path_text
from penstock._variables.track import Trackable, children, is_trackable
from penstock._variables.variable import Variable
from penstock.train import _format, _state
from penstock.train._graph import identity, objects_under
from penstock.train._restore import Restore
from penstock.train._status import CheckpointLoadStatus, InitializationOnlyStatus


def _check_trackable(name, value):
    if not is_trackable(value):
        if isinstance(value, _core.EagerTensor):
            value = value.numpy()
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from "
            f"`Trackable`), got {value}. If you believe this object should be trackable (i.e. it "
            "is part of the TensorFlow Python API and manages state), please open an issue."
        )


@public("train.Checkpoint")
class Checkpoint(Trackable):
    """Saves and restores its arguments: modules, optimizers, variables, lists, …

    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
    path = checkpoint.save("run/ckpt")
    checkpoint.restore(path).assert_consumed()

    Args:
      root: What is saved at the top.
      **kwargs: What is saved, by name.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> w = tf.Variable([1.0, 2.0])
    >>> path = tf.train.Checkpoint(w=w).save(os.path.join(folder, "ckpt"))
    >>> w.assign([0.0, 0.0]).numpy()
    array([0., 0.], dtype=float32)
    >>> status = tf.train.Checkpoint(w=w).restore(path)
    >>> w.numpy()
    array([1., 2.], dtype=float32)
    """

    _UNTRACKED = frozenset({"_stands_for", "_save_counter"})

    def __init__(self, root=None, **kwargs):
        self._stands_for = root
        self._save_counter = None
        if root is not None:
            _check_trackable("root", root)
        held = {} if root is None else dict(children(root))
        for name, value in sorted(kwargs.items()):
            _check_trackable(name, value)
            if name in held and identity(held[name]) != identity(value):
                raise ValueError(
                    f"Cannot create a Checkpoint with keyword argument {name} if root.{name} "
                    "already exists."
                )
            setattr(self, name, value)

    def _trackable_children(self):
        if isinstance(self._stands_for, _core.VariableHandle):
            yield "root", self._stands_for
        elif self._stands_for is not None:
            yield from children(self._stands_for)
        yield from super()._trackable_children()
        if self._save_counter is not None:
            yield "save_counter", self._save_counter

    @property
    def save_counter(self):
        """The number of `save` calls, as a variable that is saved too."""
        if self._save_counter is None:
            self._save_counter = Variable(
                0, dtype=dtypes.int64, trainable=False, name="save_counter"
            )
        return self._save_counter

    def write(self, file_prefix, options=None) -> str:
        """Writes a checkpoint of that name, and returns the name.

        Args:
          file_prefix: Folder and name of the files.
          options: Taken as in TensorFlow, and not used.

        >>> import os, tempfile
        >>> prefix = os.path.join(tempfile.mkdtemp(), "model")
        >>> path = tf.train.Checkpoint(w=tf.Variable(1.0)).write(prefix)
        >>> os.path.basename(path)
        'model'
        """
        prefix = path_text(file_prefix)
        _format.write(prefix, objects_under(self))
        return prefix

    def save(self, file_prefix, options=None) -> str:
        """Writes a checkpoint with the next number and updates the folder's state file.

        Args:
          file_prefix: Folder and name of the files.
          options: Taken as in TensorFlow, and not used.

        >>> import os, tempfile
        >>> prefix = os.path.join(tempfile.mkdtemp(), "ckpt")
        >>> path = tf.train.Checkpoint(w=tf.Variable(1.0)).save(prefix)
        >>> os.path.basename(path)
        'ckpt-1'
        """
        prefix = self._write_next(path_text(file_prefix))
        _state.update(os.path.dirname(prefix), prefix, [prefix])
        return prefix

    def _write_next(self, file_prefix, number=None):
        """Writes one more checkpoint, with the next number or the given one."""
        counter = self.save_counter
        counter.assign_add(1)
        try:
            return self.write(f"{file_prefix}-{int(counter if number is None else number)}")
        except BaseException:
            counter.assign_sub(1)
            raise

    def read(self, save_path, options=None):
        """Restores what `write` wrote. Variables created later get their values then."""
        return CheckpointLoadStatus(
            Restore(_format.CheckpointFile(path_text(save_path)), self), self
        )

    def restore(self, save_path, options=None):
        """Restores what `save` saved, including the counter; None restores nothing.

        Args:
          save_path: The name of the checkpoint.
          options: Taken as in TensorFlow, and not used.

        >>> import os, tempfile
        >>> w = tf.Variable(1.0)
        >>> path = tf.train.Checkpoint(w=w).save(os.path.join(tempfile.mkdtemp(), "ckpt"))
        >>> tf.train.Checkpoint(w=w).restore(path).assert_consumed() is not None
        True
        """
        _ = self.save_counter
        if save_path is None:
            return InitializationOnlyStatus()
        try:
            return self.read(save_path)
        except errors.NotFoundError as error:
            raise errors.NotFoundError(
                None,
                None,
                f"Error when restoring from checkpoint at {save_path}: {error.message}\nPlease "
                "double-check that the path is correct. You may be missing the checkpoint suffix "
                "(e.g. the '-1' in 'path/to/ckpt-1').",
            ) from error

    def sync(self) -> None:
        """Does nothing: saving is complete when it returns."""
