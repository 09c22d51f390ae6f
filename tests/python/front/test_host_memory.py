"""The budget holds for what Python makes on the way to a tensor, too: nothing is taken that it does
not allow. Each call runs in a process of its own, whose largest resident size is looked at."""

import subprocess
import sys
import textwrap

import penstock as tf
import pytest

BUDGET = 32 << 20
SLACK = 24 << 20  # for modules that are loaded on first use, besides the budget

PROGRAM = """\
import gzip, struct
import numpy as np
import penstock as tf
from penstock._proto import protobuf as _protobuf

def highest():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))

def tensor_proto(size, *rest):
    dim = _protobuf.bytes_field(2, _protobuf.number_field(1, size))
    head = _protobuf.number_field(1, 1) + _protobuf.bytes_field(2, dim)
    return head + b"".join(rest)

def zeros_file(path, size):
    with open(path, "wb") as file:
        file.truncate(size)
    return path

tf.config.set_memory_budget({budget})
tf.eye(2), tf.io.parse_tensor(tensor_proto(3), tf.float32)
{setup}
before = highest()
try:
    {call}
    print("allowed")
except tf.errors.ResourceExhaustedError as error:
    print("refused", *str(error).split("[Op:")[1:])
print(highest() - before)
"""

LONG_RECORD = """\
from penstock.io._records import masked_crc
length = (1 << 30).to_bytes(8, "little")
with gzip.open("bomb", "wb", compresslevel=1) as file:
    file.write(length + masked_crc(length))
    for _ in range(1024):
        file.write(bytes(1 << 20))
"""

CALLS = {
    "eye": ("", "tf.eye(20000)"),
    "eye of a batch": ("", "tf.eye(2000, batch_shape=[100])"),
    "a long eye": ("", "tf.eye(2, 2**28)"),
    "Identity": ("", "tf.initializers.Identity()([20000, 20000])"),
    "identity_initializer": (
        "",
        "tf.compat.v1.initializers.identity()([20000, 20000])",
    ),
    "constant_initializer": ("", "tf.compat.v1.constant_initializer([1.0, 2.0])([10**8])"),
    "constant_initializer of one": ("", "tf.compat.v1.constant_initializer([1.0])([10**8])"),
    "constant of a graph": (
        "graph = tf.Graph().as_default(); graph.__enter__()",
        "tf.compat.v1.constant([1.0, 2.0], shape=[10**8])",
    ),
    "an array that is cast": ("x = np.zeros(8 << 20, np.int8)", "tf.constant(x, tf.float64)"),
    "an array of one value that is cast": (
        "x = np.broadcast_to(np.int64(1), [10**9])",
        "tf.constant(x, tf.int32)",
    ),
    "a list of arrays": ("x = np.broadcast_to(1.0, [10**4, 10**4])", "tf.constant([x, x])"),
    "a list of an array and numbers": (
        "x = np.broadcast_to(np.float16(1), [10**8])",
        "tf.constant([x, x, x], tf.float16)",
    ),
    "a range": ("", "tf.constant(range(10**9))"),
    "ranges": ("", "tf.constant([range(10**8), range(10**8)])"),
    "a range that is fed": (
        "graph = tf.Graph().as_default(); graph.__enter__()\n"
        "x = tf.compat.v1.placeholder(tf.float32); y = x + 1; sess = tf.compat.v1.Session()\n"
        "sess.run(y, {x: 1.0})",
        "sess.run(y, {x: range(10**8)})",
    ),
    "arrays that are fed": (
        "graph = tf.Graph().as_default(); graph.__enter__()\n"
        "x = tf.compat.v1.placeholder(tf.float32); y = x + 1; sess = tf.compat.v1.Session()\n"
        "sess.run(y, {x: 1.0}); rows = np.broadcast_to(1.0, [10**8])",
        "sess.run(y, {x: [rows, rows]})",
    ),
    "what a numpy_function gets": (
        "x = tf.ones([20 << 18]); f = tf.function(\n"
        "    lambda x: tf.numpy_function(lambda x: x[:2], [x], tf.float32))\n"
        "f(x[:3])",
        "f(x)",
    ),
    "a shape without an end": ("", "tf.reshape([1.0], range(10**9))"),
    "axes without an end": (
        "x = np.broadcast_to(np.int64(0), [10**9])",
        "tf.raw_ops.Sum(input=[1.0], axis=x)",
    ),
    "an array of one value": ("x = np.broadcast_to(1.0, [10**9])", "tf.constant(x)"),
    "read_file": ('zeros_file("long", 1 << 30)', 'tf.io.read_file("long")'),
    "read_file without an end": ("", 'tf.io.read_file("/dev/zero")'),
    "parse_tensor": ("data = tensor_proto(2**28)", "tf.io.parse_tensor(data, tf.float32)"),
    "parse_tensor of texts": (
        "data = bytes([8, 7]) + tensor_proto(2**28)[2:]",
        "tf.io.parse_tensor(data, tf.string)",
    ),
    "an array of one text": ("x = np.broadcast_to('a', [10**8])", "tf.constant(x)"),
    "parse_tensor of a value": (
        "data = tensor_proto(2**28, _protobuf.bytes_field(5, struct.pack('<2f', 1, 2)))",
        "tf.io.parse_tensor(data, tf.float32)",
    ),
    "make_tensor_proto": ("", "tf.make_tensor_proto([1.0, 2.0], shape=[10**8])"),
    "serialize_tensor": (
        "x = tf.ones([6 << 20], tf.float32)",
        "tf.io.serialize_tensor(x)",
    ),
    "mel": ("", "tf.signal.linear_to_mel_weight_matrix(4000, 10000)"),
    "histogram": (
        "tf.config.set_memory_budget(64 << 20); x = tf.ones([48 << 20], tf.uint8)\n"
        "writer = tf.summary.create_file_writer('logs'); writer.set_as_default(step=1)",
        "tf.summary.histogram('x', x)",
    ),
    "a compressed record": (LONG_RECORD, "list(tf.compat.v1.io.tf_record_iterator('bomb', 2))"),
    "a long record": (
        "from penstock.io._records import masked_crc\n"
        "length = (1 << 30).to_bytes(8, 'little')\n"
        "open(zeros_file('long', 2 << 30), 'r+b').write(length + masked_crc(length))",
        "list(tf.compat.v1.io.tf_record_iterator('long'))",
    ),
    "a safetensors file": (
        'head = b\'{"w":{"dtype":"F32","shape":[268435456],"data_offsets":[0,1073741824]}}\'\n'
        "size = len(head) + 8 + (1 << 30)\n"
        "open(zeros_file('a', size), 'r+b').write(len(head).to_bytes(8, 'little') + head)",
        "tf.io.safetensors.load_file('a')",
    ),
    "a jacobian": (
        "tape = tf.GradientTape(); tape.__enter__()\n"
        "x = tf.Variable(tf.ones([2 << 20])); y = x * 2.0",
        "tape.jacobian(y, x)",
    ),
}


