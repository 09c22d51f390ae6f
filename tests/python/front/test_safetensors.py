"""tf.io.safetensors: the format to the byte, and nothing that a file can say does harm."""

import errno
import json
import os
import random

import numpy as np
import penstock as tf
import pytest
from penstock._base import files

st = tf.io.safetensors
DAMAGE = (tf.errors.DataLossError, tf.errors.InvalidArgumentError)
DTYPES = [
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
    "float16", "bfloat16", "float32", "float64", "complex64",
]  # fmt: skip


def some_tensors():
    tensors = {name: tf.cast([[0, 1, 2], [3, 4, 5]], name) for name in DTYPES}
    return tensors | {"scalar": tf.constant(2.5), "empty": tf.zeros([0, 4]), "é\n": tf.constant(1)}


def assert_same(first, second):
    assert set(first) == set(second)
    for name, tensor in first.items():
        assert tensor.dtype is second[name].dtype
        np.testing.assert_array_equal(tensor, second[name])
        assert tensor.shape == second[name].shape


@pytest.mark.parametrize("copy", [True, False])
def test_round_trip(tmp_path, copy):
    path = tmp_path / "x.safetensors"
    st.save_file(some_tensors(), path, metadata={"a": "b"})
    assert_same(some_tensors(), st.load_file(path, copy=copy))
    assert_same(some_tensors(), st.load(path.read_bytes()))
    assert st.save(some_tensors(), {"a": "b"}) == path.read_bytes()
    with st.safe_open(path) as file:
        assert file.metadata() == {"a": "b"}
        assert set(file.keys()) == set(some_tensors())
        with pytest.raises(tf.errors.NotFoundError, match="no tensor 'z'"):
            file.get_tensor("z")
    assert os.listdir(tmp_path) == ["x.safetensors"]


def test_the_bytes(tmp_path):
    data = st.save({"b": tf.constant([True]), "a": tf.Variable([1.0, 2.0])}, {"k": "v"})
    length = int.from_bytes(data[:8], "little")
    assert (8 + length) % 64 == 0
    assert json.loads(data[8 : 8 + length]) == {
        "__metadata__": {"k": "v"},
        "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
        "b": {"dtype": "BOOL", "shape": [1], "data_offsets": [8, 9]},
    }
    assert data[8 + length :] == np.float32([1, 2]).tobytes() + b"\1"


def test_loaded_tensors_are_ordinary(tmp_path):
    path = tmp_path / "x.safetensors"
    st.save_file({"a": tf.ones([1000])}, path)
    tf.config.experimental.reset_memory_stats("CPU:0")
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    tensor = st.load_file(path)["a"]
    peak = tf.config.experimental.get_memory_info("CPU:0")["peak"]
    assert peak - before < 4100  # the file is read into the tensor's own memory
    st.save_file({"a": tf.zeros([1000])}, path)
    assert float(tf.reduce_sum(tensor)) == 1000
    shared = st.load_file(path, copy=False)["a"]
    os.unlink(path)
    assert float(tf.reduce_sum(shared)) == 0


