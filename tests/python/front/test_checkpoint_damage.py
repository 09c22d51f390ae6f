"""Checkpoints that are damaged, cut, old or of a version to come: what is restored is what was
saved, or nothing and an error."""

import json
import os
import random

import numpy as np
import penstock as tf
import pytest

PATH = "run.safetensors"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def training(value):
    """Every kind of variable that a checkpoint stores in a way of its own."""
    return tf.train.Checkpoint(
        w=tf.Variable(tf.fill([50, 7], float(value))),
        steps=tf.Variable([value, value, 3], dtype=tf.int64),
        pairs=tf.Variable(tf.constant([value + 1j], tf.complex128)),
        flags=tf.Variable([bool(value), False]),
        nothing=tf.Variable(tf.zeros([0, 3])),
    )


def read(path="run"):
    """Restores all, and says whether it is what was saved."""
    target = training(0)
    try:
        target.read(path).assert_existing_objects_matched()
    except tf.errors.DataLossError:
        # Whatever was found: nothing has changed.
        assert not target.w.numpy().any()
        assert not target.steps.numpy()[0]
        assert not target.flags.numpy().any()
        raise
    return (target.w.numpy() == 1).all() and target.pairs.numpy()[0] == 1 + 1j


def flipped(data, bit):
    data = bytearray(data)
    data[bit // 8] ^= 1 << bit % 8
    return bytes(data)


def write(data):
    with open(PATH, "wb") as file:
        file.write(data)


def saved():
    training(1).write("run")
    with open(PATH, "rb") as file:
        return file.read()


def test_a_flipped_bit_is_data_loss_wherever_it_is():
    data = saved()
    assert read()
    # All over the header and each kind of data, and anywhere.
    places = [8 * byte + byte % 8 for byte in range(0, len(data), 4)]
    places += [random.Random(0).randrange(8 * len(data)) for _ in range(200)]
    for bit in places:
        write(flipped(data, bit))
        with pytest.raises(tf.errors.DataLossError):
            read()


def test_a_file_that_is_too_short_or_too_long_is_data_loss():
    data = saved()
    for length in (0, 3, 8, 100, len(data) // 2, len(data) - 1):
        write(data[:length])
        with pytest.raises(tf.errors.DataLossError):
            read()
    write(data + b"\0")
    with pytest.raises(tf.errors.DataLossError):
        read()


def test_single_tensors_and_savers_check_too():
    data = saved()
    write(flipped(data, 8 * len(data) - 5))  # the last two bytes are the bools
    reader = tf.train.load_checkpoint("run")
    assert reader.get_tensor("w/.ATTRIBUTES/VARIABLE_VALUE").shape == (50, 7)
    with pytest.raises(tf.errors.DataLossError, match="flags"):
        reader.get_tensor("flags/.ATTRIBUTES/VARIABLE_VALUE")
    del reader
    v = tf.Variable([1.0, 2.0], name="v")
    saver = tf.compat.v1.train.Saver([v])
    path = saver.save(None, "v")
    with open(path + ".safetensors", "r+b") as file:
        file.seek(-3, 2)
        file.write(b"\x55")
    v.assign([0.0, 0.0])
    with pytest.raises(tf.errors.DataLossError):
        saver.restore(None, path)
    assert not v.numpy().any()


def test_old_files_are_read():
    """Version 1: without checksums, the graph under another key."""
    names = ["w", "steps", "pairs", "flags", "nothing"]
    graph = [{"children": {name: i for i, name in enumerate(names, start=1)}}]
    graph += [{"key": name} for name in names]
    graph[3]["dtype"] = "complex128"
    from_now = training(1)
    tensors = {name: getattr(from_now, name) for name in names}
    tensors["pairs"] = tf.constant([[1.0, 1.0]], tf.float64)
    tf.io.safetensors.save_file(tensors, PATH, {"penstock.checkpoint": json.dumps(graph)})
    assert read()


def test_a_file_of_a_later_version_says_so():
    from penstock.train import _format

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_format, "_VERSION", "3")
        training(1).write("run")
    with pytest.raises(tf.errors.UnimplementedError, match="version 3; this penstock reads 2"):
        read()


def test_other_programs_can_read_the_file():
    saved()
    tensors = tf.io.safetensors.load_file(PATH)
    assert (tensors["w/.ATTRIBUTES/VARIABLE_VALUE"].numpy() == 1).all()


def test_a_file_that_is_cut_while_it_is_open_is_data_loss(monkeypatch):
    """It used to be mapped, and the process ended with SIGBUS."""
    from penstock.train import _format

    v = tf.Variable(tf.ones([1 << 18]))
    checkpoint = tf.train.Checkpoint(v=v)
    checkpoint.write("run")
    check = _format.CheckpointFile.check
    for cuts_before in (True, False):
        checkpoint.write("run")

        def cutting(file, keys, cuts_before=cuts_before):
            keys = list(keys)
            if not cuts_before:
                check(file, keys)
            os.truncate(PATH, 5000)
            if cuts_before:
                check(file, keys)

        monkeypatch.setattr(_format.CheckpointFile, "check", cutting)
        with pytest.raises(tf.errors.DataLossError, match="shorter"):
            checkpoint.read("run")
        monkeypatch.setattr(_format.CheckpointFile, "check", check)


def test_views_of_a_file_that_is_cut_read_as_zeros():
    tf.io.safetensors.save_file({"w": tf.ones([1 << 16])}, PATH)
    w = tf.io.safetensors.load_file(PATH, copy=False)["w"]
    assert float(tf.reduce_sum(w[:10])) == 10
    os.truncate(PATH, 8192)
    assert float(tf.reduce_sum(w)) < 2048


def test_restoring_takes_no_second_copy():
    v = tf.Variable(tf.ones([1 << 20]))
    checkpoint = tf.train.Checkpoint(v=v)
    checkpoint.write("run")
    v.assign(tf.zeros([1 << 20]))
    tf.config.experimental.reset_memory_stats("CPU:0")
    held = tf.config.experimental.get_memory_info("CPU:0")["current"]
    checkpoint.read("run")
    assert tf.config.experimental.get_memory_info("CPU:0")["peak"] - held < 1 << 16
    assert (v.numpy() == 1).all()


def test_a_value_that_somebody_holds_stays():
    v = tf.Variable([1.0, 2.0])
    checkpoint = tf.train.Checkpoint(v=v)
    checkpoint.write("run")
    v.assign([3.0, 4.0])
    before = v.value()
    checkpoint.read("run")
    assert before.numpy().tolist() == [3.0, 4.0]
    assert v.numpy().tolist() == [1.0, 2.0]


def test_crc32c_of_records():
    """The checksums that TensorFlow writes, masked."""
    with tf.io.TFRecordWriter("a.tfrecord") as writer:
        writer.write(b"")
        writer.write(b"penstock" * 1000)
    with open("a.tfrecord", "rb") as file:
        data = file.read()
    assert data[:16].hex() == "0000000000000000" + "29039807" + "d8ea82a2"
    assert (data[24:28].hex(), data[-4:].hex()) == ("4f9e0b40", "4a6da800")
    for bit in range(8 * 16, 8 * 80):
        with open("b.tfrecord", "wb") as file:
            file.write(flipped(data, bit))
        with pytest.raises(tf.errors.DataLossError):
            list(tf.compat.v1.io.tf_record_iterator("b.tfrecord"))


def test_safetensors_checks_its_header():
    """The format has no checksums: the reader checks the header, and accepts any data."""
    tf.io.safetensors.save_file({"w": tf.ones([4]), "i": tf.range(3)}, PATH)
    with open(PATH, "rb") as file:
        data = file.read()
    start = 8 + int.from_bytes(data[:8], "little")
    for bit in range(8 * start):
        write(flipped(data, bit))
        try:
            found = tf.io.safetensors.load_file(PATH)
        except (tf.errors.DataLossError, tf.errors.InvalidArgumentError):
            continue
        assert sum(np.asarray(each).nbytes for each in found.values()) == len(data) - start
