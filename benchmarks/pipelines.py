"""Input pipelines: elements from sources through functions to batches.

    python pipelines.py LIBRARY CASE        LIBRARY: penstock, tensorflow or torch

prints one line of JSON, as from_python.py does. A call is one epoch, so `seconds` is the time of
one; the number at the end of a case's name is the number of its elements. Penstock and TensorFlow
run the same source; PyTorch runs a DataLoader where it has the like. check adds up the elements.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from from_python import LIBRARIES, seconds_per_call
from libraries import values

BATCH = 100


def _sum(batches) -> float:
    """The sum of the first component."""
    total = 0.0
    for batch in batches:
        first = batch[0] if isinstance(batch, (tuple, list)) else batch
        total += float(first.numpy().sum(dtype=np.float64))
    return total


# --- The pipelines of TensorFlow and penstock ---------------------------------------------------


def range_map(tf, count):
    """Small elements: what a pipeline costs by itself."""
    ds = tf.data.Dataset.range(count).map(lambda x: x * 2 + 1).batch(BATCH).prefetch(2)
    return lambda: _sum(ds)


def records(tf, count):
    """TFRecords: read, shuffled, parsed, batched."""
    path = Path(tempfile.mkdtemp()) / "records"
    feature = tf.train.Feature
    with tf.io.TFRecordWriter(str(path)) as writer:
        for i in range(count):
            numbers = values(16, seed=i).tolist()
            features = {
                "x": feature(float_list=tf.train.FloatList(value=numbers)),
                "y": feature(int64_list=tf.train.Int64List(value=[i])),
                "s": feature(bytes_list=tf.train.BytesList(value=[b"row %d" % i])),
            }
            example = tf.train.Example(features=tf.train.Features(feature=features))
            writer.write(example.SerializeToString())
    spec = {
        "x": tf.io.FixedLenFeature([16], tf.float32),
        "y": tf.io.FixedLenFeature([], tf.int64),
        "s": tf.io.FixedLenFeature([], tf.string),
    }
    ds = tf.data.TFRecordDataset(str(path)).shuffle(1000, seed=1)
    ds = ds.map(lambda record: tf.io.parse_single_example(record, spec))
    ds = ds.map(lambda row: (row["y"], row["x"], row["s"])).batch(BATCH).prefetch(2)
    return lambda: _sum(ds)


def parallel_map(tf, count):
    """A function of about a millisecond, on all cores."""
    x = tf.constant(values(400_000, seed=1))

    def work(i):
        scale = tf.cast(i, tf.float32)
        return tf.reduce_sum(tf.tanh(tf.sin(x * scale) + tf.cos(x) + tf.exp(-x * x)))

    ds = tf.data.Dataset.range(count).map(work, num_parallel_calls=tf.data.AUTOTUNE).batch(10)
    return lambda: _sum(ds)


def generator(tf, count):
    def rows():
        for i in range(count):
            yield i, np.float32(i)

    signature = (tf.TensorSpec([], tf.int64), tf.TensorSpec([], tf.float32))
    ds = tf.data.Dataset.from_generator(rows, output_signature=signature).batch(BATCH)
    return lambda: _sum(ds)


def padded_text(tf, count):
    """Sentences of different lengths, as padded batches of their characters."""
    words = ["the", "pipeline", "holds", "what", "it", "says", "and", "says", "what", "it", "holds"]
    lines = [" ".join(words[: 1 + i % len(words)]) for i in range(count)]
    ds = tf.data.Dataset.from_tensor_slices(lines)
    ds = ds.map(lambda line: tf.io.decode_raw(line, tf.uint8)).padded_batch(BATCH).prefetch(2)
    return lambda: _sum(ds)


def cached(tf, count):
    """The second epoch of a cache."""
    ds = tf.data.Dataset.range(count).map(lambda x: x * 2).cache().batch(BATCH)
    _sum(ds)
    return lambda: _sum(ds)


def slices(tf, count):
    """Arrays to a training loop: shuffled batches."""
    x, y = values(count, 32, seed=1), values(count, 1, seed=2)
    ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1000, seed=1).batch(32).prefetch(2)
    return lambda: _sum(ds)


# --- PyTorch's, where there is the like ---------------------------------------------------------


def torch_range_map(torch, count):
    class Rows(torch.utils.data.Dataset):
        def __len__(self):
            return count

        def __getitem__(self, i):
            return i * 2 + 1

    return _epoch(torch.utils.data.DataLoader(Rows(), batch_size=BATCH))


def torch_generator(torch, count):
    class Rows(torch.utils.data.IterableDataset):
        def __iter__(self):
            for i in range(count):
                yield i, np.float32(i)

    return _epoch(torch.utils.data.DataLoader(Rows(), batch_size=BATCH))


def torch_slices(torch, count):
    x, y = values(count, 32, seed=1), values(count, 1, seed=2)
    rows = torch.utils.data.TensorDataset(torch.as_tensor(x), torch.as_tensor(y))
    loader = torch.utils.data.DataLoader(rows, batch_size=32, shuffle=True)
    return _epoch(loader)


def _epoch(loader):
    return lambda: _sum(loader)


@dataclass(frozen=True)
class Case:
    make: Callable
    count: int
    torch: Callable | None = None


def _family(name, make, counts, torch=None) -> dict[str, Case]:
    sizes = {1_000: "1k", 10_000: "10k", 100_000: "100k", 1_000_000: "1m"}
    return {f"data_{name}_{sizes.get(count, count)}": Case(make, count, torch) for count in counts}


CASES = {
    **_family("map", range_map, (10_000, 100_000, 1_000_000), torch_range_map),
    **_family("records", records, (1_000, 10_000, 100_000)),
    **_family("parallel", parallel_map, (10, 100, 1_000)),
    **_family("generator", generator, (1_000, 10_000, 100_000), torch_generator),
    **_family("padded", padded_text, (1_000, 10_000, 100_000)),
    **_family("cached", cached, (10_000, 100_000, 1_000_000)),
    **_family("slices", slices, (1_000, 10_000, 100_000), torch_slices),
}
LIBRARIES_HERE = ("penstock", "tensorflow", "torch")


def measure(library: str, case: Case) -> dict:
    adapter = LIBRARIES[library]()
    figures: dict = {"version": adapter.version}
    if library == "torch":
        if case.torch is None:
            return figures
        call = case.torch(adapter.torch, case.count)
    else:
        call = case.make(adapter.tf, case.count)
    figures["check"] = call()
    return {**figures, "seconds": seconds_per_call(call)}


def main() -> None:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=LIBRARIES_HERE)
    parser.add_argument("case", choices=CASES)
    options = parser.parse_args()
    try:
        figures = measure(options.library, CASES[options.case])
    except Exception as error:
        figures = {"error": f"{type(error).__name__}: {error}"[:200]}
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
