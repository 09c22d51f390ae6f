"""tf.compat.v1.train.Saver in eager programs, where values are those of the variables."""

import numpy as np
import penstock as tf
import pytest

train = tf.compat.v1.train


def test_the_last_few_are_kept(tmp_path):
    w, step = tf.Variable([1.0, 2.0], name="w"), tf.Variable(0, name="step")
    saver = train.Saver([w, step], max_to_keep=2)
    prefix = str(tmp_path / "model")
    paths = []
    for _ in range(3):
        step.assign_add(1)
        w.assign(w * 2)
        paths.append(saver.save(None, prefix, global_step=step))
    assert paths == [f"{prefix}-{i}" for i in (1, 2, 3)]
    assert saver.last_checkpoints == paths[1:]
    assert [train.checkpoint_exists(path) for path in paths] == [False, True, True]
    assert train.latest_checkpoint(str(tmp_path)) == paths[-1]
    assert train.get_checkpoint_state(str(tmp_path)).all_model_checkpoint_paths == paths[1:]
    assert train.list_variables(paths[-1]) == [("step", []), ("w", [2])]
    saver.restore(None, paths[1])
    np.testing.assert_array_equal(w, [4.0, 8.0])
    assert int(step) == 2
    other = train.Saver([w])
    other.recover_last_checkpoints(paths)
    assert other.last_checkpoints == paths[1:]


def test_other_names_and_shapes(tmp_path):
    w = tf.Variable([[1.0, 2.0]], name="w")
    path = train.Saver({"old": w}).save(None, str(tmp_path / "model"))
    renamed = tf.Variable([[0.0, 0.0]], name="new")
    train.Saver({"old": renamed}).restore(None, path)
    np.testing.assert_array_equal(renamed, [[1.0, 2.0]])
    flat = tf.Variable([0.0, 0.0], name="old")
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes of both tensors to match"):
        train.Saver([flat]).restore(None, path)
    train.Saver([flat], reshape=True).restore(None, path)
    np.testing.assert_array_equal(flat, [1.0, 2.0])
    with pytest.raises(tf.errors.NotFoundError, match="Key w not found in checkpoint"):
        train.Saver([w]).restore(None, path)
    train.remove_checkpoint(path)
    assert not train.checkpoint_exists(path)


def test_mistakes(tmp_path):
    w = tf.Variable(1.0, name="w")
    with pytest.raises(RuntimeError, match="`var_list` must specify"):
        train.Saver()
    with pytest.raises(ValueError, match="No variables to save"):
        train.Saver([])
    with pytest.raises(ValueError, match="two variables have the same name: w"):
        train.Saver([w, tf.Variable(2.0, name="w")])
    saver = train.Saver([w])
    with pytest.raises(ValueError, match="save_path when it is None"):
        saver.restore(None, None)
    with pytest.raises(ValueError, match="not a valid checkpoint: none"):
        saver.restore(None, "none")
    with pytest.raises(ValueError, match=r"Parent directory of .* doesn't exist"):
        saver.save(None, str(tmp_path / "none" / "model"))
    with pytest.raises(ValueError, match="must not contain path components"):
        saver.save(None, str(tmp_path / "model"), latest_filename="a/b")
    saver.save(None, str(tmp_path / "model"), latest_filename="state")
    assert train.latest_checkpoint(str(tmp_path), "state") == str(tmp_path / "model")
