"""Single tensors of a checkpoint by name: load_checkpoint, list_variables, load_variable."""

from __future__ import annotations

from penstock import dtypes
from penstock._api import public
from penstock.train._format import CheckpointFile
from penstock.train._state import found_in

_PROTO_NAMES = {dtypes.float32: "DT_FLOAT", dtypes.float64: "DT_DOUBLE", dtypes.float16: "DT_HALF"}


class CheckpointReader:
    """The tensors of a checkpoint, by name."""

    def __init__(self, prefix):
        self._file = CheckpointFile(prefix)

    def __del__(self):
        if hasattr(self, "_file"):
            self._file.close()

    def has_tensor(self, tensor_str) -> bool:
        """Whether there is a tensor of that name."""
        return tensor_str in self._file.keys()  # noqa: SIM118

    def get_tensor(self, tensor_str):
        """The tensor of that name, as an array."""
        self._file.describe(tensor_str)
        return self._file.read(tensor_str).numpy()

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """{name: shape}"""
        return {key: list(self._file.describe(key)[1]) for key in self._file.keys()}  # noqa: SIM118

    def get_variable_to_dtype_map(self):
        """{name: dtype}"""
        return {key: self._file.describe(key)[0] for key in self._file.keys()}  # noqa: SIM118

    def debug_string(self) -> bytes:
        """A line for every tensor."""
        lines = []
        for key in sorted(self._file.keys()):
            dtype, shape = self._file.describe(key)
            kind = _PROTO_NAMES.get(dtype, f"DT_{dtype.name.upper()}")
            lines.append(f"{key} ({kind}) {list(shape)}".replace(", ", ","))
        return "\n".join(lines).encode()


@public("train.load_checkpoint", "v1.train.NewCheckpointReader")
def load_checkpoint(ckpt_dir_or_file):
    """A reader of the checkpoint of that name, or of the latest one in a folder.

    Args:
      ckpt_dir_or_file: A checkpoint's name, or a folder.

    Returns:
      A reader: get_tensor, get_variable_to_shape_map and more.

    >>> import os, tempfile
    >>> w = tf.Variable([1.0, 2.0])
    >>> path = tf.train.Checkpoint(w=w).save(os.path.join(tempfile.mkdtemp(), "ckpt"))
    >>> tf.train.load_checkpoint(path).get_tensor("w/.ATTRIBUTES/VARIABLE_VALUE")
    array([1., 2.], dtype=float32)
    """
    return CheckpointReader(found_in(ckpt_dir_or_file))


@public("train.list_variables")
def list_variables(ckpt_dir_or_file) -> list[tuple[str, list[int]]]:
    """[(name, shape)] of the tensors of a checkpoint, sorted.

    Args:
      ckpt_dir_or_file: A checkpoint's name, or a folder.

    >>> import os, tempfile
    >>> w = tf.Variable([1.0, 2.0])
    >>> path = tf.train.Checkpoint(w=w).save(os.path.join(tempfile.mkdtemp(), "ckpt"))
    >>> ("w/.ATTRIBUTES/VARIABLE_VALUE", [2]) in tf.train.list_variables(path)
    True
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


@public("train.load_variable")
def load_variable(ckpt_dir_or_file, name):
    """One tensor of a checkpoint, as an array."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))
