"""Memory shared with NumPy and through DLPack, and when it is not."""

import functools
import gc
import operator
import pickle
import weakref

import numpy as np
import penstock as tf
import pytest

N = 1000
LARGE = 100_000  # elements of a tensor whose buffer is worth reusing


def address(array):
    return array.__array_interface__["data"][0]


def foreign_bytes():
    return tf.config.experimental.get_memory_by_tag()["foreign"]["current"]


def test_constants_copy():
    array = np.ones(N, np.float32)
    tensor = tf.constant(array)
    array[0] = 5
    assert float(tensor[0]) == 1


def test_from_numpy_shares_and_is_counted_apart():
    before = foreign_bytes()
    current = tf.config.experimental.get_memory_info()["current"]
    array = np.arange(N, dtype=np.float32)
    tensor = tf.experimental.from_numpy(array)
    assert address(np.asarray(tensor)) == address(array)
    assert foreign_bytes() - before == array.nbytes
    assert tf.config.experimental.get_memory_info()["current"] == current
    watch = weakref.ref(array)
    del array
    gc.collect()
    assert watch() is not None
    assert float(tensor[7]) == 7
    del tensor
    assert watch() is None
    assert foreign_bytes() == before


def test_from_numpy_never_writes():
    array = np.ones(100_000, np.float32)
    result = tf.experimental.from_numpy(array) + 1.0
    assert array[0] == 1
    assert float(result[0]) == 2


def test_from_numpy_refuses_what_it_would_have_to_copy():
    with pytest.raises(ValueError, match="contiguous"):
        tf.experimental.from_numpy(np.ones((4, 4), np.float32).T[1:])
    with pytest.raises(ValueError, match="byte order"):
        tf.experimental.from_numpy(np.ones(4, ">f4"))


def test_asarray_is_a_read_only_view():
    tensor = tf.ones([N])
    array = np.asarray(tensor)
    assert not array.flags.writeable
    assert address(array) == address(np.asarray(tensor))
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    del tensor
    assert array.sum() == N


def current():
    return tf.config.experimental.get_memory_info()["current"]


class Made:
    """Makes tensors that share no memory, and records the address of the latest one."""

    def __call__(self):
        tensor = tf.ones([LARGE]) * 2.0
        self.address = address(np.asarray(tensor))
        return tensor


def test_numpy_takes_over_what_dies_with_the_call():
    made = Made()
    array = made().numpy()
    assert array.flags.writeable
    assert address(array) == made.address
    before = current()
    array = [made()][0].numpy()
    assert address(array) == made.address
    assert current() == before


@pytest.mark.parametrize(
    "numpy_of",
    [
        lambda tensor: tensor.numpy(),
        lambda tensor: functools.partial(type(tensor).numpy, tensor)(),
        lambda tensor: operator.methodcaller("numpy")(tensor),
        lambda tensor: next(map(type(tensor).numpy, [tensor])),
        lambda tensor: tensor._numpy(),
        lambda tensor: tf.reshape(tensor, [100, -1]).numpy(),
        lambda tensor: tf.identity(tensor).numpy(),
        lambda tensor: tensor[:].numpy(),
        lambda tensor: tf.stop_gradient(tensor).numpy(),
        lambda tensor: np.array(tensor),
    ],
)
@pytest.mark.parametrize("size", [300, LARGE])
def test_numpy_of_a_tensor_that_stays_is_a_copy(numpy_of, size):
    kinds = [
        tf.ones([size]) * 2.0,
        tf.constant(np.full(size, 2, np.float32)),
        tf.Variable(tf.fill([size], 2.0)).value(),
        tf.experimental.from_numpy(np.full(size, 2, np.float32)),
    ]
    for tensor in kinds:
        numpy_of(tensor)[...] += 100
        assert np.all(np.asarray(tensor) == 2)


def test_numpy_by_way_of_what_keeps_the_tensor():
    """The bound method and the partial hold the only reference, and can be called again."""
    made = Made()
    bound = made().numpy
    bound()[0] = 9
    assert bound()[0] == 2
    partial = functools.partial(type(made()).numpy, made())
    partial()[0] = 9
    assert partial()[0] == 2


def test_numpy_of_a_view_does_not_keep_the_whole():
    before = current()
    row = (tf.ones([10, LARGE]) * 2.0)[3].numpy()
    assert current() == before + row.nbytes
    row[0] = 5


