"""Indexing: integers, slices, new axes, ellipses, masks, tensors as indices."""

SETUP = """
v = tf.range(6)
m = tf.reshape(tf.range(12), [3, 4])
t = tf.reshape(tf.range(24), [2, 3, 4])
"""

CALLS = """
v[0]
v[-1]
v[6]
v[-7]
v[1:3]
v[:]
v[::2]
v[::-1]
v[4:1:-1]
v[4:1]
v[-2:]
v[:100]
v[100:]
v[::0]
v[1:5:2]
v[None]
v[tf.newaxis, :]
v[:, None]
v[..., None]
v[...]
v[..., 0]
v[0, 0]
v[0, ...]
v[True]
v[None, 1:2, None]
v[tf.constant(2)]
v[tf.constant(2):]
v[tf.constant(1):tf.constant(4)]
v[np.int64(2)]
v[np.int32(1):np.int64(3)]
v[1.0]
v[1.5:]
v["a"]
v[[0, 1]]
v[np.array([0, 1])]
v[tf.constant([0, 1])]
v[tf.constant(1.0)]
v[v > 2]
v[v > 100]
v[[True, False, True, False, True, False]]
v[np.array([True, False, True, False, True, False])]
v[[True, False]]
v[()]
v[2**31]
v[2**70]
m[0]
m[0, 1]
m[-1, -1]
m[1][2]
m[:, 1]
m[:, -1:]
m[1:, :2]
m[::2, ::-1]
m[::-1]
m[..., 0]
m[0, ...]
m[..., ...]
m[:, None, 1]
m[None, ..., None]
m[:, :, None]
m[3]
m[0, 4]
m[0, 0, 0]
m[1:1]
m[2:1, 0]
m[m > 5]
m[m % 2 == 0]
m[[True, False, True]]
m[tf.constant([True, False, True])]
m[tf.constant(0), 1]
m[:, tf.constant(1)]
m[(0, 1)]
m[slice(1, 3)]
m[slice(None), 0]
t[0, 1, 2]
t[1]
t[..., 1]
t[:, ..., 1]
t[0, ..., 1]
t[:, 1]
t[:, 1:, ::2]
t[-1, :, -1]
t[None, 0, None, 1]
t[1, None, ..., ::-1]
t[t > 20]
t[tf.ones([2, 3], tf.bool)]
t[0][1][2]
tf.constant(5)[...]
tf.constant(5)[None]
tf.constant(5)[0]
tf.constant("abc")[0]
tf.constant(["abc", "d"])[0]
tf.zeros([0])[0]
tf.zeros([0])[:]
tf.zeros([2, 0])[1]
exec("v[0] = 1")
exec("del v[0]")
[int(x) for x in v]
[x.shape for x in m]
a, b, c = m; b
tf.Variable([1, 2, 3])[1]
tf.Variable([1, 2, 3])[::-1]
tf.Variable([1, 2, 3])[5]
w = tf.Variable([1, 2, 3]); w[w > 1]
tf.slice(v, [1], [2])
tf.slice(m, [0, 1], [2, -1])
tf.slice(m, [0, 1], [9, 1])
tf.gather(v, [0, 5])
tf.gather(m, [1, 0])
tf.gather(m, [1, 0], axis=1)
tf.gather(m, 2, axis=-1)
tf.gather(t, [[0], [2]], axis=1, batch_dims=1)
tf.gather([1.5, 2.5], [1])
tf.gather(v, 6)
tf.gather(v, -1)
tf.gather(v, [0.5])
tf.gather(["a", "b"], [1, 1])
tf.gather_nd(m, [[0, 1], [2, 3]])
tf.gather_nd(m, [[1]])
tf.gather_nd(m, [[0, 4]])
tf.boolean_mask(v, v > 3)
tf.boolean_mask(m, [True, False, True])
tf.boolean_mask(m, [True, False, True, False], axis=1)
tf.boolean_mask([1, 2], [True])
tf.where([True, False, True])
tf.where(m > 9)
tf.where([True, False], [1, 2], [3, 4])
tf.where([True, False], 1.0, 0.0)
tf.where(True, [1, 2], 0)
tf.where([True, False], [1, 2], [3.0, 4.0])
tf.where([True, False], [1, 2])
tf.where([1, 0], 1, 2)
tf.where(m > 5, m, 0)
tf.where([[True], [False]], [1, 2], 9)
tf.scatter_nd([[0], [2]], [5, 6], [4])
tf.scatter_nd([[0], [0]], [5, 6], [2])
tf.scatter_nd([[4]], [5], [4])
tf.tensor_scatter_nd_update(v, [[0], [2]], [9, 9])
tf.tensor_scatter_nd_add(v, [[0], [0]], [1, 2])
tf.tensor_scatter_nd_sub(v, [[1]], [1])
tf.tensor_scatter_nd_update(v, [[0]], [1.5])
"""
