"""Synthetic profiles for tests: a training run that leaks, of any size."""

import numpy as np
from penstock.profiler import Profile

FOLDER = "/home/user/projects/a rather long folder name/with several levels/experiments"
SITES = [
    (f"{FOLDER}/train.py", 12, "<module>"),
    (f"{FOLDER}/models/attention.py", 48, "MultiHeadAttention.__call__"),
    (f"{FOLDER}/models/attention.py", 53, "MultiHeadAttention.__call__"),
    (f"{FOLDER}/models/mlp.py", 21, "Mlp.__call__"),
    (f"{FOLDER}/models/mlp.py", 22, "Mlp.__call__"),
    (f"{FOLDER}/train.py", 64, "step"),
    (f"{FOLDER}/train.py", 71, "step"),
    (f"{FOLDER}/data.py", 33, "batches"),
]
NAMES = [
    "float32",
    "MatMul",
    "Softmax",
    "BiasAdd",
    "Relu",
    "SparseSoftmaxCrossEntropyWithLogits",
    "VarHandleOp",
    "RandomUniform",
    "mlp/dense_1/kernel:0",
    "step",
    "int32",
    "TensorSliceDataset",
]
SHAPES = ["(64, 128, 512)", "(64, 8, 128, 128)", "(512, 2048)", "(64, 10)", "()", "(64, 784)"]
# (KiB, tag, site, op, owner, dtype, shape, life as a share of a step) of a step's blocks
STEP = [
    (784, 8, 7, 11, -1, 0, 5, 0.95),
    (4096, 0, 1, 1, 9, 0, 0, 0.9),
    (8192, 0, 2, 2, 9, 0, 1, 0.8),
    (2048, 4, 2, 2, 9, 0, 1, 0.05),
    (4096, 0, 3, 1, 9, 0, 0, 0.7),
    (4096, 0, 4, 4, 9, 0, 0, 0.6),
    (10, 0, 5, 5, 9, 0, 3, 0.5),
    (4096, 3, 6, 1, 9, 0, 0, 0.3),
    (4096, 3, 6, 1, 8, 0, 2, 0.25),
    (6144, 3, 6, 2, 9, 0, 1, 0.15),
    (1, 5, 5, 5, -1, 0, 4, 2.5),
]
VARIABLES = [(4096, 1, 0, 7, 8, 0, 2), (4096, 1, 0, 7, 8, 0, 2), (1024, 1, 0, 6, 8, 0, 2)]
STEP_NS = 1_000_000


def training(blocks=20_000, seed=0, **more) -> Profile:
    """Steps of a training run; every twentieth step leaves a block in a list that grows."""
    rng = np.random.default_rng(seed)
    steps = max(1, (blocks - len(VARIABLES)) // (len(STEP) + 1))
    step = np.array([row[:7] for row in STEP])
    life = np.array([row[7] for row in STEP])
    count = steps * len(STEP)
    begins = np.repeat(np.arange(steps) * STEP_NS, len(STEP))
    within = np.tile(np.arange(len(STEP)) / len(STEP), steps) * STEP_NS * 0.6
    start = begins + within + rng.integers(0, 20_000, count)
    end = start + np.tile(life, steps) * STEP_NS * rng.uniform(0.6, 0.7, count)
    rows = np.tile(step, (steps, 1))
    # The leak: a small output of each step stays, a larger one now and then.
    leaked = np.arange(steps) * STEP_NS + 0.7 * STEP_NS
    leak_rows = np.tile([1, 5, 5, 5, -1, 0, 3], (steps, 1))
    leak_rows[::20, 0] = max(1, 24_000 * 20 // max(steps, 20))
    variable_rows = np.array([row[:7] for row in VARIABLES])
    start = np.concatenate([np.zeros(len(VARIABLES)), start, leaked]).astype(np.int64)
    end = np.concatenate([np.full(len(VARIABLES), -1), end, np.full(steps, -1)]).astype(np.int64)
    rows = np.concatenate([variable_rows, rows, leak_rows])
    order = np.argsort(start, kind="stable")
    start, end, rows = start[order], end[order], rows[order]
    duration = steps * STEP_NS
    end[end >= duration] = -1
    names = ("tag", "site", "op", "owner", "dtype", "shape")
    columns = {name: rows[:, i + 1] for i, name in enumerate(names)}
    columns |= {"start": start, "end": end, "bytes": rows[:, 0] * 1024}
    return Profile(columns, **_about(duration, len(start)) | more)


def _about(duration, blocks):
    times = np.linspace(0, duration, 200).astype(np.int64)
    growth = np.linspace(0, 1, 200)
    mib = 1 << 20
    held, cached = 40 * mib + 30 * mib * growth, np.full(200, 6 * mib)
    rss = held + cached + 80 * mib + 3 * mib * growth
    samples = np.stack(
        [times, rss, held, np.full(200, 2 * mib), held + cached + mib, cached], axis=1
    )
    return {
        "sites": SITES,
        "names": NAMES,
        "shapes": SHAPES,
        "num_before": 1,
        "samples": samples,
        "sample_names": ["time", "rss", "held", "foreign", "mapped", "cached"],
        "plans": [
            plan("step", 64, 29_360_128, 29_360_128, 1666),
            plan("evaluate", 90, 12_582_912, 12_845_056, 12),
        ],
        "findings": [FINDING],
        "meta": {
            "program": f"{FOLDER}/train.py",
            "argv": ["train.py", "--epochs", "3"],
            "began": "2026-05-04T10:11:12",
            "duration_ns": duration,
            "budget": 96 << 20,
            "events": 2 * blocks,
        },
    }


def plan(name, line, planned, measured, calls):
    return {
        "name": name,
        "file": f"{FOLDER}/train.py",
        "line": line,
        "planned_peak": planned,
        "measured_peak": measured,
        "calls": calls,
    }


FINDING = {
    "cause": "growing list",
    "title": "Tensors are kept in the list `losses`, which grows with every step",
    "file": f"{FOLDER}/train.py",
    "line": 71,
    "text": "Each loss is a tensor, and the list holds every one of them until the program ends.",
    "growth_bytes": 25_165_824,
    "growth_per_step": 15_105.5,
    "steps": 1666,
    "fix": "losses.append(float(loss))  # the number, not the tensor",
}
