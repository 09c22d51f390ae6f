"""The detectors, one per cause, in the order of their findings in the report."""

from penstock.profiler._doctor.detectors.dataset_buffers import DatasetBuffers
from penstock.profiler._doctor.detectors.eager_loop import EagerLoop
from penstock.profiler._doctor.detectors.foreign_growth import ForeignGrowth
from penstock.profiler._doctor.detectors.graph_growth import GraphGrowth
from penstock.profiler._doctor.detectors.kept_tensors import KeptTensors
from penstock.profiler._doctor.detectors.large_constants import LargeConstants
from penstock.profiler._doctor.detectors.numpy_copies import NumpyCopies
from penstock.profiler._doctor.detectors.open_sessions import OpenSessions
from penstock.profiler._doctor.detectors.retracing import Retracing
from penstock.profiler._doctor.detectors.tapes import KeptTapes, LongTape
from penstock.profiler._doctor.detectors.trace_cache import TraceCacheChurn
from penstock.profiler._doctor.detectors.variables import VariablesInLoop

ALL = (
    GraphGrowth,
    OpenSessions,
    TraceCacheChurn,
    Retracing,
    VariablesInLoop,
    KeptTapes,
    LongTape,
    KeptTensors,
    LargeConstants,
    DatasetBuffers,
    NumpyCopies,
    EagerLoop,
    ForeignGrowth,
)
