"""Memory shared with NumPy and through DLPack, and when it is not."""

import gc
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


def test_numpy_shares_when_the_tensor_is_alone():
    tensor = tf.ones([N]) + 1.0
    array = tensor.numpy()
    assert array.flags.writeable
    assert address(array) == address(np.asarray(tensor))
    del tensor
    array += 1
    assert array[0] == 3
    former = tf.constant(np.ones(LARGE, np.float32)) + 1.0  # in the constant's buffer
    assert address(former.numpy()) == address(np.asarray(former))


def test_numpy_copies_what_others_hold():
    variable = tf.Variable(tf.ones([N]))
    array = variable.numpy()
    array[0] = 9
    assert float(variable[0]) == 1
    constant = tf.constant(np.ones(N, np.float32))
    array = constant.numpy()
    array[0] = 9
    assert float(constant[0]) == 1
    tensor = tf.ones([N]) * 2.0
    other = tf.reshape(tensor, [10, 100])
    array = tensor.numpy()
    array[0] = 9
    assert float(other[0, 0]) == 2
    first = tf.ones([N]).numpy()
    assert first[0] == 1


def test_numpy_twice():
    """The second array is apart from the first, which shares the tensor's memory."""
    tensor = tf.ones([N]) + 1.0
    first, second = tensor.numpy(), tensor.numpy()
    assert address(first) != address(second)
    second[0] = 9
    assert first[0] == 2
    del first
    third = tensor.numpy()
    assert address(third) == address(np.asarray(tensor))


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
