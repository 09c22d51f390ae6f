"""Positions of iterators in checkpoints."""

import os

import numpy as np
import penstock as tf
import pytest

D = tf.data.Dataset
v1 = tf.compat.v1


def rest(iterator):
    return [int(x) for x in iterator]


def test_a_position_beside_variables(tmp_path):
    iterator, step = iter(D.range(6).map(lambda x: x * x)), tf.Variable(5)
    next(iterator), next(iterator)
    path = tf.train.Checkpoint(iterator=iterator, step=step).save(tmp_path / "saved")
    fresh, other = iter(D.range(6).map(lambda x: x * x)), tf.Variable(0)
    restored = tf.train.Checkpoint(iterator=fresh, step=other).restore(path)
    restored.assert_consumed()
    assert (rest(fresh), int(other)) == ([4, 9, 16, 25], 5)
    assert rest(iterator) == [4, 9, 16, 25]


def test_an_iterator_that_is_made_later(tmp_path):
    class Training(tf.Module):
        pass

    training = Training()
    training.iterator = iter(D.range(4))
    next(training.iterator)
    path = tf.train.Checkpoint(training).write(str(tmp_path / "saved"))
    later = Training()
    status = tf.train.Checkpoint(later).read(path)
    with pytest.raises(AssertionError):
        status.assert_consumed()
    later.iterator = iter(D.range(4))
    status.assert_consumed()
    assert rest(later.iterator) == [1, 2, 3]


def test_another_pipeline_is_refused_and_nothing_changes(tmp_path):
    path = tf.train.Checkpoint(iterator=iter(D.range(4)), v=tf.Variable(1)).write(
        str(tmp_path / "saved")
    )
    other, v = iter(D.range(4).batch(2)), tf.Variable(7)
    next(other)
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.Checkpoint(iterator=other, v=v).read(path)
    assert int(v) == 7
    assert next(other).numpy().tolist() == [2, 3]


def test_a_state_is_no_variable_and_the_reverse(tmp_path):
    state = tf.train.Checkpoint(x=iter(D.range(4))).write(str(tmp_path / "state"))
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        tf.train.Checkpoint(x=tf.Variable(1.0)).read(state)
    value = tf.train.Checkpoint(x=tf.Variable(1.0)).write(str(tmp_path / "value"))
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.Checkpoint(x=iter(D.range(4))).read(value)


def test_positions_by_a_manager(tmp_path):
    iterator = iter(D.range(10))
    checkpoint = tf.train.Checkpoint(iterator=iterator)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    for _ in range(4):
        next(iterator)
        manager.save()
    assert len(manager.checkpoints) == 2
    checkpoint.restore(manager.checkpoints[0])
    assert int(next(iterator)) == 3
    names = tf.train.list_variables(manager.latest_checkpoint)
    assert "iterator/.ATTRIBUTES/ITERATOR_STATE" in [name for name, _ in names]


def test_a_shuffle_goes_on_in_its_order(tmp_path):
    dataset = D.range(20).shuffle(7, seed=5).repeat(2).prefetch(3)
    iterator = iter(dataset)
    for _ in range(9):
        next(iterator)
    path = tf.train.Checkpoint(iterator=iterator).write(str(tmp_path / "saved"))
    expected = rest(iterator)
    again = iter(D.range(20).shuffle(7, seed=5).repeat(2).prefetch(3))
    tf.train.Checkpoint(iterator=again).read(path)
    assert rest(again) == expected
    assert len(expected) == 31


def test_numpy_iterators_save_and_restore():
    iterator = D.range(6).as_numpy_iterator()
    next(iterator)
    state = iterator.save()
    assert [next(iterator), next(iterator)] == [1, 2]
    iterator.restore(state)
    assert list(iterator) == [1, 2, 3, 4, 5]
    with pytest.raises(tf.errors.NotFoundError):
        D.range(6).batch(2).as_numpy_iterator().restore(state)


@pytest.mark.parametrize("is_collected", [True, False])
def test_a_saver_of_a_graph(tmp_path, is_collected):
    def program(session):
        iterator = v1.data.make_initializable_iterator(D.range(6))
        w = v1.get_variable("w", initializer=1.0)
        saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
        if is_collected:
            v1.add_to_collection(v1.GraphKeys.SAVEABLE_OBJECTS, saveable)
        saver = v1.train.Saver(None if is_collected else [w, saveable])
        session.run([v1.global_variables_initializer(), iterator.initializer])
        return iterator.get_next(), w, saver

    path = os.path.join(tmp_path, "saved")
    with tf.Graph().as_default(), v1.Session() as session:
        following, w, saver = program(session)
        session.run([following, w.assign(3.0)])
        saver.save(session, path)
        session.run(following)
        saver.restore(session, path)
        assert session.run(following) == 1
    with tf.Graph().as_default(), v1.Session() as session:
        following, w, saver = program(session)
        saver.restore(session, path)
        assert (session.run(following), session.run(w)) == (np.int64(1), np.float32(3.0))
