"""tf.io: files, tf.io.gfile, serialized tensors, records and tf.train.Example."""

import contextlib
import gzip
import os
import random
import struct
import zlib

import numpy as np
import penstock as tf
import pytest

gfile = tf.io.gfile
errors = tf.errors


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(path, text="abc"):
    tf.io.write_file(path, text)
    return path


def test_whole_files():
    write("x/y/z")
    assert tf.io.read_file(tf.constant("x/y/z")).numpy() == b"abc"
    write("x/a", b"\0\xff")
    assert tf.io.decode_raw(tf.io.read_file("x/a"), tf.uint8).numpy().tolist() == [0, 255]
    assert tf.io.matching_files(["x/*", "x/*/z", "none*"]).numpy().tolist() == [
        b"x/a",
        b"x/y",
        b"x/y/z",
    ]
    assert tf.io.matching_files("none*").shape == [0]
    assert tf.io.decode_base64(tf.io.encode_base64("hi")).numpy() == b"hi"


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (errors.NotFoundError, lambda: tf.io.read_file("none")),
        (errors.FailedPreconditionError, lambda: tf.io.read_file(".")),
        (errors.InvalidArgumentError, lambda: tf.io.read_file(["a"])),
        (TypeError, lambda: tf.io.read_file(3)),
        (TypeError, lambda: tf.io.write_file("f", 3)),
        (errors.InvalidArgumentError, lambda: tf.io.write_file("f", ["a"])),
        (errors.FailedPreconditionError, lambda: tf.io.write_file("file/x", "a")),
        (errors.NotFoundError, lambda: gfile.listdir("none")),
        (errors.NotFoundError, lambda: gfile.listdir("file")),
        (errors.NotFoundError, lambda: gfile.mkdir("a/b/c")),
        (errors.FailedPreconditionError, lambda: gfile.makedirs("file/b")),
        (errors.FailedPreconditionError, lambda: gfile.makedirs("file")),
        (errors.NotFoundError, lambda: gfile.remove("none")),
        (errors.FailedPreconditionError, lambda: gfile.remove("folder")),
        (errors.NotFoundError, lambda: gfile.rename("none", "n")),
        (errors.AlreadyExistsError, lambda: gfile.rename("file", "other")),
        (errors.AlreadyExistsError, lambda: gfile.copy("file", "other")),
        (errors.NotFoundError, lambda: gfile.copy("none", "n")),
        (errors.NotFoundError, lambda: gfile.rmtree("none")),
        (errors.NotFoundError, lambda: gfile.stat("none")),
        (errors.InvalidArgumentError, lambda: gfile.exists("a\0b")),
        (errors.InvalidArgumentError, lambda: gfile.GFile("file", "z")),
        (errors.NotFoundError, lambda: gfile.GFile("none").read()),
        (errors.NotFoundError, lambda: gfile.GFile("none/none", "w").write("a")),
        (errors.PermissionDeniedError, lambda: gfile.GFile("file").write("a")),
        (errors.PermissionDeniedError, lambda: gfile.GFile("file", "w").read()),
        (errors.InvalidArgumentError, lambda: gfile.GFile("file").seek(-1)),
        (errors.OutOfRangeError, lambda: gfile.GFile("file").seek(99)),
        (errors.NotFoundError, lambda: tf.io.TFRecordWriter("none/r")),
        (ValueError, lambda: tf.io.TFRecordWriter("r", "ZIP")),
        (TypeError, lambda: tf.io.TFRecordWriter("r").write(3)),
    ],
)
def test_errors(error, call):
    write("file")
    write("other")
    gfile.mkdir("folder")
    with pytest.raises(error):
        call()


