"""The messages that configure sessions: ConfigProto and its parts."""

from __future__ import annotations

from typing import ClassVar

from penstock._api import public
from penstock._proto.message import Message


@public("v1.GPUOptions")
class GPUOptions(Message):
    """Options for GPUs. There are none here, so the options have no effect; programs set
    `per_process_gpu_memory_fraction` and `allow_growth`."""

    FIELDS: ClassVar = {
        "per_process_gpu_memory_fraction": (1, "double"),
        "allocator_type": (2, "string"),
        "deferred_deletion_bytes": (3, "int64"),
        "allow_growth": (4, "bool"),
        "visible_device_list": (5, "string"),
        "polling_active_delay_usecs": (6, "int32"),
        "polling_inactive_delay_msecs": (7, "int32"),
        "force_gpu_compatible": (8, "bool"),
    }


@public("v1.OptimizerOptions")
class OptimizerOptions(Message):
    """Options of the graph optimizer."""

    L1, L0 = 0, -1
    DEFAULT, OFF, ON_1, ON_2 = 0, -1, 1, 2
    FIELDS: ClassVar = {
        "do_common_subexpression_elimination": (1, "bool"),
        "do_constant_folding": (2, "bool"),
        "opt_level": (3, "enum"),
        "do_function_inlining": (4, "bool"),
        "global_jit_level": (5, "enum"),
        "max_folded_constant_in_bytes": (6, "int64"),
        "cpu_global_jit": (7, "bool"),
    }


@public("v1.GraphOptions")
class GraphOptions(Message):
    """Options for graphs."""

    FIELDS: ClassVar = {
        "enable_recv_scheduling": (2, "bool"),
        "optimizer_options": (3, OptimizerOptions),
        "build_cost_model": (4, "int64"),
        "infer_shapes": (5, "bool"),
        "place_pruned_graph": (6, "bool"),
        "enable_bfloat16_sendrecv": (7, "bool"),
        "timeline_step": (8, "int32"),
        "build_cost_model_after": (9, "int64"),
    }


class ThreadPoolOptionProto(Message):
    """A pool of threads."""

    FIELDS: ClassVar = {"num_threads": (1, "int32"), "global_name": (2, "string")}


@public("v1.ConfigProto")
class ConfigProto(Message):
    """The options of a session: threads, placement, GPU options.

    Args:
      **given: intra_op_parallelism_threads, allow_soft_placement, gpu_options and more.

    >>> tf.compat.v1.ConfigProto(allow_soft_placement=True).allow_soft_placement
    True
    """

    FIELDS: ClassVar = {
        "device_count": (1, {"string": "int32"}),
        "intra_op_parallelism_threads": (2, "int32"),
        "placement_period": (3, "int32"),
        "device_filters": (4, ["string"]),
        "inter_op_parallelism_threads": (5, "int32"),
        "gpu_options": (6, GPUOptions),
        "allow_soft_placement": (7, "bool"),
        "log_device_placement": (8, "bool"),
        "use_per_session_threads": (9, "bool"),
        "graph_options": (10, GraphOptions),
        "operation_timeout_in_ms": (11, "int64"),
        "session_inter_op_thread_pool": (12, [ThreadPoolOptionProto]),
        "isolate_session_state": (15, "bool"),
        "share_cluster_devices_in_session": (17, "bool"),
    }


@public("v1.RunOptions")
class RunOptions(Message):
    """The options of one run."""

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)
    FIELDS: ClassVar = {
        "trace_level": (1, "enum"),
        "timeout_in_ms": (2, "int64"),
        "inter_op_thread_pool": (3, "int32"),
        "output_partition_graphs": (5, "bool"),
        "report_tensor_allocations_upon_oom": (7, "bool"),
    }


class AllocatorMemoryUsed(Message):
    """The bytes that a node allocated."""

    FIELDS: ClassVar = {
        "allocator_name": (1, "string"),
        "total_bytes": (2, "int64"),
        "peak_bytes": (3, "int64"),
        "live_bytes": (4, "int64"),
        "allocator_bytes_in_use": (5, "int64"),
    }


class NodeExecStats(Message):
    """When a node ran, and its memory."""

    FIELDS: ClassVar = {
        "node_name": (1, "string"),
        "all_start_micros": (2, "int64"),
        "op_start_rel_micros": (3, "int64"),
        "op_end_rel_micros": (4, "int64"),
        "all_end_rel_micros": (5, "int64"),
        "memory": (6, [AllocatorMemoryUsed]),
        "timeline_label": (8, "string"),
        "scheduled_micros": (9, "int64"),
        "thread_id": (10, "uint32"),
    }


class DeviceStepStats(Message):
    """The nodes that ran on a device."""

    FIELDS: ClassVar = {"device": (1, "string"), "node_stats": (2, [NodeExecStats])}


class StepStats(Message):
    """The devices of a run."""

    FIELDS: ClassVar = {"dev_stats": (1, [DeviceStepStats])}


@public("v1.RunMetadata")
class RunMetadata(Message):
    """The metadata of a run."""

    FIELDS: ClassVar = {"step_stats": (1, StepStats)}
