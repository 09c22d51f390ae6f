"""tf.compat.v1.train: optimizers, learning rates and the global step of TensorFlow 1."""

from penstock.compat.v1 import _names
from penstock.compat.v1.train._files import (
    checkpoint_exists,
    get_checkpoint_mtimes,
    remove_checkpoint,
    summary_iterator,
)
from penstock.compat.v1.train._optimizer import Optimizer
from penstock.compat.v1.train._optimizers import (
    AdadeltaOptimizer,
    AdagradOptimizer,
    AdamOptimizer,
    FtrlOptimizer,
    GradientDescentOptimizer,
    MomentumOptimizer,
    RMSPropOptimizer,
)
from penstock.compat.v1.train._saver import Saver
from penstock.compat.v1.train._schedules import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    linear_cosine_decay,
    natural_exp_decay,
    noisy_linear_cosine_decay,
    piecewise_constant,
    piecewise_constant_decay,
    polynomial_decay,
)
from penstock.compat.v1.train._steps import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
)
from penstock.train import load_checkpoint as NewCheckpointReader

__getattr__, __dir__ = _names.surface("train", "train")
