"""Files that were changed at random are refused or read, and nothing worse (hostile_files.py)."""

import gzip
import os
import struct
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import penstock as tf
import pytest
from penstock import _cli, _core
from penstock._proto import protobuf as _protobuf
from penstock.profiler import _raw

PROGRAM = Path(__file__).parent / "hostile_files.py"


def fuzz(folder, count, seed):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", PROGRAM, str(count), str(seed)],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=1500,
    )
    assert done.returncode == 0, f"seed {seed}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


def test_some_mutations(tmp_path):
    fuzz(tmp_path, 40, 1)


@pytest.mark.slow
def test_thousands_of_mutations(tmp_path):
    fuzz(tmp_path, 2000, time.time_ns())


def recorded(path):
    with tf.profiler.memory.start(str(path)):
        tf.ones([100])
    return path


@pytest.fixture
def recording(tmp_path, monkeypatch):
    """The file of a recording that was not made into a profile."""
    monkeypatch.setenv("PENSTOCK_PROFILE_RAW", "1")
    return recorded(tmp_path / "raw.penprof")


def change(path, at, data):
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(data)


def report(path, capsys):
    status = _cli.main(["report", str(path), "-o", str(path) + ".html"])
    return status, capsys.readouterr().err


def test_a_recording_has_no_more_names_than_its_file(recording, capsys):
    """The count was believed: a file of a megabyte took gigabytes."""
    names = 8 + 4 + 4 + 3 * 8 + 2 * 8
    change(recording, names, (1 << 40).to_bytes(8, "little"))
    began = time.monotonic()
    assert len(tf.profiler.Profile.load(recording).names) < os.stat(recording).st_size / 4
    assert report(recording, capsys)[0] == 0
    assert time.monotonic() - began < 10


def test_a_recording_of_many_owners_takes_no_time_of_their_square(tmp_path, monkeypatch):
    """What was held before, of 20,000 owners, beside as many blocks that were seen."""
    count = 20_000
    header, raw = bytearray(4096), _raw._RECORDS
    before = np.zeros(count, raw["before"])
    tags = _core.tag_names()
    before["tag"], before["owner"] = tags.index("variable"), np.arange(count)
    before["bytes"] = 100
    blocks = np.zeros(count, raw["blocks"])
    blocks["end"], blocks["bytes"], blocks["owner"] = -1, 40, np.arange(count)
    blocks["is_before"] = tags.index("variable") + 1
    counts = [0] * len(_raw._KINDS)
    counts[_raw._KINDS.index("before")] = counts[_raw._KINDS.index("blocks")] = count
    names = b"".join(struct.pack("<I", len(tag)) + tag.ljust(-len(tag) % 4 + len(tag)).encode()
                     for tag in tags)  # fmt: skip
    counts[_raw._KINDS.index("names")] = len(tags)
    fields = [_raw.MAGIC, _core.RECORDING_VERSION, 1, 0, 0, 1, *counts, 0, 0, 0, len(tags)]
    _raw._HEADER.pack_into(header, 0, *fields, 0, 0, 0, 0, 1)
    chunks = {"names": names, "before": before.tobytes(), "blocks": blocks.tobytes()}
    path = tmp_path / "wide.penprof"
    with open(path, "wb") as file:
        file.write(header)
        for kind, data in chunks.items():
            head = struct.pack("<2I", _raw._KINDS.index(kind), 64 + len(data))
            file.write(head.ljust(64, b"\0") + data)
    began = time.monotonic()
    profile = tf.profiler.Profile.load(path)
    assert time.monotonic() - began < 5
    assert len(profile) == 2 * count
    assert (profile.bytes[:count] == 60).all()
    assert (profile.owner[:3] == [0, 1, 2]).all()