def test_numpy_leaves_gradients_alone():
    x = tf.Variable(tf.ones([LARGE]))
    with tf.GradientTape() as tape:
        y = x * 3.0
        z = y * y
        y.numpy()[...] = 100
        tf.exp(y).numpy()[...] = 100
        loss = tf.reduce_sum(z)
    assert float(tape.gradient(loss, x)[0]) == 18
    with tf.GradientTape() as tape:
        tape.watch(y)
        loss = tf.reduce_sum(tf.exp(tf.zeros_like(y) * y))
        tf.square(y).numpy()[...] = 100
    assert float(tape.gradient(loss, y)[0]) == 0


def test_numpy_leaves_constants_of_functions_alone():
    held = tf.ones([LARGE]) * 2.0

    @tf.function
    def f():
        return tf.constant(np.full(LARGE, 3, np.float32)), held

    for _ in range(3):
        f()[0].numpy()[...] = 100
        f()[1].numpy()[...] = 100
    assert [float(each[0]) for each in f()] == [3, 2]


def test_numpy_is_counted_and_within_the_budget():
    tensor = tf.ones([LARGE])
    before, host = current(), tf.config.experimental.get_memory_by_tag()["host"]["current"]
    array = tensor.numpy()
    assert current() == before + array.nbytes
    by_tag = tf.config.experimental.get_memory_by_tag()
    assert by_tag["host"]["current"] == host + array.nbytes
    del array
    assert current() == before
    variable = tf.Variable(tensor)
    before = current()
    array = variable.numpy()
    array[0] = 9
    assert (current(), float(variable[0])) == (before + array.nbytes, 1)
    del array
    limit = tf.config.get_memory_budget()
    tf.config.set_memory_budget(current() + 4 * LARGE - 1)
    try:
        with pytest.raises(tf.errors.ResourceExhaustedError, match="host"):
            tensor.numpy()
    finally:
        tf.config.set_memory_budget(limit)
    assert tensor.numpy()[-1] == 1


def test_numpy_takes_no_arguments():
    with pytest.raises(TypeError, match="takes no arguments"):
        tf.ones([2]).numpy(1)


def test_strings_are_copied():
    tensor = tf.constant([b"a", b"b"])
    tensor.numpy()[0] = b"z"
    np.asarray(tensor)[0] = b"z"
    assert tensor[0].numpy() == b"a"


def test_protos_are_copied():
    proto = tf.make_tensor_proto(np.ones(N, np.float32))
    array = tf.make_ndarray(proto)
    array += 1
    assert tf.make_ndarray(proto)[0] == 1


def test_a_pickled_tensor_is_apart():
    tensor = tf.ones([N])
    copy = pickle.loads(pickle.dumps(tensor))
    copy.numpy()[0] = 9
    assert float(copy[0]) == float(tensor[0]) == 1
    variable = pickle.loads(pickle.dumps(tf.Variable(3.0)))
    assert float(variable) == 3


def test_session_results_are_private():
    v1 = tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [LARGE])
        doubled = x * 2.0
        constant = tf.constant(np.full(LARGE, 3, np.float32))
        variable = v1.Variable(np.full(LARGE, 4, np.float32))
        session.run(variable.initializer)
        given = np.ones(LARGE, np.float32)
        fetches = [x, doubled, tf.identity(x), constant, constant + 0.0, variable, variable + 0.0]
        for _ in range(3):
            got = session.run(fetches, {x: given})
            assert [float(each[-1]) for each in got] == [1, 2, 1, 3, 3, 4, 4]
            for i, each in enumerate(got):
                assert each.flags.writeable
                assert not any(np.shares_memory(each, other) for other in got[:i])
                each[...] = 100
        assert given[0] == 1
        assert session.run(constant)[0] == 3
        session.run(constant)[0] = 9
        assert session.run(constant)[0] == 3
        first, second = session.run([doubled, doubled], {x: given})
        assert first is second  # as in TensorFlow


def test_session_results_take_the_runs_memory():
    v1 = tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [LARGE])
        doubled = x * 2.0
        given = np.ones(LARGE, np.float32)
        session.run(doubled, {x: given})
        before = current()
        tf.config.experimental.reset_memory_stats("CPU:0")
        array = session.run(doubled, {x: given})
        assert tf.config.experimental.get_memory_info()["peak"] - before == 2 * array.nbytes
        del array
        assert current() == before


def test_arguments_of_numpy_functions_are_private():
    """TensorFlow shows the tensor's own memory there: its own words ask not to write into it."""
    seen = []

    def spoil(array):
        array += 100
        seen.append(array)
        return array

    x = tf.ones([LARGE])
    tf.numpy_function(spoil, [x], tf.float32)

    @tf.function
    def f(x):
        y = x * 2.0
        return y, tf.numpy_function(spoil, [y], tf.float32), tf.numpy_function(spoil, [x], x.dtype)

    y, of_y, of_x = f(x)
    seen[-1][...] = 5
    assert [float(each[0]) for each in (x, y, of_y, of_x)] == [1, 2, 102, 101]


