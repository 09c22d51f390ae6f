"""tf.summary and tf.compat.v1.summary: event files, read back record by record."""

import struct
import zlib

import numpy as np
import penstock as tf
import pytest

v1 = tf.compat.v1


def events(folder):
    """All events of a folder but the first of every file, which says what the file is."""
    found = []
    for path in sorted(folder.iterdir()):
        first, *rest = v1.train.summary_iterator(str(path))
        assert first.file_version == "brain.Event:2"
        found += rest
    return found


def pixels(png):
    """The elements of a PNG file whose rows have no filter."""
    at, data = 8, b""
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        (check,) = struct.unpack(">I", png[at + 8 + length : at + 12 + length])
        assert check == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        data += body if kind == b"IDAT" else b""
        at += 12 + length
    assert png[:4] == b"\x89PNG"
    assert depth == 8
    channels = {0: 1, 4: 2, 2: 3, 6: 4}[colour]
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, -1)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, channels)


def test_scalars_of_a_training_loop(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path), max_queue=2)
    step = tf.Variable(0, dtype=tf.int64)
    with writer.as_default(step=step), tf.name_scope("train"):
        for _ in range(3):
            assert tf.summary.scalar("loss", 1 / (1 + step))
            step.assign_add(1)
    assert not tf.summary.scalar("loss", 1.0, step=0)  # no writer is the default
    found = events(tmp_path)
    assert [event.step for event in found] == [0, 1, 2]
    values = [event.summary.value[0] for event in found]
    assert {value.tag for value in values} == {"train/loss"}
    assert [float(tf.make_ndarray(value.tensor)) for value in values] == pytest.approx(
        [1, 0.5, 1 / 3]
    )
    writer.close()
    with pytest.raises(RuntimeError, match="already closed"), writer.as_default():
        pass


def test_record_if_and_steps(tmp_path):
    writer = tf.summary.create_file_writer(tmp_path)
    with writer.as_default():
        with pytest.raises(ValueError, match="No step set"):
            tf.summary.scalar("a", 1.0)
        tf.summary.experimental.set_step(5)
        with tf.summary.record_if(False):
            assert not tf.summary.scalar("a", 1.0)
        with tf.summary.record_if(lambda: tf.constant(True)):
            assert tf.summary.scalar("a", 2.0)
        tf.summary.experimental.set_step(None)
    writer.close()
    assert [(event.step, event.summary.value[0].tag) for event in events(tmp_path)] == [(5, "a")]


def test_images_are_png_files(tmp_path):
    image = np.random.RandomState(0).rand(2, 3, 4, 3).astype(np.float32)
    with tf.summary.create_file_writer(tmp_path).as_default(step=1):
        tf.summary.image("i", image, max_outputs=1)
    width, height, png = tf.make_ndarray(events(tmp_path)[0].summary.value[0].tensor)
    assert (width, height) == (b"4", b"3")
    np.testing.assert_array_equal(pixels(png), (image[0] * 255.5).astype(np.uint8))


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ([[0.0, 0.5, 1.0]], [[0, 127, 255]]),
        ([[-1.0, 0.0, 0.5]], [[1, 128, 191]]),
        ([[0.0, np.nan, 2.0]], [[0, 255, 255]]),
        ([[0.0, 0.0]], [[0, 0]]),
    ],
)
def test_images_of_version_1_are_stretched(image, expected):
    given = np.array(image, np.float32)[None, :, :, None]
    summary = v1.Summary.FromString(v1.summary.image("i", given, max_outputs=1).numpy())
    assert summary.value[0].tag == "i/image"
    found = pixels(summary.value[0].image.encoded_image_string)
    np.testing.assert_array_equal(found[..., 0], expected)


def test_file_writer(tmp_path):
    metadata = v1.SummaryMetadata()
    metadata.plugin_data.plugin_name = "text"
    with v1.summary.FileWriter(str(tmp_path)) as writer:
        assert writer.get_logdir() == str(tmp_path)
        writer.add_summary(v1.summary.scalar("loss", 0.5), 1)
        writer.add_summary(v1.summary.scalar("loss", 0.25).numpy(), global_step=2)
        writer.add_summary(v1.Summary(value=[v1.Summary.Value(tag="own", simple_value=3)]), 3)
        merged = v1.summary.merge([v1.summary.scalar("a", 1.0), v1.summary.scalar("b", 2.0)])
        writer.add_summary(merged, 4)
        for step in (5, 6):
            writer.add_summary(v1.summary.text("words", "some"), step)
        writer.add_session_log(v1.SessionLog(status=v1.SessionLog.START), 7)
        writer.add_run_metadata(v1.RunMetadata(), "run", 8)
    found = events(tmp_path)
    assert [event.step for event in found] == list(range(1, 9))
    values = [value for event in found for value in event.summary.value]
    assert [value.tag for value in values] == ["loss", "loss", "own", "a", "b", "words", "words"]
    assert [value.simple_value for value in values[:5]] == [0.5, 0.25, 3.0, 1.0, 2.0]
    assert [value.HasField("metadata") for value in values[5:]] == [True, False]
    assert found[6].session_log.status == v1.SessionLog.START
    assert found[7].tagged_run_metadata.tag == "run"
    with pytest.warns(UserWarning, match="closed FileWriter"):
        writer.add_summary(merged, 9)
    writer.reopen()
    writer.add_summary(merged, 10)
    writer.close()
    assert [event.step for event in events(tmp_path)] == [*range(1, 9), 10]


def test_a_damaged_file_is_refused(tmp_path):
    with v1.summary.FileWriter(str(tmp_path)) as writer:
        writer.add_summary(v1.summary.histogram("h", np.arange(3000.0)), 1)
    (path,) = tmp_path.iterdir()
    data = bytearray(path.read_bytes())
    assert len(list(v1.train.summary_iterator(str(path)))) == 2
    for at in (len(data) - 20, 5):
        data[at] ^= 1
        path.write_bytes(data)
        with pytest.raises(tf.errors.DataLossError, match="corrupted record"):
            list(v1.train.summary_iterator(str(path)))
        data[at] ^= 1
    path.write_bytes(data[:-3])
    with pytest.raises(tf.errors.DataLossError, match="corrupted record"):
        list(v1.train.summary_iterator(str(path)))
    with pytest.raises(tf.errors.NotFoundError):
        list(v1.train.summary_iterator(str(tmp_path / "none")))


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_records_come_back(tmp_path, compression):
    path = str(tmp_path / "records")
    records = [b"", b"one", bytes(range(256)) * 40]
    with v1.python_io.TFRecordWriter(path, compression) as writer:
        for record in records:
            writer.write(record)
    options = v1.python_io.TFRecordOptions(compression)
    assert list(v1.python_io.tf_record_iterator(path, options)) == records