@pytest.mark.parametrize("version", [0, 2, 4_000_000_000])
def test_a_recording_of_another_version_says_so(recording, capsys, version):
    change(recording, 8, version.to_bytes(4, "little"))
    with pytest.raises(ValueError, match=f"recording of version {version}, .* reads version 1"):
        tf.profiler.Profile.load(recording)
    status, text = report(recording, capsys)
    assert status == 2
    assert ("a newer" if version else "another") in text


@pytest.mark.parametrize("version", ["2", "null", '"x"'])
def test_a_profile_of_another_version_says_so(tmp_path, capsys, version):
    path = recorded(tmp_path / "a.penprof")
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    old = b'{"version": 1,'
    assert members["meta.json"].startswith(old)
    members["meta.json"] = f'{{"version": {version},'.encode() + members["meta.json"][len(old) :]
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)
    with pytest.raises(ValueError, match=r"profile of version .*, .* reads version 1"):
        tf.profiler.Profile.load(path)
    assert report(path, capsys)[0] == 2


def test_a_profile_that_unpacks_to_more_than_the_budget_is_refused(tmp_path, capsys):
    path = recorded(tmp_path / "a.penprof")
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, data in members.items():
            if name != "start.npy":
                file.writestr(name, data)
        with file.open("start.npy", "w", force_zip64=True) as entry:
            for _ in range(128):
                entry.write(bytes(1 << 20))
    budget = tf.config.get_memory_budget()
    tf.config.set_memory_budget(64 << 20)
    try:
        with pytest.raises(tf.errors.ResourceExhaustedError):
            tf.profiler.Profile.load(path)
        assert report(path, capsys)[0] == 2
    finally:
        tf.config.set_memory_budget(budget)


def test_tags_are_those_of_the_ledger():
    """C++ has the only list of tags: a profile stores their names, and readers go by the names."""
    assert tuple(_core.memory_by_tag(0)) == _core.tag_names() == tuple(tf.profiler.Profile().tags)
    other = tf.profiler.Profile(
        {"start": [0, 1], "end": [-1, -1], "bytes": [5, 7], "tag": [0, 1]},
        tags=["foreign", "later"],
    )
    assert other.peak() == (1, 7)


def test_a_recording_with_other_tags_is_read(recording):
    """As one of a version with fewer: the last tag and its figures are gone."""
    count = len(_core.tag_names())
    at = 8 + 4 + 4 + 3 * 8 + 8 * 8 + 2 * 8 + 4
    change(recording, at, (count - 1).to_bytes(4, "little"))
    assert tf.profiler.Profile.load(recording).tags == list(_core.tag_names()[:-1])


def test_plans_that_are_none_say_so(tmp_path):
    plan = tf.function(lambda x: x @ x).memory_plan(tf.TensorSpec([2, 2]))
    for data in (b"", b"\xff\xfe", b"peak_bytes many", b"a b c", b"peak_bytes 1\nx y 5"):
        (tmp_path / "plan").write_bytes(data)
        with pytest.raises(ValueError, match="is not a saved memory plan"):
            plan.check(tmp_path / "plan")
    with pytest.raises(FileNotFoundError):
        plan.check(tmp_path / "none")


def test_messages_that_are_none_say_so():
    """As TensorFlow: a wrong form is another field, a wrong text or end an error."""
    config = tf.compat.v1.ConfigProto
    for data in (b"\xff", b"\x32\x05ab", b"\x22\x02\xff\xfe", b"\x00\x00", b"\x0f", b"\x0b"):
        with pytest.raises(_protobuf.DecodeError):
            config.FromString(data)
    assert str(config.FromString(b"\x30\x05\x12\x01\x05\x0b\x08\x01\x0c")) == ""
    wide = config.FromString(b"\x10\xff\xff\xff\xff\xff\xff\xff\xff\x7f")
    assert wide.intra_op_parallelism_threads == -1
    with pytest.raises(_protobuf.DecodeError):
        tf.compat.v1.GraphDef.FromString(b"\x0a\x04\x0a\x02\xff\xff")


