"""tf.train: checkpoints, moving averages, and the messages of records."""

from penstock import _api
from penstock.train._average import ExponentialMovingAverage
from penstock.train._checkpoint import Checkpoint
from penstock.train._example import BytesList, Example, Feature, Features, FloatList, Int64List
from penstock.train._manager import CheckpointManager
from penstock.train._reader import list_variables, load_checkpoint, load_variable
from penstock.train._state import checkpoints_iterator, get_checkpoint_state, latest_checkpoint

__getattr__, __dir__ = _api.surface("train")
