"""On a full disk an existing file stays unchanged, and a recording says what is missing.
A limit on the size of files stands for the disk."""

import contextlib
import os
import resource

import penstock as tf
import pytest
from penstock import _cli
from penstock._base import files as _files

Profile = tf.profiler.Profile


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@contextlib.contextmanager
def no_room(beyond=100):
    """Inside, no file can be longer than that."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (beyond, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def profile():
    with tf.profiler.memory.start() as recording:
        for i in range(300):
            tf.ones([100 + i])
    return recording.profile


def blocks():
    with open("blocks.csv", "w", encoding="utf-8") as file:
        file.write("id,lower,upper,size\n" + "".join(f"b{i},{i},{i + 3},9\n" for i in range(300)))


def write_plan(path):
    f = tf.function(lambda x: tf.reduce_sum([tf.exp(x) @ x * i for i in range(9)]))
    f.memory_plan(tf.TensorSpec([9, 9])).save(path)


def copy(path):
    tf.io.gfile.copy("long", path, overwrite=True)


def write_plan_csv(path):
    if _cli.main(["plan", "blocks.csv", "--out", path]):
        raise OSError("said on stderr")


WRITERS = {
    "plan.save": write_plan,
    "Profile.save": lambda path: profile().save(path),
    "the report": lambda path: profile().write_report(path),
    "perfetto": lambda path: profile().write_report(path, "perfetto"),
    "pprof": lambda path: profile().write_report(path, "pprof"),
    "json": lambda path: profile().write_report(path, "json"),
    "penstock plan --out": write_plan_csv,
    "write_file": lambda path: tf.io.write_file(path, b"x" * 2000),
    "gfile.copy": copy,
    "safetensors": lambda path: tf.io.safetensors.save_file({"w": tf.ones([1000])}, path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_old_file_stays(name):
    with open("long", "wb") as file:
        file.write(b"y" * 2000)
    blocks()
    with open("old", "wb") as file:
        file.write(b"precious")
    os.chmod("old", 0o640)
    made = profile()  # recordings need more room than there will be
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(globals(), "profile", lambda: made)
        with no_room(), pytest.raises((OSError, tf.errors.OpError)):
            WRITERS[name]("old")
        with open("old", "rb") as file:
            assert file.read() == b"precious"
        assert not [each for each in os.listdir() if each.endswith(".part")]
        # With room, the new one takes its place and keeps its mode.
        WRITERS[name]("old")
    assert os.stat("old").st_size > 100
    assert os.stat("old").st_mode & 0o777 == 0o640


def test_a_checkpoint_stays():
    checkpoint = tf.train.Checkpoint(v=tf.Variable(tf.ones([1000])))
    checkpoint.write("run")
    checkpoint.v.assign(tf.zeros([1000]))
    with no_room(), pytest.raises(tf.errors.OpError):
        checkpoint.write("run")
    checkpoint.read("run")
    assert (checkpoint.v.numpy() == 1).all()


def test_devices_and_pipes_are_written_to_as_they_are():
    with pytest.raises(OSError, match="No space"):
        _files.write_whole("/dev/full", b"x")
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.io.write_file("/dev/full", "x")
    tf.io.write_file("/dev/null", "x")
    assert os.path.exists("/dev/null")


def allocate(count):
    for _ in range(count):
        tf.ones([10])


def test_a_recording_that_finds_no_room_leaves_what_is_there():
    with open("a.penprof", "wb") as file:
        file.write(b"precious")
    with no_room(), pytest.raises((OSError, tf.errors.OpError)):
        tf.profiler.memory.start("a.penprof")
    with open("a.penprof", "rb") as file:
        assert file.read() == b"precious"
    with no_room(), pytest.raises((OSError, tf.errors.OpError)):
        tf.profiler.memory.start("new.penprof")
    assert os.listdir() == ["a.penprof"]
    with tf.profiler.memory.start("a.penprof"):
        allocate(10)
    assert len(Profile.load("a.penprof")) >= 10
    assert os.listdir() == ["a.penprof"]


@pytest.mark.parametrize("path", [None, "a.penprof"])
def test_a_recording_says_what_found_no_room(path):
    recording = tf.profiler.memory.start(path)
    allocate(10)
    from penstock import _core

    with no_room(_core.recording_usage()["file"]):
        allocate(20_000)
        assert "no room on the disk for" in tf.profiler.memory.summary()
    with pytest.warns(RuntimeWarning, match=r"no room for [\d,]+ blocks"):
        recording.stop()
    dropped = recording.profile.meta["dropped"]
    assert dropped > 10_000
    if path:
        assert Profile.load(path).meta["dropped"] == dropped
        assert _cli.main(["report", path, "-o", "a.html"]) == 0


@pytest.mark.parametrize("left", [0, 4096, 300_000])
def test_a_recording_that_is_cut_does_not_end_the_program(left):
    recording = tf.profiler.memory.start("a.penprof")
    allocate(12_000)
    os.truncate("a.penprof", left)
    allocate(12_000)
    if left:
        with pytest.warns(RuntimeWarning, match="was cut short"):
            recording.stop()
        assert "was cut short" in recording.profile.meta["error"]
    else:
        with pytest.raises(tf.errors.DataLossError, match="recording of memory is lost"):
            recording.stop()
    # The next one is whole again.
    with tf.profiler.memory.start() as again:
        allocate(10)
    assert len(again.profile) >= 10
    assert not again.profile.meta["dropped"]
