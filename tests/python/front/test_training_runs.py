"""Checkpoints over a training run: managers, state files, readers, averages, and going on."""

import os

import numpy as np
import penstock as tf
import pytest

Checkpoint = tf.train.Checkpoint
VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_readers():
    Checkpoint(v=tf.Variable([[1.0, 2.0]]), n=tf.Variable(3)).save("a/c")
    reader = tf.train.load_checkpoint("a")
    assert reader.has_tensor("n" + VALUE)
    assert not reader.has_tensor("n")
    assert reader.get_tensor("v" + VALUE).tolist() == [[1, 2]]
    assert reader.get_variable_to_shape_map()["v" + VALUE] == [1, 2]
    assert reader.get_variable_to_dtype_map()["n" + VALUE] is tf.int32
    assert b"v" + VALUE.encode() + b" (DT_FLOAT) [1,2]" in reader.debug_string()
    with pytest.raises(tf.errors.NotFoundError, match="Key n not found"):
        reader.get_tensor("n")


def test_manager():
    variable = tf.Variable(0.0)
    checkpoint = Checkpoint(v=variable)
    manager = tf.train.CheckpointManager(checkpoint, "m", max_to_keep=2)
    assert (manager.checkpoints, manager.latest_checkpoint) == ([], None)
    assert manager.restore_or_initialize() is None
    for i in range(4):
        variable.assign(float(i))
        assert manager.save() == f"m/ckpt-{i + 1}"
    assert manager.checkpoints == ["m/ckpt-3", "m/ckpt-4"]
    assert sorted(os.listdir("m")) == ["checkpoint", "ckpt-3.safetensors", "ckpt-4.safetensors"]
    assert manager.save(checkpoint_number=77) == "m/ckpt-77"
    again = tf.train.CheckpointManager(Checkpoint(v=tf.Variable(9.0)), "m", max_to_keep=2)
    assert again.checkpoints == ["m/ckpt-4", "m/ckpt-77"]
    assert again.restore_or_initialize() == "m/ckpt-77"
    assert float(again.checkpoint.v) == 3
    assert again.save() == "m/ckpt-6"
    assert again.save(6) == "m/ckpt-6"
    assert again.checkpoints == ["m/ckpt-77", "m/ckpt-6"]
    state = tf.train.get_checkpoint_state("m")
    assert state.model_checkpoint_path == "m/ckpt-6"
    assert state.all_model_checkpoint_paths == again.checkpoints
    assert len(state.all_model_checkpoint_timestamps) == 2


def test_manager_intervals():
    step = tf.Variable(0, dtype=tf.int64)
    checkpoint = Checkpoint(step=step)
    manager = tf.train.CheckpointManager(
        checkpoint, "m", None, checkpoint_name="foo", step_counter=step, checkpoint_interval=2
    )
    saved = []
    for _ in range(4):
        saved.append(manager.save())
        step.assign_add(1)
    assert saved == ["m/foo-1", None, "m/foo-2", None]
    assert manager.save(check_interval=False) == "m/foo-3"
    kept = tf.train.CheckpointManager(checkpoint, "k", 1, keep_checkpoint_every_n_hours=1)
    for _ in range(3):
        kept.save()
    assert kept.checkpoints == ["k/ckpt-6"]
    # The first one is kept for good; the second came too soon after it.
    assert sorted(os.listdir("k")) == ["checkpoint", "ckpt-4.safetensors", "ckpt-6.safetensors"]


def test_state_files():
    os.mkdir("a")
    with open("a/checkpoint", "w") as file:
        file.write('model_checkpoint_path: "d\\303\\251\\"-1"\nall_model_checkpoint_paths: "x"\n')
    state = tf.train.get_checkpoint_state("a")
    assert state.model_checkpoint_path == 'a/dé"-1'
    assert tf.train.latest_checkpoint("a") is None
    assert tf.train.get_checkpoint_state("none") is None
    with open("a/checkpoint", "w") as file:
        file.write("what: is this\n")
    with pytest.warns(UserWarning, match="unexpected line"):
        assert tf.train.get_checkpoint_state("a") is None
    Checkpoint().save('b/dé" 1')
    assert tf.train.latest_checkpoint("b") == 'b/dé" 1-1'


