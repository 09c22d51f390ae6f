"""tf.config.threading: how many threads large ops use."""

from penstock import _core


def get_intra_op_parallelism_threads():
    """How many threads one op may use."""
    return _core.num_threads()


def set_intra_op_parallelism_threads(num_threads):
    """How many threads one op may use; 0 leaves it to the machine."""
    import os

    _core.set_num_threads(num_threads or os.cpu_count() or 1)


def get_inter_op_parallelism_threads():
    """How many ops run at once: as many as the program has threads."""
    return 0


def set_inter_op_parallelism_threads(num_threads):
    """Nothing to do: ops run on the threads that call them."""
