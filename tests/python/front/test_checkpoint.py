"""tf.train.Checkpoint: what is saved, what comes back, and what waits for its variable."""

import collections
import contextlib
import copy
import gc
import os
import pickle

import numpy as np
import penstock as tf
import pytest
from penstock._variables import track

Checkpoint = tf.train.Checkpoint
VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


class Empty(tf.Module):
    pass


Point = collections.namedtuple("Point", "x y")


class Model(tf.Module):
    def __init__(self, start=1.0):
        super().__init__()
        self.w = tf.Variable([start, 2 * start], name="w")
        self.layers = [tf.Variable(start), (tf.Variable(2 * start),), 3, "text"]
        self.table = {"a/b.c": tf.Variable(3 * start), "n": 5}
        self.point = Point(tf.Variable(4 * start), 1)
        self.inner = Empty()
        self.inner.w = self.w
        self.inner.outer = self


def trained():
    model, adam = Model(), tf.optimizers.Adam(0.1)
    adam.apply_gradients([(tf.ones([2]), model.w)])
    return model, adam


def names(path):
    return [name.removesuffix(VALUE) for name, _ in tf.train.list_variables(path)]


def test_names_in_the_file():
    model, adam = trained()
    assert Checkpoint(model=model, optimizer=adam).write("sub/x") == "sub/x"
    assert names("sub/x") == [
        "model/layers/0",
        "model/layers/1/0",
        "model/point/x",
        "model/table/a.Sb..c",
        "model/w",
        "optimizer/_iterations",
        "optimizer/_learning_rate",
        "optimizer/_variables/2",
        "optimizer/_variables/3",
    ]
    assert Checkpoint(model).save("y") == "y-1"
    assert names("y-1") == [
        "layers/0", "layers/1/0", "point/x", "save_counter", "table/a.Sb..c", "w",
    ]  # fmt: skip


def test_save_and_restore():
    model, adam = trained()
    metric, generator = tf.metrics.Mean(), tf.random.Generator.from_seed(1)
    metric.update_state([1.0, 2.0])
    generator.normal([3])
    checkpoint = Checkpoint(model=model, optimizer=adam, metric=metric, rng=generator, v=[])
    path = checkpoint.save("a/ckpt")
    expected = [v.numpy() for v in (*model.variables, *adam.variables)]
    drawn = generator.normal([3]).numpy()

    other, sgd = Model(9.0), tf.optimizers.Adam(0.5)
    sgd.build([other.w])
    fresh = Checkpoint(
        model=other, optimizer=sgd, metric=tf.metrics.Mean(), rng=tf.random.Generator.from_seed(7)
    )
    status = fresh.restore(path)
    status.assert_consumed().assert_existing_objects_matched().assert_nontrivial_match()
    for variable, value in zip((*other.variables, *sgd.variables), expected, strict=True):
        np.testing.assert_array_equal(variable, value)
    assert float(fresh.metric.result()) == 1.5
    np.testing.assert_array_equal(fresh.rng.normal([3]), drawn)
    assert fresh.save_counter.numpy() == 1
    assert fresh.save("a/ckpt") == "a/ckpt-2"
    assert sorted(os.listdir("a")) == ["checkpoint", "ckpt-1.safetensors", "ckpt-2.safetensors"]
    assert tf.train.latest_checkpoint("a") == "a/ckpt-2"


@pytest.mark.parametrize("dtype", [d.name for d in tf.dtypes._ALL if d.name != "string"])
def test_dtypes(dtype):
    for shape in ([2, 2], [], [0, 3]):
        value = tf.cast(tf.fill(shape, 3), dtype)
        path = Checkpoint(v=tf.Variable(value)).write("x")
        fresh = tf.Variable(tf.zeros_like(value))
        Checkpoint(v=fresh).read(path).assert_consumed()
        np.testing.assert_array_equal(fresh, value)
        found = tf.train.load_variable(path, "v" + VALUE)
        np.testing.assert_array_equal(found, value)
        assert found.dtype == value.dtype.as_numpy_dtype


def test_text_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="string"):
        Checkpoint(v=tf.Variable("a")).write("x")
    assert os.listdir(".") == []


def test_attributes_that_are_made_later():
    model, adam = trained()
    Checkpoint(model=model, optimizer=adam).save("c")
    fresh, optimizer = Empty(), tf.optimizers.Adam(0.5)
    status = Checkpoint(model=fresh, optimizer=optimizer).restore("c-1")
    assert float(optimizer.learning_rate) == np.float32(0.1)
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).model.w"):
        status.assert_consumed()
    fresh.w = tf.Variable([0.0, 0.0])
    np.testing.assert_array_equal(fresh.w, model.w)
    fresh.layers = []
    fresh.layers.append(tf.Variable(7.0))
    assert float(fresh.layers[0]) == 1
    fresh.layers += [(tf.Variable(7.0),)]
    assert float(fresh.layers[1][0]) == 2
    fresh.table = {}
    fresh.table["a/b.c"] = tf.Variable(7.0)
    assert float(fresh.table["a/b.c"]) == 3
    fresh.point = Point(tf.Variable(7.0), 2)
    assert float(fresh.point.x) == 4
    optimizer.apply_gradients([(tf.ones([2]), fresh.w)])
    adam.apply_gradients([(tf.ones([2]), model.w)])
    for one, two in zip(optimizer.variables, adam.variables, strict=True):
        np.testing.assert_array_equal(one, two)
    status.assert_consumed()
    # Restored once: a variable that takes the place of another one keeps its value.
    fresh.w = tf.Variable([5.0, 5.0])
    assert fresh.w.numpy().tolist() == [5, 5]


