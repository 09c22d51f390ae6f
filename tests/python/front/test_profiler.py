"""tf.profiler.memory: what a recording knows of every block, and the tables of the moment."""

import inspect
import pathlib
import threading

import numpy as np
import penstock as tf
import pytest

memory = tf.profiler.memory


def line_of(text):
    """The line of this file that ends with the comment `# text`."""
    lines = pathlib.Path(__file__).read_text().splitlines()
    return 1 + next(i for i, line in enumerate(lines) if line.endswith("# " + text))


def blocks(profile, **wanted):
    """Indices of the blocks whose op, owner, tag, dtype, shape or bytes are those."""
    columns = {
        "op": [profile.name(i) for i in profile.op],
        "owner": [profile.name(i) for i in profile.owner],
        "dtype": [profile.name(i) for i in profile.dtype],
        "tag": [profile.tags[i] for i in profile.tag],
        "shape": [profile.shapes[i] if i >= 0 else "" for i in profile.shape],
        "bytes": list(profile.bytes),
        "line": [profile.sites[i].line if i >= 0 else 0 for i in profile.site],
    }
    return [
        i
        for i in range(len(profile))
        if all(columns[name][i] == value for name, value in wanted.items())
    ]


def test_a_block_has_its_line_op_dtype_and_shape():
    x = tf.ones((8, 3))
    with memory.start() as recording:
        y = x @ tf.ones((3, 5))  # the product
        del y
        kept = tf.square(x)
    profile = recording.profile
    (product,) = blocks(profile, op="MatMul", tag="activation")
    site = profile.sites[profile.site[product]]
    assert (site.file, site.line) == (__file__, line_of("the product"))
    assert site.function.endswith("test_a_block_has_its_line_op_dtype_and_shape")
    assert blocks(profile, op="MatMul", dtype="float32", shape="(8, 5)", bytes=160) == [product]
    assert 0 <= profile.start[product] <= profile.end[product]
    (square,) = blocks(profile, op="Square")
    assert profile.end[square] == -1
    assert square in profile.live_at(profile.meta["duration_ns"])
    del kept


def test_the_line_is_the_users_and_not_the_packages():
    def deep():
        return tf.nn.moments(tf.ones((4, 4)), axes=[0])  # a function in Python

    with memory.start() as recording:
        deep()
    sites = recording.profile.sites
    assert {(site.file, site.line) for site in sites} == {
        (__file__, line_of("a function in Python"))
    }


def test_large_ops_and_gradients_know_their_line_too():
    v = tf.Variable(tf.ones((300, 300)))
    with memory.start() as recording:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v @ v)  # without the lock
        tape.gradient(y, v)  # backwards
    profile = recording.profile
    lines = {profile.sites[profile.site[i]].line for i in blocks(profile, shape="(300, 300)")}
    assert lines == {line_of("without the lock"), line_of("backwards")}
    assert blocks(profile, tag="gradient", line=line_of("backwards"))


def test_a_variable_owns_its_value():
    with memory.start() as recording:
        variable = tf.Variable(tf.zeros((50, 2)), name="kernel")
        variable.assign(tf.ones((50, 2)) * 2.0)
    profile = recording.profile
    held = [i for i in blocks(profile, owner="kernel") if profile.end[i] < 0]
    assert len(held) == 1
    assert profile.tags[profile.tag[held[0]]] == "variable"
    assert profile.shapes[profile.shape[held[0]]] == "(50, 2)"


def test_a_function_owns_what_its_calls_hold():
    @tf.function
    def step(x):
        return tf.reduce_sum(tf.nn.relu(x @ x), axis=0)

    x = tf.ones((64, 64))
    step(x)
    with memory.start() as recording:
        for _ in range(3):
            step(x)  # the call
    profile = recording.profile
    assert len(blocks(profile, owner="step", tag="output", shape="(64,)")) == 3
    assert blocks(profile, owner="step", tag="activation", line=line_of("the call"))
    (plan,) = profile.plans
    assert (plan["name"], plan["file"], plan["calls"]) == ("step", __file__, 3)
    assert plan["planned_peak"] == plan["measured_peak"] > 0


def test_what_was_held_before_comes_first():
    before = tf.Variable(tf.zeros((1000,)), name="old")
    gone = tf.ones((500, 2))
    with memory.start() as recording:
        del gone
        new = tf.ones((3,))
    profile = recording.profile
    first = slice(0, profile.num_before)
    assert (profile.start[first] == 0).all()
    assert blocks(profile, owner="old", tag="variable", bytes=4000)[0] < profile.num_before
    (ended,) = blocks(profile, op="Fill", bytes=4000)
    assert ended < profile.num_before
    assert profile.end[ended] >= 0
    del before, new


