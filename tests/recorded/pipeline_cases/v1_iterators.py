"""Iterators of v1 programs: one-shot, initialisable, of a structure, by handle."""

import numpy as np
import tensorflow as tf

D = tf.data.Dataset
v1 = tf.compat.v1


def in_session(program):
    """What a generator of fetches is given back by a session, and how it ends."""
    with tf.Graph().as_default(), v1.Session() as session:
        return [plain(each) for each in program(session)]


def plain(value):
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def until_end(session, fetch, feed=None):
    """The values to the end, and the class of the error there."""
    found = []
    while True:
        try:
            found.append(plain(session.run(fetch, feed)))
        except tf.errors.OutOfRangeError:
            return [*found, "OutOfRangeError"]


def one_shot(session):
    following = v1.data.make_one_shot_iterator(D.range(3)).get_next()
    yield until_end(session, following)
    yield until_end(session, following)


def one_shot_method(session):
    iterator = v1.data.Dataset.range(3).map(lambda x: x * 2).make_one_shot_iterator()
    yield until_end(session, iterator.get_next())


def initializable(session):
    count = v1.placeholder(tf.int64, [])
    iterator = v1.data.make_initializable_iterator(D.range(count).map(lambda x: x * x))
    following = iterator.get_next()
    for n in (3, 5):
        session.run(iterator.initializer, {count: n})
        yield until_end(session, following)


def initializable_method(session):
    iterator = v1.data.Dataset.range(3).make_initializable_iterator()
    session.run(iterator.initializer)
    yield until_end(session, iterator.get_next())


def initialized_again(session):
    iterator = v1.data.make_initializable_iterator(D.range(4))
    following = iterator.get_next()
    session.run(iterator.initializer)
    yield [session.run(following) for _ in range(2)]
    session.run(iterator.initializer)
    yield until_end(session, following)


def not_initialized(session):
    iterator = v1.data.make_initializable_iterator(D.range(4))
    try:
        session.run(iterator.get_next())
    except tf.errors.FailedPreconditionError as error:
        yield "FailedPreconditionError", "not been initialized" in str(error)


def of_structure(session):
    first, second = D.range(3), D.range(10, 12).map(lambda x: x + 1)
    iterator = v1.data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
    following = iterator.get_next()
    for dataset in (first, second, first):
        session.run(iterator.make_initializer(dataset))
        yield until_end(session, following)


def of_structure_named(session):
    types, shapes = {"a": tf.int32, "b": tf.string}, {"a": [], "b": [None]}
    iterator = v1.data.Iterator.from_structure(types, shapes)
    dataset = D.from_tensor_slices({"a": [1, 2], "b": [["x"], ["y"]]})
    session.run(iterator.make_initializer(dataset, name="fill"))
    yield until_end(session, iterator.get_next())


def by_handle(session):
    handle = v1.placeholder(tf.string, [])
    iterator = v1.data.Iterator.from_string_handle(handle, tf.int64, [])
    following = iterator.get_next()
    first = v1.data.make_one_shot_iterator(D.range(100).repeat())
    second = v1.data.make_initializable_iterator(D.range(1000, 1003))
    handles = session.run([first.string_handle(), second.string_handle()])
    for _ in range(2):
        yield [session.run(following, {handle: handles[0]}) for _ in range(3)]
        session.run(second.initializer)
        yield until_end(session, following, {handle: handles[1]})


def with_parts(session):
    """Parts of an element: each run takes one, whatever is fetched of it."""
    dataset = D.zip((D.range(6), D.range(10, 16)))
    x, y = v1.data.make_one_shot_iterator(dataset).get_next()
    yield session.run([x, y])
    yield session.run(x)
    yield session.run([y, x, x + y])


def two_gets(session):
    """Two get_next of one iterator take an element each."""
    iterator = v1.data.make_one_shot_iterator(D.range(6))
    first, second = iterator.get_next(), iterator.get_next()
    for _ in range(2):
        yield sorted(plain(session.run([first, second])))


def several_epochs(session):
    dataset = D.range(5).shuffle(5, seed=4).batch(2)
    iterator = v1.data.make_initializable_iterator(dataset)
    following = iterator.get_next()
    for _ in range(3):
        session.run(iterator.initializer)
        yield until_end(session, following)


def seeded_graph(session):
    v1.set_random_seed(5)
    made = [D.range(5).shuffle(5), D.range(5).shuffle(5), D.random().take(2)]
    for dataset in made:
        yield until_end(session, v1.data.make_one_shot_iterator(dataset).get_next())


def arrays_fed(session):
    x, y = np.arange(6, dtype=np.float32).reshape(3, 2), np.array([1, 2, 3])
    px, py = v1.placeholder(x.dtype, x.shape), v1.placeholder(y.dtype, y.shape)
    dataset = D.from_tensor_slices((px, py)).batch(2)
    iterator = v1.data.make_initializable_iterator(dataset)
    session.run(iterator.initializer, {px: x, py: y})
    yield until_end(session, iterator.get_next())