class Lazy(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = []
        self.nested = {"a": []}

    def build(self, value):
        self.layers.extend([tf.Variable(value), tf.Variable(value + 1)])
        self.nested["a"].append(tf.Variable(value + 2))


def test_lists_that_are_there_already():
    old = Lazy()
    old.build(5.0)
    Checkpoint(old).write("x")
    fresh = Lazy()
    held = Lazy()
    alias = held.layers
    status = Checkpoint(fresh).read("x")
    Checkpoint(held).read("x")
    fresh.build(0.0)
    assert [v.numpy() for v in fresh.variables] == [5, 6, 7]
    status.assert_consumed()
    for duplicate in (copy.deepcopy(fresh), pickle.loads(pickle.dumps(fresh))):
        assert type(duplicate.layers) is list
        assert [v.numpy() for v in duplicate.variables] == [5, 6, 7]
    # A list that the program holds elsewhere stays the same list.
    assert held.layers is alias
    held.layers = [tf.Variable(0.0)]
    assert float(held.layers[0]) == 5


def test_a_list_that_somebody_else_holds_stays_his():
    Checkpoint(m=[tf.Variable(1.0)]).write("x")
    mine = []
    fresh = Checkpoint(m=mine)
    fresh.read("x")
    mine.append(tf.Variable(2.0))
    assert fresh.m is mine
    model = Empty()
    Checkpoint(model).read("x")
    model.m = mine
    assert model.m is mine
    assert float(mine[0]) == 1


def test_modules_that_are_made_later():
    old = Empty()
    old.first, old.second = Model(), Lazy()
    old.second.build(5.0)
    Checkpoint(net=old).write("x")
    fresh = Empty()
    status = Checkpoint(net=fresh).read("x")
    fresh.second = Lazy()  # it has its variables later, and the other one at once
    fresh.first = Model(9.0)
    fresh.second.build(0.0)
    assert [v.numpy() for v in fresh.second.variables] == [5, 6, 7]
    np.testing.assert_array_equal(fresh.first.w, [1, 2])
    status.assert_consumed()


def open_files():
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # the folder itself was open, too
            yield os.readlink(f"/proc/self/fd/{number}")


def test_restoring_again_and_again():
    """The newest checkpoint is the one that counts, and older ones are let go."""
    lazy = Lazy()
    lazy.build(0.0)
    checkpoint = Checkpoint(net=lazy, other=tf.Variable(0.0))
    for i in range(30):
        lazy.layers[0].assign(i)
        checkpoint.save("c")
    fresh = Lazy()
    evaluated = Checkpoint(net=fresh)
    for i in range(30):
        evaluated.restore(f"c-{i + 1}").expect_partial()
    gc.collect()
    assert sum("safetensors" in path for path in open_files()) <= 2  # a file, and its pages
    fresh.build(-1.0)
    assert float(fresh.layers[0]) == 29


def test_optimizer_slots_of_a_built_optimizer():
    model, adam = trained()
    Checkpoint(optimizer=adam).write("x")
    fresh = tf.optimizers.Adam(0.5)
    status = Checkpoint(optimizer=fresh).read("x")
    fresh.build([model.w])
    status.assert_consumed()
    for one, two in zip(fresh.variables, adam.variables, strict=True):
        np.testing.assert_array_equal(one, two)


def test_shared_variables():
    model = Empty()
    model.a = tf.Variable(1.0)
    model.b = model.a
    Checkpoint(model).write("x")
    assert names("x") == ["a"]
    other = Empty()
    other.b = tf.Variable(0.0)
    Checkpoint(other).read("x").assert_consumed()
    assert float(other.b) == 1
    apart = Empty()
    apart.a, apart.b = tf.Variable(0.0), tf.Variable(0.0)
    with pytest.warns(UserWarning, match="Inconsistent references"):
        status = Checkpoint(apart).read("x")
    with pytest.raises(AssertionError, match="Found 1 Python objects"):
        status.assert_existing_objects_matched()


def test_a_list_in_itself():
    model, fresh = Empty(), Empty()
    for each, start in ((model, 1.0), (fresh, 0.0)):
        each.loop = [tf.Variable(start)]
        each.loop.append(each.loop)
    Checkpoint(model).write("x")
    Checkpoint(fresh).read("x").assert_consumed()
    assert float(fresh.loop[0]) == 1
    fresh.loop.pop()
    Checkpoint(fresh).read("x").assert_consumed()


def test_status():
    checkpoint = Checkpoint(v=tf.Variable(1.0))
    checkpoint.save("c")
    partial = Checkpoint(v=tf.Variable(0.0), more=tf.Variable(0.0))
    status = partial.restore("c-1").expect_partial()
    status.assert_nontrivial_match()
    with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound"):
        status.assert_existing_objects_matched()
    with pytest.raises(AssertionError, match="Nothing except the root"):
        Checkpoint(other=tf.Variable(0.0)).read("c-1").assert_nontrivial_match()
    nothing = checkpoint.restore(None)
    with pytest.raises(AssertionError, match="nothing is being restored"):
        nothing.assert_consumed()
    nothing.initialize_or_restore()


def test_what_does_not_fit_changes_nothing():
    Checkpoint(a=tf.Variable(1.0), b=tf.Variable([1.0, 2.0])).write("x")
    for error, wrong in (
        (ValueError, tf.Variable([1.0, 2.0, 3.0])),
        (tf.errors.InvalidArgumentError, tf.Variable([1, 2])),
    ):
        a = tf.Variable(0.0)
        with pytest.raises(error):
            Checkpoint(a=a, b=wrong).read("x")
        assert float(a) == 0
        late = Empty()
        Checkpoint(late).read("x")
        with pytest.raises(error):
            late.b = wrong


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: Checkpoint(x=3)),
        (ValueError, lambda: Checkpoint(x=tf.constant(3))),
        (ValueError, lambda: Checkpoint(3)),
        (ValueError, lambda: Checkpoint(Model(), w=tf.Variable(1.0))),
        (ValueError, lambda: Checkpoint(d={1: tf.Variable(1.0)}).write("x")),
        (tf.errors.NotFoundError, lambda: Checkpoint().restore("none")),
        (tf.errors.NotFoundError, lambda: Checkpoint().read("none")),
        (tf.errors.NotFoundError, lambda: tf.train.load_checkpoint("none")),
        (tf.errors.NotFoundError, lambda: tf.train.load_variable("good", "none")),
        (ValueError, lambda: tf.train.load_checkpoint(".")),
        (tf.errors.FailedPreconditionError, lambda: Checkpoint().write("good.safetensors/x")),
        (tf.errors.DataLossError, lambda: Checkpoint().read("plain")),
        (tf.errors.DataLossError, lambda: Checkpoint().read("bad")),
        (ValueError, lambda: tf.train.CheckpointManager(Checkpoint(), "d", 0)),
        (
            ValueError,
            lambda: tf.train.CheckpointManager(Checkpoint(), "d", 1, checkpoint_interval=2),
        ),
    ],
)
def test_refusals(error, call):
    Checkpoint(v=tf.Variable(1.0)).write("good")
    tf.io.safetensors.save_file({}, "plain.safetensors")
    tf.io.safetensors.save_file(
        {}, "bad.safetensors", {"penstock.checkpoint": '[{"children": {"a": 7}}]'}
    )
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    "graph", ["", "3", "[]", "[3]", "{}", '[{"key": "a"}]', '[{"key": []}]', '[{"children": 1}]']
)
def test_damaged_graphs(graph):
    path = "bad.safetensors"
    tf.io.safetensors.save_file({}, path, {"penstock.checkpoint": graph})
    with pytest.raises(tf.errors.DataLossError):
        Checkpoint(v=tf.Variable(1.0)).read("bad")


