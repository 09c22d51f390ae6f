"""Reads files and messages that were changed at random: `hostile_files.py COUNT SEED [KIND …]`.

A reader may give what it makes of them, or raise one of the errors that tell of a bad file. It may
not take long, nor memory beyond the budget. Prints the number of each outcome, or what went wrong.
"""

import collections
import contextlib
import io
import json
import os
import random
import resource
import struct
import sys
import tempfile
import time
import traceback
import warnings
import zipfile

import penstock as tf
from penstock import _cli

LIMIT_SECONDS = 10
BUDGET = 256 << 20
EXTREMES = (0, 1, 0x7F, 0x80, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 2**63 - 1, 2**64 - 1)


def mutated(data, draw):
    """The bytes with a few changes: flipped bits, extreme numbers, cuts, repeats."""
    data = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 5, 20))):
        # Beginnings, and what is not zero, are where things are said.
        at = draw.randrange(len(data) + 1) if draw.random() < 0.8 else draw.randrange(64)
        while at < len(data) and not data[at] and draw.random() < 0.95:
            at = draw.randrange(len(data))
        change = draw.choice((0, 0, 0, 1, 2, 2, 3, 3, 3, 4, 5))
        if change <= 1 and at < len(data):
            data[at] ^= 1 << draw.randrange(8)
        elif change == 2 and at < len(data):
            data[at] = draw.randrange(256)
        elif change == 3:
            width = draw.choice((1, 2, 4, 8))
            number = draw.choice(EXTREMES) & (1 << 8 * width) - 1
            data[at : at + width] = number.to_bytes(width, "little")
        elif change == 4:
            del data[at : at + draw.choice((1, 4, 100, len(data)))]
        else:
            begin = draw.randrange(len(data) + 1)
            data[at:at] = data[begin : begin + draw.randrange(40)]
        if not data:
            break
    return bytes(data)


def file_reader(read):
    """From bytes to what `read` makes of a file that has them."""

    def use(data):
        with open("hostile", "wb") as file:
            file.write(data)
        return read("hostile")

    return use


def checkpoint(path):
    target = tf.train.Checkpoint(w=tf.Variable(tf.zeros([20, 3])), b=tf.Variable([0, 0]))
    os.replace(path, "c.safetensors")
    target.read("c")
    tf.train.load_checkpoint("c").get_variable_to_shape_map()


def report(path):
    """`penstock report`, whose way to say no is a status."""
    out = io.StringIO()
    form = ("html", "json", "pprof", "perfetto", "tensorboard")[os.stat(path).st_size % 5]
    with contextlib.redirect_stderr(out), contextlib.redirect_stdout(out):
        status = _cli.main(["report", path, "--format", form, "-o", f"out.{form}"])
    if status:
        assert "Traceback" not in out.getvalue()
        raise ValueError(out.getvalue())


def plan_command(path):
    out = io.StringIO()
    with contextlib.redirect_stderr(out), contextlib.redirect_stdout(out):
        if _cli.main(["plan", path, "--time-limit", "0.1"]):
            raise ValueError(out.getvalue())


def state(path):
    os.replace(path, "checkpoint")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tf.train.latest_checkpoint(".")
        tf.train.CheckpointManager(tf.train.Checkpoint(), ".", 2)


def plan_check(path):
    with contextlib.suppress(AssertionError):
        PLAN.check(path)


def records(compression=None):
    return file_reader(lambda path: list(tf.compat.v1.io.tf_record_iterator(path, compression)))


def made_by(write):
    """The bytes that a writer leaves in a file."""
    write("made")
    with open("made", "rb") as file:
        return file.read()


def write_records(kind):
    def write(path):
        with tf.io.TFRecordWriter(path, kind) as writer:
            for i in range(5):
                writer.write(b"record" * (30 * i))

    return write


def write_checkpoint(path):
    saved = tf.train.Checkpoint(w=tf.Variable(tf.ones([20, 3])), b=tf.Variable([1, 2]))
    os.replace(saved.write("made") + ".safetensors", path)


def write_profile(is_raw):
    def write(path):
        os.environ.pop("PENSTOCK_PROFILE_RAW", None)
        if is_raw:
            os.environ["PENSTOCK_PROFILE_RAW"] = "1"
        with tf.profiler.memory.start(path):
            f = tf.function(lambda x: tf.reduce_sum(x @ x))
            for _ in range(20):
                f(tf.random.normal([20, 20]))

    return write


def member(name):
    """(maker, reader) of one member of a saved profile, with the other members unchanged."""
    members = {}

    def make():
        with zipfile.ZipFile(io.BytesIO(made_by(write_profile(False)))) as file:
            members.update({each: file.read(each) for each in file.namelist()})
        return members[name]

    def read(path):
        with open(path, "rb") as file:
            data = file.read()
        with zipfile.ZipFile(path, "w") as file:
            for each, kept in members.items():
                file.writestr(each, data if each == name else kept)
        report(path)

    return make, file_reader(read)


def write_old_checkpoint(path):
    """Without checksums: every change reaches the reader."""
    graph = [{"children": {"w": 1, "b": 2}}, {"key": "w"}, {"key": "b"}]
    tensors = {"w": tf.ones([20, 3]), "b": tf.constant([1, 2])}
    tf.io.safetensors.save_file(tensors, path, {"penstock.checkpoint": json.dumps(graph)})


