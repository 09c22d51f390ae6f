"""Memory shared with NumPy and through DLPack, and when it is not."""

import gc
import weakref

import numpy as np
import penstock as tf
import pytest

N = 1000


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


def test_dlpack_with_torch():
    torch = pytest.importorskip("torch")
    theirs = torch.arange(6, dtype=torch.float32)
    ours = tf.from_dlpack(theirs)
    assert address(np.asarray(ours)) == theirs.data_ptr()
    assert torch.from_dlpack(ours).data_ptr() == theirs.data_ptr()


def test_dlpack_with_jax():
    jnp = pytest.importorskip("jax.numpy")
    theirs = jnp.arange(6, dtype=jnp.float32)
    ours = tf.from_dlpack(theirs)
    assert ours.numpy().tolist() == [0, 1, 2, 3, 4, 5]
