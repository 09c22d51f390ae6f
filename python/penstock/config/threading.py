"""tf.config.threading: the number of threads for large ops."""

from penstock import _api, _core


def get_intra_op_parallelism_threads() -> int:
    """The number of threads that one op may use."""
    return _core.num_threads()


def set_intra_op_parallelism_threads(num_threads):
    """Sets the number of threads that one op may use; 0 means the machine's default."""
    import os

    _core.set_num_threads(num_threads or os.cpu_count() or 1)


_inter_op = 0


def get_inter_op_parallelism_threads() -> int:
    """The setting of set_inter_op_parallelism_threads."""
    return _inter_op


def set_inter_op_parallelism_threads(num_threads):
    """Stored only: ops run on the threads that call them."""
    global _inter_op
    _inter_op = int(num_threads)


__getattr__, __dir__ = _api.surface("config.threading")