def write_safetensors(path):
    tf.io.safetensors.save_file({"w": tf.ones([4]), "flags": tf.constant([True])}, path, {"a": "b"})


def write_events(path):
    writer = tf.summary.create_file_writer("logs")
    with writer.as_default(step=1):
        tf.summary.scalar("loss", 0.5)
        tf.summary.histogram("w", [1.0, 2.0])
    writer.close()
    os.replace(os.path.join("logs", os.listdir("logs")[0]), path)


def write_blocks(path):
    rows = (f"b{i},{i},{i + 5},{100 + i}" for i in range(20))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(["id,lower,upper,size", *rows]) + "\n")


def write_state(path):
    with open(path, "w", encoding="utf-8") as file:
        file.write('model_checkpoint_path: "ckpt-2"\nall_model_checkpoint_paths: "ckpt-2"\n')


def config():
    made = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=2, device_count={"CPU": 1})
    made.gpu_options.per_process_gpu_memory_fraction = 0.5
    made.device_filters.append("x")
    return made.SerializeToString()


def graph():
    with tf.Graph().as_default() as built:
        tf.add(tf.constant(1.0, name="a"), 2.0, name="b")
    return built.as_graph_def().SerializeToString()


def example():
    lists = {
        "i": tf.train.Feature(int64_list=tf.train.Int64List(value=[7, -1])),
        "f": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5])),
        "b": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"text"])),
    }
    return tf.train.Example(features=tf.train.Features(feature=lists)).SerializeToString()


def tensor_proto():
    return tf.io.serialize_tensor(tf.reshape(tf.range(12.0), [3, 4])).numpy()


def listed_proto():
    head = tf.make_tensor_proto(1, tf.int32, [3]).SerializeToString()[:8]
    return head + bytes([0x3A, 3, 1, 2, 3])


def parsed(data):
    return tf.io.parse_tensor(data, tf.float32)


def events(path):
    return [str(event) for event in tf.compat.v1.train.summary_iterator(path)]


PLAN = tf.function(lambda x: tf.exp(x) @ x).memory_plan(tf.TensorSpec([8, 8]))
KINDS = {
    "checkpoint": (lambda: made_by(write_checkpoint), file_reader(checkpoint)),
    "old checkpoint": (lambda: made_by(write_old_checkpoint), file_reader(checkpoint)),
    "state": (lambda: made_by(write_state), file_reader(state)),
    "safetensors": (
        lambda: made_by(write_safetensors),
        file_reader(lambda path: (tf.io.safetensors.load_file(path), _views(path))),
    ),
    "recording": (lambda: made_by(write_profile(True)), file_reader(report)),
    "profile": (lambda: made_by(write_profile(False)), file_reader(report)),
    "profile's tables": member("meta.json"),
    "profile's column": member("site.npy"),
    "profile's samples": member("samples.npy"),
    "plan": (lambda: made_by(PLAN.save), file_reader(plan_check)),
    "blocks": (lambda: made_by(write_blocks), file_reader(plan_command)),
    "records": (lambda: made_by(write_records(None)), records()),
    "gzip": (lambda: made_by(write_records("GZIP")), records("GZIP")),
    "zlib": (lambda: made_by(write_records("ZLIB")), records("ZLIB")),
    "events": (lambda: made_by(write_events), file_reader(events)),
    "ConfigProto": (config, lambda data: str(tf.compat.v1.ConfigProto.FromString(data))),
    "GraphDef": (graph, lambda data: str(tf.compat.v1.GraphDef.FromString(data))),
    "Example": (example, lambda data: str(tf.train.Example.FromString(data))),
    "TensorProto": (tensor_proto, parsed),
    "listed TensorProto": (listed_proto, lambda data: tf.io.parse_tensor(data, tf.int32)),
}


def _views(path):
    return {
        key: each.numpy() for key, each in tf.io.safetensors.load_file(path, copy=False).items()
    }


def run(kind, count, draw):
    """The outcomes of so many mutations of a kind."""
    make, use = KINDS[kind]
    original = make()
    use(original)
    outcomes = collections.Counter()
    for number in range(count):
        data = original
        while data == original:
            data = mutated(original, draw)
        began = time.monotonic()
        try:
            use(data)
            outcomes["read"] += 1
        except (tf.errors.OpError, ValueError) as error:
            outcomes[type(error).__name__] += 1
        except BaseException:
            with open(os.path.join(START, "hostile.bin"), "wb") as file:
                file.write(data)
            print(f"{kind}, mutation {number}: {struct.calcsize('P')} {data[:200]!r}")
            raise
        assert time.monotonic() - began < LIMIT_SECONDS, (kind, number)
    return outcomes


def main(count, seed, *kinds):
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + (3 << 30), resource.RLIM_INFINITY))
    tf.config.set_memory_budget(BUDGET)
    for kind in kinds or KINDS:
        found = run(kind, int(count), random.Random(f"{kind} {seed}"))
        print(kind, dict(found))
        assert sum(found.values()) == int(count)
        # Of a checkpoint no byte may change unseen.
        assert kind != "checkpoint" or found["DataLossError"] == int(count)
    with open("/proc/self/status", encoding="ascii") as file:
        high = next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))
    assert high < 4 * BUDGET, f"{high} bytes were resident"


if __name__ == "__main__":
    START = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            main(*sys.argv[1:])
        except BaseException:
            traceback.print_exc()
            sys.exit(1)