def made(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def entry(dtype="F32", shape=(1,), offsets=(0, 4)):
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


DAMAGED = [
    b"",
    b"1234567",
    made({}, length=2**63),
    made({}, length=200_000_000),
    made({}, length=3),
    made(b"[]"),
    made(b" {}"),
    made(b"{"),
    made(b"\xff\xfe"),
    made(b"[" * 100_000),
    made(b'{"a":' * 100_000),
    made({"a": 1}, b"1234"),
    made({"a": entry()}, b"123"),
    made({"a": entry()}, b"12345"),
    made({"a": entry(), "b": entry()}, b"1234"),
    made({"a": entry(), "b": entry(offsets=(2, 6))}, b"123456"),
    made({"a": entry(), "b": entry(offsets=(5, 9))}, b"123456789"),
    made({"a": entry(offsets=(4, 8))}, b"12345678"),
    made({"a": entry(offsets=(4, 0))}, b"1234"),
    made({"a": entry(offsets=(0, 4, 8))}, b"1234"),
    made({"a": entry(shape=(2,))}, b"1234"),
    made({"a": entry(shape=(-1,), offsets=(0, -4))}),
    made({"a": entry(shape=(1.0,))}, b"1234"),
    made({"a": entry(shape=(True,))}, b"1234"),
    made({"a": entry(shape=None)}, b"1234"),
    made({"a": entry(shape=(2**40, 2**40), offsets=(0, 2**82))}),
    made({"a": entry(shape=(0, 2**62, 2**62), offsets=(0, 0))}),
    made({"a": entry(shape=(0, 2**63), offsets=(0, 0))}),
    made({"a": entry(shape=(1,) * 9)}, b"1234"),
    made({"a": entry("F8_E4M3", offsets=(0, 1))}, b"1"),
    made({"a": entry("STRING")}, b"1234"),
    made({"a": entry(["F32"])}, b"1234"),
    made({"a": entry() | {"more": 1}}, b"1234"),
    made({"a": {"dtype": "F32", "shape": [1]}}, b"1234"),
    made({"__metadata__": {"a": 1}}),
    made({"__metadata__": []}),
    made(b'{"a":%s,"a":%s}' % ((json.dumps(entry()).encode(),) * 2), b"1234"),
    made(b'{"a":{"dtype":"F32","shape":[' + b"9" * 5000 + b'],"data_offsets":[0,4]}}', b"1234"),
]


@pytest.mark.parametrize("number", range(len(DAMAGED)))
def test_damaged_files(tmp_path, number):
    data = DAMAGED[number]
    with pytest.raises(DAMAGE):
        st.load(data)
    path = tmp_path / "x.safetensors"
    path.write_bytes(data)
    with pytest.raises(DAMAGE):
        st.load_file(path)


def test_any_damage_is_an_error_or_another_value(tmp_path):
    whole = st.save({"a": tf.ones([3]), "b": tf.constant([True, False])}, {"k": "v"})
    for end in range(len(whole)):
        with pytest.raises(DAMAGE):
            st.load(whole[:end])
    chance = random.Random(0)
    for _ in range(2000):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            for tensor in st.load(bytes(data)).values():
                tensor.numpy()
        except DAMAGE:
            pass


def test_bools_are_0_or_1(tmp_path):
    path = tmp_path / "x.safetensors"
    path.write_bytes(made({"a": entry("BOOL", (3,), (0, 3))}, b"\0\2\xff"))
    for loaded in (st.load_file(path), st.load_file(path, copy=False), st.load(path.read_bytes())):
        assert int(tf.reduce_sum(tf.cast(loaded["a"], tf.int32))) == 2


def test_unaligned_tensors(tmp_path):
    path = tmp_path / "x.safetensors"
    tensors = {"a": entry("U8", (1,), (0, 1)), "b": entry("F32", (1,), (1, 5))}
    path.write_bytes(made(tensors, b"\7" + np.float32(1.5).tobytes()))
    for copy in (True, False):
        loaded = st.load_file(path, copy=copy)
        assert (int(loaded["a"][0]), float(loaded["b"][0])) == (7, 1.5)


def test_refusals(tmp_path):
    with pytest.raises(tf.errors.InvalidArgumentError, match="'s' is string"):
        st.save({"s": tf.constant("a")})
    with pytest.raises(tf.errors.InvalidArgumentError, match="complex128"):
        st.save({"s": tf.constant(1j)})
    with pytest.raises(tf.errors.InvalidArgumentError, match="__metadata__"):
        st.save({"__metadata__": tf.constant(1.0)})
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unicode"):
        st.save({"\ud800": tf.constant(1.0)})
    with pytest.raises(TypeError):
        st.save({1: tf.constant(1.0)})
    with pytest.raises(TypeError):
        st.save({"a": tf.constant(1.0)}, {"a": 1})
    with pytest.raises(TypeError):
        st.save([tf.constant(1.0)])
    with pytest.raises(tf.errors.NotFoundError):
        st.load_file(tmp_path / "none")
    with pytest.raises(tf.errors.NotFoundError):
        st.save_file({}, tmp_path / "none" / "x")
    with pytest.raises(tf.errors.FailedPreconditionError):
        st.save_file({}, tmp_path)
    with pytest.raises(tf.errors.FailedPreconditionError):
        st.load_file(tmp_path)


@pytest.mark.parametrize("unnamed", [True, False])
def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch, unnamed):
    if not unnamed:  # not every file system has files without names
        monkeypatch.setattr(files, "_can_name_later", lambda folder: False)
    path = tmp_path / "x.safetensors"
    st.save_file({"a": tf.constant(0.0)}, path)
    os.symlink(path, tmp_path / "link")
    st.save_file({"a": tf.constant(1.0)}, tmp_path / "link")

    def full(file, data):
        raise OSError(errno.ENOSPC, "")

    with monkeypatch.context() as patch:
        patch.setattr(st, "_write_all", full)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left"):
            st.save_file({"a": tf.constant(2.0)}, path)
    assert float(st.load_file(path)["a"]) == 1
    assert sorted(os.listdir(tmp_path)) == ["link", "x.safetensors"]
