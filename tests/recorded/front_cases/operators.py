"""The operators of tensors, with tensors, Python numbers, lists and NumPy on the other side."""

SETUP = """
a = tf.constant([1.0, 2.0, 3.0])
i = tf.constant([7, -7, 3])
l = tf.constant([1, 2, 3], tf.int64)
u = tf.constant([200, 100, 3], tf.uint8)
b = tf.constant([True, False, True])
d = tf.constant([1.0, 2.0, 3.0], tf.float64)
h = tf.constant([1.0, 2.0], tf.float16)
c = tf.constant([1 + 2j, 3 - 1j])
s = tf.constant(["a", "b"])
m = tf.constant([[1.0, 2.0], [3.0, 4.0]])
"""

CALLS = """
a + a
a + 1
1 + a
a + 1.5
a + True
a + [1, 2, 3]
[1.0, 2.0, 3.0] + a
a + (1.0, 2.0, 3.0)
a + np.float32(1)
a + np.float64(1.5)
np.float64(1.5) + a
a + np.int64(1)
a + np.array([1.0, 2.0, 3.0])
a + np.array([1, 2, 3])
np.array([1.0, 2.0, 3.0]) + a
np.array([1, 2, 3]) * i
a + d
a + i
i + a
i + 1.5
1.5 + i
i + 1
i + True
i + np.float32(1.5)
i + np.array([1.5, 2.5, 3.5])
i + l
l + 2**40
i + 2**40
u + 100
u + 300
u - 201
a + "x"
a + None
a + {}
a + [1.0, 2.0]
a + m
m + [[1.0], [2.0]]
m + [1.0, 2.0]
a + tf.Variable([1.0, 1.0, 1.0])
tf.Variable([1.0, 1.0, 1.0]) + a
tf.Variable(1.0) + tf.Variable(2.0)
s + s
s + "x"
"x" + s
b + b
b + 1
c + 1
c * 2.0
c * 1j
c + a
a + 1j
h + 1.5
h * 3
a - 1
1 - a
2 * a
a * i
a / 2
6 / a
i / 2
i / 2.5
i / i
l / 2
u / 2
h / 2
b / b
i // 2
i // -2
7 // i
i // 2.0
a // 2
-a // 2
i // 0
a // 0
a / 0
i / 0
i % 3
i % -3
-7 % i
a % 2
a % 0.7
i % 0
u % 7
u // 7
a ** 2
2 ** a
a ** 0.5
i ** 2
i ** -1
2 ** l
a ** a
c ** 2
-a
-i
-u
-b
+a
abs(i)
abs(-2.5 * a)
abs(c)
~b
~i
~a
b & b
b & False
b & True
True & b
b | False
b ^ b
b ^ True
i & 3
i | 8
i ^ i
a & a
b & i
a < 2
a <= 2
a > [2.0, 2.0, 2.0]
a >= np.float32(2)
2 < a
i < 2.5
i > l
b < b
c < c
s < s
a == 2
a != 2
2 == a
i == 7.5
i == np.array([7, 7, 3])
b == True
s == "a"
s == s
c == c
(a == a) == b
a == i
a == object()
a == np.array([1.0, 2.0])
m @ m
m @ [[1.0], [2.0]]
[[1.0, 2.0]] @ m
m @ np.eye(2)
np.eye(2) @ m
m @ np.eye(2, dtype=np.float32)
m @ a
m @ [1.0, 2.0]
m @ i
tf.constant([[1, 2]]) @ tf.constant([[1], [2]])
divmod(i, 2)
i << 1
a.__add__(1)
a.__radd__(1)
sum([a, a])
max(tf.constant(1), tf.constant(2))
sorted([tf.constant(2), tf.constant(1)])
x = a; x += 1; x
x = a; x *= a; (x, a)
x = i; x //= 2; x
x = m; x @= m; x
-2 ** tf.constant(2)
round(tf.constant(2.5))
tf.add(1, 2)
tf.add(1.0, 2)
tf.add(1, 2.0)
tf.add(a, i)
tf.add([1], [2.5])
tf.add("a", "b")
tf.add(x=1, y=2)
tf.add(1, 2, name="sum")
tf.subtract(5, 3)
tf.multiply(a, 2)
tf.multiply(2, a)
tf.multiply([1, 2], [3.0, 4.0])
tf.divide(7, 2)
tf.divide(i, 2)
tf.divide(a, 2)
tf.math.floordiv(7, -2)
tf.math.floormod(-7, 3)
tf.math.mod(7.5, 2)
tf.pow(2, 3)
tf.pow(2.0, 3)
tf.pow(a, [1.0, 2.0, 3.0])
tf.negative([1, -2])
tf.abs([-1, 2])
tf.abs(-1.5)
tf.maximum(a, 2)
tf.minimum([1, 5], [4, 2])
tf.equal(a, 2)
tf.equal(1, 1.0)
tf.not_equal("a", "b")
tf.less(1, 2)
tf.greater_equal([1, 2], 2)
tf.logical_and(True, [True, False])
tf.logical_and(1, 0)
tf.logical_not(b)
tf.logical_or(b, False)
tf.math.squared_difference(3, 5.5)
tf.add_n([a, a, a])
tf.add_n([a, i])
tf.add_n([])
"""