def test_folders():
    gfile.makedirs("x/y")
    gfile.mkdir("x")
    write("x/y/z")
    assert (gfile.exists("x"), gfile.exists(b"x/n"), gfile.isdir("x"), gfile.isdir("x/y/z")) == (
        True,
        False,
        True,
        False,
    )
    assert gfile.listdir("x/") == ["y"]
    assert list(gfile.walk("x")) == [("x", ["y"], []), ("x/y", [], ["z"])]
    assert [top for top, _, _ in gfile.walk("x", topdown=False)] == ["x/y", "x"]
    assert list(gfile.walk("none")) == []
    write(".hidden")
    assert gfile.glob("*") == ["./.hidden", "./x"]
    assert gfile.glob(["x/*/?", "x/[a-y]"]) == ["x/y/z", "x/y"]
    assert gfile.join("a", "b") == "a/b"
    gfile.copy("x/y/z", "z2")
    gfile.rename("z2", "x/y/z", overwrite=True)
    found = gfile.stat("x/y/z")
    assert (found.length, found.is_directory) == (3, False)
    gfile.remove(".hidden")
    gfile.rmtree("x")
    assert gfile.listdir(".") == []


def test_open_files():
    with gfile.GFile("t", "w") as file:
        file.write("héllo\nworld\nx")
    file = gfile.GFile("t")
    assert (file.name, file.mode, file.size()) == ("t", "r", 14)
    assert (file.readline(), file.tell(), file.read(3)) == ("héllo\n", 7, "wor")
    assert file.readlines() == ["ld\n", "x"]
    file.seek(0)
    assert file.read(2) == "hé"
    file.close()
    assert list(gfile.GFile("t", "rb")) == [b"h\xc3\xa9llo\n", b"world\n", b"x"]
    with gfile.GFile("t", "a") as file:
        file.write(b"yy")
        file.flush()
        assert file.tell() == 16
    assert gfile.GFile("t", "rb").read()[-3:] == b"xyy"


DTYPES = [dtype for dtype in tf.dtypes._ALL if dtype is not tf.string]


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_serialized_tensors(dtype):
    for shape in ([2, 3], [], [0, 2]):
        tensor = tf.cast(tf.reshape(tf.range(np.prod(shape)), shape), dtype)
        again = tf.io.parse_tensor(tf.io.serialize_tensor(tensor), dtype)
        np.testing.assert_array_equal(tensor, again)
        assert again.shape == shape


def test_serialized_as_tensorflow_does():
    """What TensorFlow wrote, or wrote by make_tensor_proto: lists, the last value repeated."""
    known = {
        b'\x08\x01\x12\x08\x12\x02\x08\x01\x12\x02\x08\x02"\x08\0\0\x80?\0\0\0@': [[1.0, 2.0]],
        b"\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x03bcd": [b"a", b"bcd"],
        b'\x08\x0e\x12\x04\x12\x02\x08\x01"\x02\xc0?': [1.5],
        b"\x08\x01\x12\x06\x12\x00\x12\x02\x08\x03": [],
    }
    for data, values in known.items():
        dtype = tf.as_dtype(data[1])
        assert tf.io.parse_tensor(data, dtype).numpy().tolist() == values
        tensor = tf.constant(values, dtype, [0, 3] if not values else None)
        assert tf.io.serialize_tensor(tensor).numpy() == data
    repeated = b"\x08\x03\x12\x04\x12\x02\x08\x03:\x01\x05"
    assert tf.io.parse_tensor(repeated, tf.int32).numpy().tolist() == [5, 5, 5]
    negative = b"\x08\x09\x12\x00P" + b"\xff" * 9 + b"\x01"
    assert tf.io.parse_tensor(negative, tf.int64).numpy() == -1
    half = b"\x08\x13\x12\x00h\x80\x80\x03"
    assert tf.io.parse_tensor(half, tf.float16).numpy() == -2.0


def test_damaged_tensors():
    for bad in (b"", b"zzz", b"\x08\x63", b"\x08\x01\x12\x0b\x12\x09\x08" + b"\xff" * 7 + b"\x7f"):
        with pytest.raises(errors.InvalidArgumentError):
            tf.io.parse_tensor(bad, tf.float32)
    with pytest.raises(errors.InvalidArgumentError, match="Type mismatch"):
        tf.io.parse_tensor(tf.io.serialize_tensor(1), tf.float32)
    with pytest.raises(errors.InvalidArgumentError, match="scalar"):
        tf.io.parse_tensor(["a"], tf.float32)
    whole = tf.io.serialize_tensor([[1, 2], [3, 4]]).numpy()
    chance = random.Random(0)
    for _ in range(1000):
        data = bytearray(whole)
        data[chance.randrange(len(data))] = chance.randrange(256)
        with contextlib.suppress(errors.InvalidArgumentError):
            tf.io.parse_tensor(bytes(data), tf.int32)