def known(session):
    """What is known of an iterator, and the names of what it gives."""
    dataset = D.from_tensor_slices(([1, 2], ["a", "b"])).batch(2)
    iterator = v1.data.make_one_shot_iterator(dataset)
    following = iterator.get_next()
    yield [str(each) for each in (iterator.output_types, iterator.output_shapes)]
    yield [str(each) for each in (iterator.output_classes, iterator.element_spec)]
    yield [each.name for each in following], [str(each.shape) for each in following]
    yield iterator.get_next(name="other")[0].name
    yield v1.data.make_initializable_iterator(dataset).initializer.name


def table_dataset(session):
    """A variable that the dataset's function reads needs an iterator to initialise."""
    v = v1.get_variable("v", [], tf.int64, initializer=v1.constant_initializer(5))
    iterator = v1.data.make_initializable_iterator(D.range(3).map(lambda x: x * v))
    session.run(v1.global_variables_initializer())
    session.run(iterator.initializer)
    yield until_end(session, iterator.get_next())
    session.run([v.assign(7)])
    session.run(iterator.initializer)
    yield until_end(session, iterator.get_next())


def one_shot_with_variable(session):
    v = v1.get_variable("v", [], tf.int64, initializer=v1.constant_initializer(5))
    try:
        v1.data.make_one_shot_iterator(D.range(3).map(lambda x: x * v))
    except ValueError as error:
        yield "ValueError", str(error)[:60]


def optional_next(session):
    iterator = v1.data.make_one_shot_iterator(D.range(2))
    following = tf.data.experimental.get_next_as_optional(iterator)
    for _ in range(3):
        yield session.run(following.has_value())


def trained(session):
    """Gradient steps over batches, to the end of the data."""
    x = np.arange(8, dtype=np.float32).reshape(4, 2) / 10
    dataset = D.from_tensor_slices((x, x.sum(1))).shuffle(4, seed=2).repeat(3).batch(2)
    features, target = v1.data.make_one_shot_iterator(dataset).get_next()
    w = v1.get_variable("w", [2], initializer=v1.zeros_initializer())
    loss = tf.reduce_mean((tf.linalg.matvec(features, w) - target) ** 2)
    step = v1.train.GradientDescentOptimizer(0.5).minimize(loss)
    session.run(v1.global_variables_initializer())
    losses = until_end(session, (loss, step))
    yield [round(each[0], 5) if isinstance(each, list) else each for each in losses]


def eager_one_shot():
    iterator = v1.data.make_one_shot_iterator(D.range(2))
    return [int(iterator.get_next()), int(next(iterator))]


def wrong(program):
    """A mistake in a graph."""
    with tf.Graph().as_default(), v1.Session() as session:
        return plain(program(session))


CALLS = """
in_session(one_shot)
in_session(one_shot_method)
in_session(initializable)
in_session(initializable_method)
in_session(initialized_again)
in_session(not_initialized)
in_session(of_structure)
in_session(of_structure_named)
in_session(by_handle)
in_session(with_parts)
in_session(two_gets)
in_session(several_epochs)
in_session(seeded_graph)
in_session(arrays_fed)
in_session(known)
in_session(table_dataset)
in_session(one_shot_with_variable)
in_session(optional_next)
in_session(trained)
eager_one_shot()
repr(v1.data.Dataset.range(3))
v1.data.Dataset.range(3).map(lambda x: x + 1)
[v1.data.Dataset.range(3).output_types, v1.data.Dataset.range(3).output_shapes]
[isinstance(v1.data.Dataset.range(3), D), isinstance(D.range(3), v1.data.Dataset)]
v1.data.Dataset.from_tensor_slices([1, 2]).repeat(2).batch(3)
wrong(lambda s: s.run(D.range(3)))
wrong(lambda s: iter(D.range(3)))
wrong(lambda s: [x for x in D.range(3)])
wrong(lambda s: s.run(v1.data.Iterator.from_structure(tf.int64, []).get_next()))
wrong(lambda s: v1.data.Iterator.from_structure(tf.int64, []).initializer)
wrong(lambda s: v1.data.Iterator.from_structure(tf.int32, []).make_initializer(D.range(3)))
wrong(lambda s: v1.data.Iterator.from_structure(tf.int64, [2]).make_initializer(D.range(3)))
wrong(lambda s: v1.data.make_one_shot_iterator(D.range(v1.placeholder(tf.int64, []))))
wrong(lambda s: v1.data.make_one_shot_iterator(D.range(3)).initializer)
wrong(lambda s: D.range(3).as_numpy_iterator())
v1.data.make_initializable_iterator(D.range(3))
v1.data.Iterator.from_structure(tf.int64, [])
"""