def test_a_failed_save_leaves_everything_as_it_was(monkeypatch):
    variable = tf.Variable(1.0)
    checkpoint = Checkpoint(v=variable)
    checkpoint.write("x")

    def fail(*args):
        raise KeyboardInterrupt

    variable.assign(2.0)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(KeyboardInterrupt):
            checkpoint.write("x")
        with pytest.raises(KeyboardInterrupt):
            checkpoint.save("c")
    assert os.listdir(".") == ["x.safetensors"]
    assert tf.train.load_variable("x", "v" + VALUE) == 1
    assert checkpoint.save("c") == "c-1"


def test_memory():
    """Neither saving nor restoring makes a copy of a variable in memory."""
    memory = tf.config.experimental
    variable = tf.Variable(tf.ones([1 << 20]))
    checkpoint = Checkpoint(v=variable)
    memory.reset_memory_stats("CPU:0")
    before = memory.get_memory_info("CPU:0")["current"]
    checkpoint.write("x")
    assert memory.get_memory_info("CPU:0")["peak"] - before < 1000
    made = tf._core.memory_by_tag(0)["variable"]["total"]
    checkpoint.read("x").assert_consumed()
    # The file's pages are foreign memory; the variable keeps its own.
    assert tf._core.memory_by_tag(0)["variable"]["total"] - made < 1000
    assert memory.get_memory_info("CPU:0")["current"] == before


def test_nothing_is_kept_alive():
    model = Model()
    Checkpoint(model).write("x")
    fresh = Empty()
    Checkpoint(fresh).read("x")
    assert track._awaiting
    del fresh
    gc.collect()
    assert not track._awaiting