RECORD = b"\x05\0\0\0\0\0\0\0\xea\xb2\x04>hello\xbb\x1f\x1c\x19"


def test_records():
    with tf.io.TFRecordWriter("r") as writer:
        writer.write(b"hello")
        writer.flush()
        assert gfile.stat("r").length == len(RECORD)
        writer.write("hello")
    with open("r", "rb") as file:
        assert file.read() == RECORD * 2
    with pytest.raises(errors.FailedPreconditionError, match="closed"):
        writer.write(b"a")
    # The checksum of a long record is put together from many pieces.
    for length, crc in ((4095, b"J4:\x82"), (4096, b"\x99;\xc1t"), (100_003, b"\xb5\xec\xcdD")):
        with tf.io.TFRecordWriter("long") as writer:
            writer.write(b"0" * length)
        with open("long", "rb") as file:
            assert file.read()[-4:] == crc
    options = tf.io.TFRecordOptions("ZLIB", compression_level=9)
    for name, how, expand in (("g", "GZIP", gzip.decompress), ("z", options, zlib.decompress)):
        with tf.io.TFRecordWriter(name, how) as writer:
            writer.write(b"hello")
        with open(name, "rb") as file:
            assert expand(file.read()) == RECORD


def some_example():
    train = tf.train
    return train.Example(
        features=train.Features(
            feature={
                "c": train.Feature(bytes_list=train.BytesList(value=[b"x", b""])),
                "b": train.Feature(float_list=train.FloatList(value=[1.5])),
                "a": train.Feature(int64_list=train.Int64List(value=[1, -2, np.int64(300)])),
            }
        )
    )


def test_examples():
    example = some_example()
    data = example.SerializeToString()
    assert data == (
        b"\n5\n\x16\n\x01a\x12\x11\x1a\x0f\n\r\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\xac\x02"
        b"\n\r\n\x01b\x12\x08\x12\x06\n\x04\x00\x00\xc0?\n\x0c\n\x01c\x12\x07\n\x05\n\x01x\n\x00"
    )
    again = tf.train.Example.FromString(data)
    assert again == example
    feature = again.features.feature
    assert feature["a"].int64_list.value == [1, -2, 300]
    assert feature["a"].WhichOneof("kind") == "int64_list"
    assert feature["c"].bytes_list.value[0] == b"x"
    assert feature["new"].WhichOneof("kind") is None
    feature["new"].float_list.value.append(0.1)
    assert str(feature["new"]) == "float_list {\n  value: 0.1\n}\n"
    other = tf.train.Example()
    assert other.ParseFromString(again.SerializeToString()) == again.ByteSize()
    assert other.features.feature["new"].float_list.value == list(np.float32([0.1]))
    # Lists that are not packed are read as well.
    unpacked = b"\x0d" + struct.pack("<f", 2.0)
    assert tf.train.FloatList.FromString(unpacked * 2).value == [2.0, 2.0]


def test_refusals_of_examples():
    train = tf.train
    for error, call in (
        (TypeError, lambda: train.BytesList(value=["s"])),
        (TypeError, lambda: train.Int64List(value=[1.5])),
        (TypeError, lambda: train.Int64List(value=[True])),
        (ValueError, lambda: train.Int64List(value=[2**63])),
        (TypeError, lambda: train.FloatList(value=["a"])),
        (ValueError, lambda: train.Feature(x=1)),
        (TypeError, lambda: train.Feature(float_list=[1.0])),
        (TypeError, lambda: train.Features(feature={"a": 1})),
        (ValueError, lambda: train.Example.FromString(b"zzz")),
        (ValueError, lambda: train.Feature().HasField("a")),
    ):
        with pytest.raises(error):
            call()
    whole = some_example().SerializeToString()
    chance = random.Random(0)
    for _ in range(1000):
        data = bytearray(whole)
        data[chance.randrange(len(data))] = chance.randrange(256)
        with contextlib.suppress(ValueError):
            train.Example.FromString(bytes(data))


def test_missing_names_are_missing():
    assert not hasattr(tf.io, "VarLenFeature")
    assert "safetensors" in dir(tf.io)
    assert os.listdir(".") == []