def test_waiting_for_checkpoints():
    checkpoint = Checkpoint()
    found = tf.train.checkpoints_iterator("a", timeout=0)
    checkpoint.save("a/c")
    assert next(found) == "a/c-1"
    checkpoint.save("a/c")
    assert list(found) == ["a/c-2"]
    assert list(tf.train.checkpoints_iterator("none", timeout=0, timeout_fn=lambda: True)) == []


def test_moving_averages():
    v = tf.Variable([1.0, 2.0], name="v")
    average = tf.train.ExponentialMovingAverage(0.9)
    average.apply([v])
    v.assign([3.0, 4.0])
    average.apply([v])
    np.testing.assert_array_equal(average.average(v), np.float32([1.2, 2.2]))
    assert average.average(v).name == "v/ExponentialMovingAverage:0"
    assert average.average(tf.Variable(1.0)) is None
    slow = tf.train.ExponentialMovingAverage(0.99, num_updates=tf.Variable(3))
    slow.apply([v])
    v.assign([5.0, 6.0])
    slow.apply([v])
    np.testing.assert_allclose(slow.average(v), [4.3846154, 5.3846154], 1e-6)
    for wrong in (tf.Variable(1), tf.constant(1.0)):
        with pytest.raises(TypeError):
            average.apply([wrong])
    Checkpoint(average=average).write("x")
    fresh = tf.train.ExponentialMovingAverage(0.9)
    status = Checkpoint(average=fresh).read("x")
    fresh.apply([v])
    status.assert_consumed()


class Net(tf.Module):
    """Makes its variables when it is first called."""

    def __init__(self):
        super().__init__()
        self.layers = []

    def __call__(self, x):
        if not self.layers:
            make = tf.initializers.GlorotUniform(seed=3)
            for sizes in ((4, 8), (8, 1)):
                self.layers.append({"w": tf.Variable(make(sizes)), "b": tf.Variable([0.0])})
        for layer in self.layers:
            x = tf.tanh(x @ layer["w"] + layer["b"])
        return x


class Training:
    def __init__(self, optimizer):
        self.net, self.optimizer = Net(), getattr(tf.optimizers, optimizer)(0.01)
        self.rng, self.step = tf.random.Generator.from_seed(5), tf.Variable(0, dtype=tf.int64)
        self.loss = tf.metrics.Mean()
        checkpoint = Checkpoint(
            net=self.net, optimizer=self.optimizer, rng=self.rng, step=self.step, loss=self.loss
        )
        self.manager = tf.train.CheckpointManager(checkpoint, "run-" + optimizer, 2)
        self.manager.restore_or_initialize()

    def run(self, until):
        while int(self.step) < until:
            x = self.rng.normal([16, 4])
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self.net(x) - x[:, :1]) ** 2)
            variables = self.net.trainable_variables
            self.optimizer.apply_gradients(
                zip(tape.gradient(loss, variables), variables, strict=True)
            )
            self.loss.update_state(loss)
            self.step.assign_add(1)
            if int(self.step) % 4 == 0:
                self.manager.save()
        return [v.numpy() for v in (*self.net.variables, *self.optimizer.variables)] + [
            self.loss.result().numpy()
        ]


@pytest.mark.parametrize("optimizer", ["Adam", "SGD", "RMSprop", "Ftrl"])
def test_a_run_goes_on_as_if_it_had_never_stopped(optimizer):
    Training(optimizer).run(10)  # and its process ends here; 8 steps are in the file
    resumed = Training(optimizer)
    assert int(resumed.step) == 8
    found = resumed.run(20)
    tf.io.gfile.rmtree("run-" + optimizer)
    for one, two in zip(found, Training(optimizer).run(20), strict=True):
        np.testing.assert_array_equal(one, two)
