"""tf.config.threading: how many threads large ops use."""

from penstock import _api, _core


def get_intra_op_parallelism_threads() -> int:
    """How many threads one op may use."""
    return _core.num_threads()


def set_intra_op_parallelism_threads(num_threads):
    """How many threads one op may use; 0 leaves it to the machine."""
    import os

    _core.set_num_threads(num_threads or os.cpu_count() or 1)


_inter_op = 0


def get_inter_op_parallelism_threads() -> int:
    """What set_inter_op_parallelism_threads was told."""
    return _inter_op


def set_inter_op_parallelism_threads(num_threads):
    """Remembered only: ops run on the threads that call them."""
    global _inter_op
    _inter_op = int(num_threads)


__getattr__, __dir__ = _api.surface("config.threading")