@pytest.mark.parametrize("view", [lambda t: t.numpy(), np.asarray, memoryview, np.from_dlpack])
def test_ops_never_write_into_what_an_array_shows(view):
    ones = tf.ones([LARGE])
    tensor = ones + 1.0
    array = view(tensor)
    result = tensor * 3.0
    assert (array[0], array[-1], float(result[0])) == (2, 2, 6)
    array = view(tensor + 1.0)
    del tensor
    result = tf.exp(ones * 0.0) + ones  # their buffers could have come from the array's tensor
    assert (array[0], array[-1], float(result[0])) == (3, 3, 2)


def test_memory_lives_as_long_as_the_last_array():
    before = tf.config.experimental.get_memory_info()["current"]
    array = (tf.ones([N]) + 1.0).numpy()
    assert tf.config.experimental.get_memory_info()["current"] == before + 4 * N
    del array
    assert tf.config.experimental.get_memory_info()["current"] == before


def test_buffer_protocol():
    view = memoryview(tf.constant([[1, 2], [3, 4]]))
    assert (view.format, view.shape, view.readonly) == ("i", (2, 2), True)
    assert view.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int64", "float16", "float64", "complex64"]
)
def test_dlpack_with_numpy(dtype):
    array = np.ones((2, 3), dtype)
    tensor = tf.from_dlpack(array)
    assert address(np.asarray(tensor)) == address(array)
    assert tensor.dtype == dtype
    back = np.from_dlpack(tensor)
    assert address(back) == address(array)
    assert not back.flags.writeable


def test_dlpack_lifetime():
    before = foreign_bytes()
    array = np.ones(N, np.float32)
    watch = weakref.ref(array)
    tensor = tf.from_dlpack(array)
    del array
    assert watch() is not None
    assert foreign_bytes() - before == 4 * N
    del tensor
    gc.collect()
    assert watch() is None
    unused = tf.ones([N]).__dlpack__()
    del unused


def test_dlpack_refuses():
    with pytest.raises(BufferError, match="contiguous"):
        tf.from_dlpack(np.ones((4, 4), np.float32)[:, 1:])
    with pytest.raises(TypeError, match="capsule"):
        tf.experimental.dlpack.from_dlpack(3)
    capsule = tf.experimental.dlpack.to_dlpack(tf.ones([2]))
    tf.experimental.dlpack.from_dlpack(capsule)
    with pytest.raises(TypeError, match="nobody has used"):
        tf.experimental.dlpack.from_dlpack(capsule)


DTYPES = ["bool", "uint8", "int32", "float16", "bfloat16", "float32", "complex64"]


@pytest.mark.parametrize("dtype", [*DTYPES, "int64", "float64"])
def test_dlpack_with_torch(dtype):
    torch = pytest.importorskip("torch")
    ours = tf.cast([[1, 0, 2], [3, 4, 5]], dtype)
    theirs = torch.from_dlpack(ours)
    assert theirs.dtype == getattr(torch, dtype)
    back = tf.from_dlpack(theirs)
    assert back.dtype == dtype
    assert tf.reduce_all(back == ours)
    assert torch.from_dlpack(back).data_ptr() == theirs.data_ptr()


@pytest.mark.parametrize("dtype", DTYPES)
def test_dlpack_with_jax(dtype):
    jnp = pytest.importorskip("jax.numpy")
    theirs = jnp.asarray([[1, 0, 2], [3, 4, 5]], dtype)
    ours = tf.from_dlpack(theirs)
    assert ours.dtype == dtype
    back = jnp.from_dlpack(ours)
    assert back.unsafe_buffer_pointer() == theirs.unsafe_buffer_pointer()
    assert (back == theirs).all()


def test_dlpack_with_torch_lifetime():
    torch = pytest.importorskip("torch")
    before = tf.config.experimental.get_memory_info()["current"]
    theirs = torch.from_dlpack(tf.ones([N]) + 1.0)
    assert tf.config.experimental.get_memory_info()["current"] == before + 4 * N
    assert theirs.sum() == 2 * N
    ours = tf.from_dlpack(theirs)
    assert foreign_bytes() >= 4 * N
    del theirs
    assert float(ours[-1]) == 2
    with pytest.raises(BufferError, match="contiguous"):
        tf.from_dlpack(torch.ones(3, 4).T)
