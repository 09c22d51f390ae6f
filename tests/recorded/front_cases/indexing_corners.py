"""More kinds of indices, assignments to parts of variables, iteration and formatting."""

SETUP = """
x = tf.constant(3.0)
y = tf.constant([1.0, 2.0])
m = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
t3 = tf.reshape(tf.range(24), [2, 3, 4])
i = tf.constant([1, 2, 3])
s = tf.constant(["ab", "c", ""])
b = tf.constant([True, False, True])
v = tf.Variable(2.0)
w = tf.Variable([1.0, 2.0])
table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
"""

CALLS = r"""
m[-1]
m[2]
m[-3]
m[0, 1]
m[0][1]
m[0, -1]
m[:, 1]
m[:, tf.newaxis]
m[..., tf.newaxis]
m[tf.newaxis, ...]
m[None, :, None, 1:]
m[:, ::-1]
m[:, ::2]
m[5:]
m[-5:1]
m[1:0]
m[::0]
m[0:2:1, 0:3:2]
m[tf.constant(1)]
m[tf.constant(0) : tf.constant(1)]
m[tf.constant([0])]
m[[0, 1]]
m[(0, 1)]
m[np.int64(1)]
m[np.array(1)]
m[np.array([0, 1])]
m[1.0]
m["a"]
m[True]
m[None]
m[...]
m[()]
m[0, 0, 0]
m[m > 2]
m[m > 100]
m[[True, False]]
m[tf.constant([True, False])]
m[np.array([True, False])]
m[b]
m[:, tf.constant([True, False, True])]
m[0, tf.constant(2, tf.int64)]
m[tf.constant(0, tf.int16)]
m[v]
m[tf.Variable(1)]
t3[1, ..., 2]
t3[:, 1:, 1::2]
t3[..., -1, None]
t3[0, :, None, 0]
t3[-1:, -2:, -3:]
t3[:, 0:1, :][0]
x[0]
x[...]
x[None]
x[()]
s[1]
s[::-1]
w[0]
w[-1:]
table[1:, 0].assign([9.0, 8.0])
table[0].assign([7.0, 7.0])
table[0, 0].assign(5.0)
table[:, 1].assign([1.0, 2.0, 3.0]); table
table[1].assign([1.0])
table[::2].assign([[0.0, 0.0], [1.0, 1.0]]); table
table[0:1].assign_add([[1.0, 1.0]])
w[0].assign("a")
list(m)
[float(z) for z in y]
for_x = [z.numpy() for z in i]; for_x
len(x)
list(x)
2 in i
tf.constant(2) in [tf.constant(1), tf.constant(2)]
bool(tf.constant([0.0]))
bool(y)
float(tf.constant([[2.5]]))
range(tf.constant(3))
"%d %s" % (tf.constant(3), tf.constant(2.5))
f"{x} {y} {i}"
f"{x:.2f}"
f"{v}"
f"{v.numpy():.1f}"
f"{y!r}"
f"{y:>5}"
"{}".format(tf.constant("a"))
"""