def test_record_options_that_zlib_does_not_take(tmp_path):
    options = tf.io.TFRecordOptions("GZIP", window_bits=99)
    with pytest.raises(tf.errors.InvalidArgumentError, match="zlib"):
        tf.io.TFRecordWriter(str(tmp_path / "a"), options)


def test_compressed_records_are_unpacked_no_further_than_asked(tmp_path):
    """All of a chunk was unpacked at once: two megabytes were four gigabytes."""
    path = str(tmp_path / "a")
    with tf.io.TFRecordWriter(path, "GZIP") as writer:
        for _ in range(64):
            writer.write(bytes(1 << 20))
    tf.config.experimental.reset_memory_stats("CPU:0")
    assert sum(map(len, tf.compat.v1.io.tf_record_iterator(path, "GZIP"))) == 64 << 20
    assert tf.config.experimental.get_memory_info("CPU:0")["peak"] < 2 << 20
    with gzip.open(tmp_path / "b", "wb") as file:
        file.write(bytes(11))
    with pytest.raises(tf.errors.DataLossError):
        list(tf.compat.v1.io.tf_record_iterator(str(tmp_path / "b"), "GZIP"))


def test_gzip_files_one_after_the_other_are_one(tmp_path):
    """As `cat` makes them, and a writer that appends; what is no gzip file after one is damage."""
    parts = []
    for i in range(3):
        with tf.io.TFRecordWriter(str(tmp_path / f"{i}"), "GZIP") as writer:
            for j in range(i * 10):
                writer.write(f"{i} {j}".encode() * 1000)
        parts.append((tmp_path / f"{i}").read_bytes())

    def read(data):
        (tmp_path / "all").write_bytes(data)
        return list(tf.compat.v1.io.tf_record_iterator(str(tmp_path / "all"), "GZIP"))

    assert [len(read(part)) for part in parts] == [0, 10, 20]
    both = read(b"".join(parts))
    assert both == read(parts[1]) + read(parts[2])
    assert len(read(parts[2] * 400)) == 8000
    with pytest.raises(tf.errors.DataLossError):
        read(parts[1] + b"other bytes")


@pytest.mark.parametrize(
    "victim",
    ["../victim", "../run-2/ckpt-1", "other-1", "sub/ckpt-1", "ckpt-best", "ckpt-1x", "ckpt-"],
)
def test_a_manager_deletes_only_its_own(tmp_path, victim):
    run = tmp_path / "run"
    target = Path(os.path.normpath(run / f"{victim}.safetensors"))
    target.parent.mkdir(parents=True, exist_ok=True)
    run.mkdir(exist_ok=True)
    target.write_bytes(b"precious")
    (run / "checkpoint").write_text(
        f'model_checkpoint_path: "{victim}"\nall_model_checkpoint_paths: "{victim}"\n'
    )
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(1.0)), run, 1)
    with pytest.warns(UserWarning, match="could not delete"):
        manager.save()
    assert target.read_bytes() == b"precious"
    first = Path(manager.latest_checkpoint + ".safetensors")
    manager.save()
    assert not first.exists()


@pytest.mark.parametrize("name", ["../victim", "victim", "m-best", "mm-1"])
def test_a_saver_deletes_only_its_own(tmp_path, name):
    (tmp_path / "run").mkdir()
    victim = tmp_path / "run" / f"{name}.safetensors"
    victim.write_bytes(b"precious")
    saver = tf.compat.v1.train.Saver([tf.Variable(1.0, name="v")], max_to_keep=1)
    saver.recover_last_checkpoints([str(tmp_path / "run" / name)])
    assert saver.last_checkpoints
    first = saver.save(None, str(tmp_path / "run" / "m"), global_step=1)
    assert victim.read_bytes() == b"precious"
    saver.save(None, str(tmp_path / "run" / "m"), global_step=2)
    assert not os.path.exists(first + ".safetensors")
