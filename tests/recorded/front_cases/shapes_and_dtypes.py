"""tf.TensorShape and tf.DType: their methods, and how they print."""

SETUP = """
s = tf.TensorShape([2, 3])
p = tf.TensorShape([None, 3])
q = tf.TensorShape(None)
"""

CALLS = """
s
p
q
tf.TensorShape([])
tf.TensorShape(5)
tf.TensorShape((1, 2))
tf.TensorShape([-1, 2])
tf.TensorShape([-2])
tf.TensorShape([1.5])
tf.TensorShape("ab")
tf.TensorShape(["a"])
tf.TensorShape(s)
tf.TensorShape([tf.constant(2)])
tf.TensorShape([np.int64(2)])
str(s)
str(p)
str(q)
str(tf.TensorShape([]))
str(tf.TensorShape([5]))
repr(p)
s.rank
q.rank
s.ndims
s.as_list()
p.as_list()
q.as_list()
s.dims
q.dims
s.num_elements()
p.num_elements()
tf.TensorShape([]).num_elements()
s.is_fully_defined()
p.is_fully_defined()
q.is_fully_defined()
s.is_compatible_with(p)
s.is_compatible_with([2, 4])
s.is_compatible_with(q)
p.is_compatible_with([2, 3, 4])
s.merge_with(p)
p.merge_with([5, None])
s.merge_with([5, 3])
q.merge_with(s)
s.concatenate([4])
s.concatenate(q)
s + [4]
[4] + s
(1,) + s
s + s
s + None
s.with_rank(2)
s.with_rank(3)
q.with_rank(2)
s.with_rank_at_least(1)
s.with_rank_at_least(3)
s.with_rank_at_most(2)
s.with_rank_at_most(1)
s.most_specific_compatible_shape([2, 4])
s.assert_has_rank(2)
s.assert_has_rank(3)
s.assert_is_fully_defined()
p.assert_is_fully_defined()
s.assert_is_compatible_with([2, 4])
s.assert_same_rank([1, 2])
s.assert_same_rank([1])
s[0]
s[-1]
s[5]
p[0]
q[0]
s[:1]
p[1:]
q[1:]
len(s)
len(q)
list(s)
list(q)
list(p)
bool(s)
bool(q)
bool(tf.TensorShape([]))
s == [2, 3]
s == (2, 3)
s == tf.TensorShape([2, 3])
s == [2, 4]
s != [2, 3]
s == p
p == tf.TensorShape([None, 3])
q == tf.TensorShape(None)
q == None
s == None
s == "ab"
s == 5
[2, 3] == s
hash(s) == hash(tf.TensorShape([2, 3]))
{s: 1}[tf.TensorShape([2, 3])]
tuple(s)
2 in s
s[0] * 2
tf.zeros([1, 2]).shape == (1, 2)
tf.zeros([1, 2]).shape + (3,)
tf.zeros([4, 2]).shape[0] // 2
np.zeros(s)
tf.reshape(tf.range(6), s)
tf.constant(s)
tf.TensorShape([2, None]).is_compatible_with(tf.zeros([2, 5]).shape)
tf.zeros([2, 3]).set_shape([2, 3])
tf.zeros([2, 3]).set_shape([3, 2])
tf.float32
repr(tf.float32)
str(tf.float32)
tf.float32.name
tf.float32.as_numpy_dtype
tf.string.as_numpy_dtype
tf.bool.as_numpy_dtype
tf.bfloat16.name
tf.float32.as_datatype_enum
tf.float32.size
tf.string.size
tf.bfloat16.size
tf.complex64.size
tf.float32.is_floating
tf.bfloat16.is_floating
tf.int32.is_floating
tf.int32.is_integer
tf.uint8.is_unsigned
tf.bool.is_integer
tf.bool.is_bool
tf.complex64.is_complex
tf.string.is_numpy_compatible
tf.int8.min
tf.int8.max
tf.uint64.max
tf.float32.max
tf.float32.min
tf.float16.max
tf.bfloat16.max
tf.bool.max
tf.string.max
tf.uint8.limits
tf.float32.limits
tf.float32.base_dtype
tf.complex64.real_dtype
tf.float32.real_dtype
tf.float32 == tf.float32
tf.float32 == tf.float64
tf.float32 == "float32"
tf.float32 == np.float32
tf.float32 == np.dtype("float32")
np.float32 == tf.float32
tf.float32 != "int32"
tf.float32 == "nosuch"
tf.float32 == None
tf.float32 == float
tf.float32 in (tf.float32, tf.int32)
hash(tf.int32) == hash(tf.int32)
tf.float32.is_compatible_with(tf.float32)
tf.float32.is_compatible_with("int32")
tf.as_dtype("float32")
tf.as_dtype("float")
tf.as_dtype("half")
tf.as_dtype("nosuch")
tf.as_dtype(np.int64)
tf.as_dtype(np.dtype("int16"))
tf.as_dtype(float)
tf.as_dtype(int)
tf.as_dtype(bool)
tf.as_dtype(str)
tf.as_dtype(complex)
tf.as_dtype(None)
tf.as_dtype(1)
tf.as_dtype(100000)
tf.as_dtype(object)
tf.as_dtype(np.array([1.5]).dtype)
tf.dtypes.as_dtype("int8")
tf.dtypes.cast([1.5], tf.int32)
tf.dtypes.float32 is tf.float32
tf.double
tf.half
tf.dtypes.DType is tf.DType
np.zeros(2, tf.int32.as_numpy_dtype)
np.dtype(tf.float32.as_numpy_dtype).name
int(tf.float32)
tf.dtypes.saturate_cast([300.0, -5.0], tf.uint8)
tf.dtypes.complex(1.0, 2.0)
import pickle; pickle.loads(pickle.dumps(tf.float32)) is tf.float32
import pickle; pickle.loads(pickle.dumps(s)) == s
"""
