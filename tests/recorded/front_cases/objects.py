"""The methods and attributes of variables, shapes and dtypes."""

SETUP = """
v = tf.Variable([1.0, 2.0, 3.0], name="w")
vi = tf.Variable([1, 2])
ts = tf.TensorShape
"""

CALLS = r"""
tf.abs(tf.linalg.qr(a)[1])
v.name
v.dtype
v.shape
v.trainable
v.device
v.assign([4.0, 5.0, 6.0])
v.assign_add([1.0, 1.0, 1.0])
v.assign_add(1.0)
v.assign_sub([1.0, 1.0, 1.0], read_value=False)
v.assign([1.0])
v.assign("a")
v.assign(tf.constant([1, 2, 3]))
v.assign(np.array([1, 2, 3]))
v.assign(v)
v.assign([1, 2, 3])
vi.assign([1.5, 2.5])
v.value()
v.read_value()
v.numpy()
v.is_initialized()
v.ref() == v.ref()
v.ref().deref() is v
{v.ref(): 1}[v.ref()]
hash(v)
v == v
v is v
v + v
-v
abs(v)
v[0]
v[1:]
v.scatter_add(tf.IndexedSlices([1.0], [0]))
v.scatter_nd_update([[0]], [9.0])
v.scatter_update(tf.IndexedSlices([9.0], [5]))
v.gather_nd([[0], [2]])
v.sparse_read([0, 1])
v.op
v.graph
v.initializer
v.initial_value
v.eval()
v.get_shape()
v.set_shape([3])
v.set_shape([4])
v.save_slice_info
v.synchronization
v.aggregation
v.experimental_ref().deref() is v
v.constraint
v.shape.rank
len(v)
list(v)
bool(tf.Variable(1.0))
int(tf.Variable(3))
float(tf.Variable(2.5))
round(tf.Variable(2.5).numpy())
v.foo
v += 1.0; v
v.assign([1.0, 2.0, 3.0], use_locking=True, name="a")
tf.Variable(1.0, name="a b").name
tf.Variable(1.0, name="x:0").name
tf.Variable(lambda: tf.ones([2]))
tf.Variable(lambda: 1, dtype=tf.float64)
tf.Variable([1, 2], dtype=tf.float32)
tf.Variable(tf.constant([1, 2]), dtype=tf.float32)
tf.Variable(None)
tf.Variable()
tf.Variable(1.0, trainable=False).trainable
tf.Variable([[1.0]], shape=[1])
tf.Variable(v)
tf.Variable(1.0, constraint=lambda z: z).constraint is not None
import copy; copy.deepcopy(v)
import copy; copy.copy(tf.constant(1.0))
import pickle; pickle.loads(pickle.dumps(tf.constant([1.0])))
ts([1, 2]) + [3]
ts([1, 2]).concatenate([3])
[0] + ts([1, 2])
ts([None, 2]).merge_with([3, 2])
ts([None, 2]).merge_with([3, 3])
ts([1, 2]).with_rank(3)
ts([1, 2]).with_rank_at_least(1)
ts([1, 2])[0]
ts([1, 2])[-1]
ts([1, 2, 3])[1:]
ts([1, None])[1]
ts(None)[0]
ts(None).rank
ts(None).as_list()
len(ts(None))
ts([1, 2]) == [1, 2]
ts([1, 2]) == (1, 2)
ts([1, None]) == ts([1, None])
ts(None) == ts(None)
ts([1, 2]) != [1, 3]
ts([1, None]).is_fully_defined()
ts([1, None]).num_elements()
ts([2, 3]).num_elements()
ts([1, None]).is_compatible_with([1, 5])
ts([1, None]).most_specific_compatible_shape([2, None])
ts([1, None]).is_subtype_of(ts([None, None]))
list(ts([1, 2]))
tuple(ts([1, None]))
str(ts([1, None]))
repr(ts([1, None]))
str(ts(None))
repr(ts([]))
str(ts([]))
str(ts([3]))
hash(ts([1, 2])) == hash(ts([1, 2]))
bool(ts([]))
bool(ts(None))
ts(3)
ts("a")
ts([-1])
ts([1.5])
ts(tf.constant([1, 2]))
ts([tf.constant(2)])
ts([1, 2]).dims
ts([1, 2]).dims[0].value
ts([1, 2]).ndims
ts([1, 2]).assert_has_rank(3)
ts([1, 2]).assert_is_compatible_with([1, 3])
ts([1, 2]).assert_same_rank([1])
ts([1, 2]).assert_is_fully_defined()
ts([1, 2]).unknown_shape if hasattr(ts([1, 2]), "unknown_shape") else 0
1 in ts([1, 2])
tf.float32
str(tf.float32)
tf.float32.name
tf.float32.as_numpy_dtype
tf.float32.as_datatype_enum
tf.float32.size
tf.float32.min
tf.float32.max
tf.int8.min
tf.int8.max
tf.bool.max
tf.string.max
tf.bfloat16.max
tf.complex64.max
tf.uint8.limits
tf.float32.limits
tf.float32.is_floating
tf.int32.is_integer
tf.uint8.is_unsigned
tf.complex64.is_complex
tf.bool.is_bool
tf.string.is_numpy_compatible
tf.complex64.real_dtype
tf.float32.real_dtype
tf.float32.base_dtype
tf.float32 == "float32"
tf.float32 == np.float32
tf.float32 == np.dtype("float32")
tf.float32 == tf.float64
tf.float32 != "float64"
tf.float32 in [np.float32]
tf.float32 == float
tf.float32 == None
hash(tf.float32) == hash(tf.as_dtype("float32"))
tf.as_dtype("float")
tf.as_dtype(float)
tf.as_dtype(int)
tf.as_dtype(bool)
tf.as_dtype(str)
tf.as_dtype(np.int8)
tf.as_dtype("int")
tf.as_dtype("foo")
tf.as_dtype(1)
tf.as_dtype(complex)
tf.as_dtype("half")
tf.as_dtype("<f4")
tf.dtypes.as_dtype("bfloat16")
tf.dtypes.float32.is_compatible_with(tf.float32)
tf.dtypes.cast([1.7], tf.int32)
tf.dtypes.complex(1.0, 2.0)
tf.dtypes.saturate_cast([300], tf.uint8)
tf.qint8
tf.resource
tf.variant
tf.half is tf.float16
tf.double is tf.float64
int(tf.float32)
np.dtype(tf.float32.as_numpy_dtype)
np.zeros(2, tf.float32.as_numpy_dtype)
"""