def test_the_peak_is_the_ledgers():
    tf.config.experimental.reset_memory_stats("CPU:0")
    with memory.start() as recording:
        for _ in range(5):
            x = tf.random.normal((200, 200))
            tf.reduce_sum(tf.exp(x) + tf.boolean_mask(x, x > 0.0)[0])
    assert recording.profile.peak()[1] == tf.config.experimental.get_memory_info("CPU:0")["peak"]
    del x


def test_saved_and_loaded_it_is_the_same(tmp_path):
    path = tmp_path / "some.penprof"
    with memory.start(path) as recording:
        tf.ones((3,)) + 1.0
    loaded = tf.profiler.Profile.load(path)
    saved = recording.profile
    assert len(loaded) == len(saved) > 0
    for name in ("start", "end", "bytes", "tag", "site", "op", "owner", "dtype", "shape"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(saved, name))
    assert loaded.sites == saved.sites
    assert loaded.meta == saved.meta
    assert loaded.sample_names[:2] == ["time", "rss"]
    assert (loaded.samples[:, 1] > 0).all()


def test_a_file_that_is_no_profile_is_refused(tmp_path):
    (tmp_path / "a.penprof").write_text("hello")
    with pytest.raises(ValueError, match="neither a profile nor a recording"):
        tf.profiler.Profile.load(tmp_path / "a.penprof")
    (tmp_path / "b.penprof").write_bytes(b"PK\x03\x04")
    with pytest.raises(ValueError, match="not a whole profile"):
        tf.profiler.Profile.load(tmp_path / "b.penprof")


def test_one_recording_at_a_time(tmp_path):
    with pytest.raises(tf.errors.FailedPreconditionError):
        memory.stop()
    with memory.start(), pytest.raises(tf.errors.FailedPreconditionError):
        memory.start()
    assert not memory.is_recording()
    with pytest.raises(tf.errors.NotFoundError):
        memory.start(tmp_path / "no" / "folder.penprof")
    assert not memory.is_recording()


def test_an_exception_that_leaves_the_block_is_the_profiles_error():
    with pytest.raises(ZeroDivisionError), memory.start() as recording:
        1 / 0  # noqa: B018
    assert recording.profile.meta["error"].startswith("ZeroDivisionError: division by zero\nat ")


def test_threads_are_recorded_together():
    def work():
        for _ in range(200):
            tf.ones((16, 16)) + 1.0

    with memory.start() as recording:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    profile = recording.profile
    assert len(blocks(profile, op="Fill", shape="(16, 16)")) == 800
    assert (profile.end >= 0).all() or profile.num_before
    assert (np.diff(profile.start[profile.num_before :]) >= 0).all()


def test_a_refusal_names_the_lines_that_hold_the_most():
    before = tf.config.get_memory_budget()
    with memory.start():
        kept = tf.ones((256, 1024))  # the holder
        tf.config.set_memory_budget(tf.config.experimental.get_memory_info("CPU:0")["current"])
        try:
            with pytest.raises(tf.errors.ResourceExhaustedError) as refusal:
                tf.ones((10, 10))
        finally:
            tf.config.set_memory_budget(before)
    text = str(refusal.value)
    assert "lines that hold the most" in text
    assert f"1048576 bytes in 1  {__file__}:{line_of('the holder')}" in text
    del kept


def test_the_summary_is_a_table_with_and_without_a_recording():
    kept = tf.Variable(tf.ones((64, 64)), name="table")
    plain = memory.summary()
    assert plain.splitlines()[0].split() == ["memory", "now", "peak", "ever", "allocations"]
    assert "table" in plain
    assert "variable" in plain
    assert "lines" not in plain
    with memory.start():
        more = tf.ones((64, 64)) + 1.0
        line = inspect.currentframe().f_lineno - 1
        recorded = memory.summary()
    assert "lines that hold the most" in recorded
    assert f"test_profiler.py:{line}" in recorded
    assert repr(recorded) == recorded
    del kept, more


def test_the_account_explains_the_process():
    before = memory.account()
    tensors = [tf.ones((512, 1024)) * 2.0 for _ in range(10)]
    arrays = [np.ones(1 << 20) for _ in range(5)]
    after = memory.account()
    grown = after - before
    assert after.rss == sum(after.values())
    assert grown["activation"] == 20 << 20
    assert abs(grown["native heap"] - (40 << 20)) < 8 << 20
    assert grown.unexplained < 8 << 20
    assert "files mapped" in str(after)
    del tensors, arrays


def test_a_summary_without_its_recordings_file(tmp_path):
    """Somebody took the file away: the table of lines is left out, and the rest is there."""
    path = tmp_path / "a.penprof"
    memory.start(path)
    kept = tf.ones([1000])
    assert "lines that hold the most" in str(memory.summary())
    path.unlink()
    text = str(memory.summary())
    assert "activation" in text
    assert "lines that hold" not in text
    with pytest.raises(tf.errors.DataLossError, match="the recording of memory is lost"):
        memory.stop()
    del kept