def run(setup, call, folder):
    program = PROGRAM.format(budget=BUDGET, setup=setup, call=call)
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    answer, grown = done.stdout.splitlines()[-2:]
    return answer, int(grown)


@pytest.mark.parametrize("name", CALLS)
def test_nothing_is_taken_that_the_budget_does_not_allow(name, tmp_path):
    answer, grown = run(*CALLS[name], tmp_path)
    assert answer.startswith("refused")
    assert grown < 2 * BUDGET + SLACK


def test_what_fits_is_made():
    """The same calls, of sizes that are fine."""
    assert tf.eye(300).numpy().sum() == 300
    assert tf.eye(2, 3, [2]).numpy().tolist() == [[[1, 0, 0], [0, 1, 0]]] * 2
    assert tf.eye(3, 1, dtype=tf.bool).numpy().tolist() == [[True], [False], [False]]
    assert tf.eye(0).shape == (0, 0)
    filled = tf.compat.v1.constant_initializer([1.0, 2.0])([2, 100_000]).numpy()
    assert (filled[0, 0], filled.reshape(-1)[1:].min(), filled.sum()) == (1, 2, 399_999)
    assert tf.make_ndarray(tf.make_tensor_proto([1, 2], shape=[2, 2])).tolist() == [[1, 2], [2, 2]]


def test_what_was_booked_is_given_back(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(bytes(5 << 20))
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    text = tf.io.read_file(str(path))
    held = tf.config.experimental.get_memory_info("CPU:0")["current"] - before
    assert 5 << 20 <= held < (5 << 20) + 1000
    assert len(text.numpy()) == 5 << 20


def test_refusals_name_who_asked(tmp_path):
    answer, _ = run(*CALLS["read_file"], tmp_path)
    assert answer == "refused ReadFile]"
