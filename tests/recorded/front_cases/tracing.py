"""tf.function: what is traced when, how arguments bind, what results are, and how gradients and
random numbers go through calls."""

SETUP = """
import collections, dataclasses, enum, functools, typing

Pair = collections.namedtuple("Pair", "a b")
x = tf.constant(3.0)
two = tf.constant([1.0, 4.0])
v = tf.Variable(2.0)
fixed = tf.Variable(3.0, trainable=False)
table = tf.Variable([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]])
spec, spec2 = tf.TensorSpec([]), tf.TensorSpec([2])
tf.random.set_seed(1)

class Box:
    def __init__(self, value):
        self.value = value

class Equal(Box):
    def __eq__(self, other):
        return self.value == other.value
    def __hash__(self):
        return hash(self.value)

class Colour(enum.Enum):
    RED = 1
    BLUE = 2

@dataclasses.dataclass(frozen=True)
class Point:
    a: object
    b: object

class Model:
    count = 0
    w = None
    @tf.function
    def scaled(self, x, y=2):
        self.count += 1
        return x * y
    @staticmethod
    @tf.function
    def more(x):
        return x + 1
    @tf.function
    def made(self, x):
        if self.w is None:
            self.w = tf.Variable(tf.ones([2]))
        return self.w.assign_add(x)

class Child(Model):
    @tf.function
    def scaled(self, x):
        return super().scaled(x) * 10

def traces(calls, **options):
    '''How many traces a function makes for calls with these values.'''
    f = tf.function(lambda *args: tf.constant(0), **options)
    for each in calls:
        f(each)
    return f.experimental_get_tracing_count()

def thrice(make, *args):
    f = tf.function(make)
    return [f(*args) for _ in range(3)]

def concrete(f, *args, **kwargs):
    return tf.function(f).get_concrete_function(*args, **kwargs)

def signature(f, *args, **kwargs):
    f = tf.function(f)
    f(*args, **kwargs)
    return f.pretty_printed_concrete_signatures()

def through(f, *args, at=None):
    '''The gradient by `at` of a call that a tape sees.'''
    f = tf.function(f)
    with tf.GradientTape() as tape:
        for each in args:
            tape.watch(each)
        result = f(*args)
    return tape.gradient(result, args[0] if at is None else at)

def defaults(change, default, read):
    def python_function(x, y=default):
        return x * read(y)
    f = tf.function(python_function)
    first = f(x), f(x)
    change(default)
    return first, f(x)

def many_variables(count):
    made = []
    @tf.function
    def f(x):
        if len(made) < count:
            made.append(tf.Variable(2.0))
        return x + made[0]
    return f(x), f(x), f.experimental_get_tracing_count()

@tf.function
def fibonacci(n):
    return tf.constant(n) if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

@tf.function
def outer(x):
    y = x * 2
    inner = tf.function(lambda z: z + y)
    return inner(x), inner(x + 1)

@tf.function
def own_gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**3
    return tape.gradient(y, x)

@tf.function
def reseeded():
    a = tf.random.uniform([2])
    tf.random.set_seed(5)
    return a, tf.random.uniform([2]), tf.random.uniform([2], seed=3)

gathered = tf.function(lambda i: tf.gather(table, i))
draw = tf.function(lambda: tf.random.uniform([2]))
"""

CALLS = r"""
traces([1, 2, 1, 3])
traces(["a", "b", "a", b"a"])
traces([None, None, (1, 2), [1, 2], (1, 2)])
traces([{"a": 1, "b": 2}, {"b": 2, "a": 1}, {"b": 2, "a": 2}])
traces([np.float32(1), np.float32(2), np.float64(2), np.ones(2), np.zeros(2), np.int32(3)])
traces([tf.float32, tf.float32, tf.int32])
traces([tf.TensorShape([1]), tf.TensorShape([1]), tf.TensorShape([2])])
traces([len, len, print])
traces([1j, 1j, 2j, frozenset([1]), frozenset([1]), ..., NotImplemented])
traces([Colour.RED, Colour.BLUE, Colour.RED])
traces([Point(1, 2), Point(1, 2), Point(2, 2)])
a, b = Box(1), Box(1); traces([a, b, a])
a, b = Equal(1), Equal(1); traces([a, b, a])
traces([slice(1, 2)])
traces([{1, 2}])
traces([bytearray(b"a")])
traces([tf.ones([2]), tf.ones([2]), tf.ones([3]), tf.ones([2], tf.int32)])
traces([[tf.ones([2])], (tf.ones([2]),), [tf.zeros([2])]])
tf.function(lambda x, *, k=1: x * k)(2, k=3)
tf.function(lambda x, *, k=1: x * k)(x=2)
tf.function(lambda *, k: k * 2)(k=3)
tf.function(lambda *, k: k * 2)()
tf.function(lambda *, k: k * 2)(3)
tf.function(lambda x, /, y: x - y)(1, y=3)
tf.function(lambda x, /, y: x - y)(x=1, y=3)
tf.function(lambda x, y=tf.constant(2.0): x * y)(3.0)
tf.function(lambda x, y=np.array([1.0, 2.0]): x * y)(tf.constant(3.0, tf.float64))
defaults(lambda d: d.append(1), [1], len)
defaults(lambda d: d.update(k=5), {"k": 2}, lambda d: d["k"])
defaults(lambda d: d[0].append(1), ([1],), lambda d: len(d[0]))
defaults(lambda d: d.assign(7.0), tf.Variable(2.0), lambda d: d)
tf.function(functools.partial(lambda a, b, c=3: a * 100 + b * 10 + c, 1))(2)
tf.function(functools.partial(lambda a, b, c=3: a * 100 + b * 10 + c, 1))(b=5, c=4)
tf.function(functools.partial(lambda a, b, c=3: a * 100 + b * 10 + c, b=2))(1, c=4)
tf.function(functools.partial(lambda a, b, c=3: a * 100 + b * 10 + c, b=2))(1, 2)
tf.function(functools.partial(lambda a, b, c=3: a * 100 + b * 10 + c, b=2))(1, b=5)
functools.partial(tf.function(lambda a, b: a - b), 10)(3)
type(tf.function(lambda p: Pair(p.b, p.a))(Pair(1, x)))
tf.function(lambda p: Pair(p.b, p.a))(Pair(1, x))
tf.function(lambda x: {"b": x, "a": [x, (x, None)]})(1.0)
list(tf.function(lambda x: collections.OrderedDict(b=x, a=x + 1))(1.0))
tf.function(lambda x: {1: x, 2: x})(1.0)[2]
tf.function(lambda x: {1: x, "a": x})(1.0)
tf.function(lambda x: x["a"]["b"][0] * x["c"])({"a": {"b": [x, 3]}, "c": 4.0})
tf.function(lambda x: {1})(1.0)
tf.function(lambda x: Box(x))(1.0)
tf.function(lambda x: (i for i in [x]))(1.0)
[tf.function(make)() for make in (list, dict, tuple, lambda: None)]
tf.function(lambda x: x.shape)(two)
tf.function(lambda x: v)(1.0)
tf.function(lambda x: v.assign_add(x))(1.0)
d = collections.defaultdict(list, a=1); type(tf.nest.map_structure(lambda x: x + 1, d))
fibonacci(8)
outer(x)
outer(two)
m = Model(); [m.scaled(1.0), m.scaled(1.0, y=3), m.scaled(x=2.0)]
m = Model(); [m.scaled(1.0), m.scaled(1.0), m.scaled(2.0), m.count]
[Model.more(1), Model().more(2)]
m = Child(); m.scaled(x)
Model.scaled(Model(), 3)
m = Model(); m.scaled()
m = Model(); m.scaled(1, 2, 3)
m = Model(); [m.made(two), m.made(two), m.made.experimental_get_tracing_count()]
many_variables(1)
many_variables(2)
tf.function(lambda: tf.Variable(1.0) + 1)()
tf.function(lambda x: x, experimental_relax_shapes=True)(1)
tf.function(lambda x: x + 1, jit_compile=True)(x)
tf.function(lambda x: x, nosuch=1)
tf.function(lambda x, y=5: x + y, input_signature=[spec2])([1.0, 2.0])
tf.function(lambda x, y=5: x + y, input_signature=[spec2])([1.0, 2.0], 6)
tf.function(lambda x, y=5: x + y, input_signature=[spec2, spec])([1.0, 2.0], 6)
tf.function(lambda x, y: x, input_signature=[spec2])([1.0, 2.0])
tf.function(lambda x: x, input_signature=[spec2])(tf.constant([1, 2]))
tf.function(lambda x: x, input_signature=[spec2])([1.0, 2.0, 3.0])
tf.function(lambda x: x, input_signature=[spec2])("a")
tf.function(lambda x: x, input_signature=[])(1)
tf.function(lambda: 1, input_signature=[])()
tf.function(lambda x: x, input_signature=spec2)([1.0, 2.0])
tf.function(lambda x: x, input_signature=["a"])(1)
tf.function(lambda x, *, k: x, input_signature=[spec2])([1.0, 2.0], k=1)
tf.function(lambda x, *, k=2: x + k, input_signature=[spec2])([1.0, 2.0])
tf.function(lambda *x: x[0], input_signature=[spec2, spec])([1.0, 2.0], 3.0)
tf.function(lambda x: x[0] + x[1]["a"], input_signature=[(spec, {"a": spec})])((1.0, {"a": 2.0}))
tf.function(lambda x: x[0], input_signature=[[spec, spec]])([1.0])
signature(lambda x, y=2: x * y, x)
signature(lambda x, y=2: x * y, two, y=x)
signature(lambda x: {"b": x, "a": [x["k"], None]}, {"k": x, "j": (1, "a")})
signature(lambda x, **more: x, x, z=tf.constant(2))
signature(lambda *a, k=3: a[0], x, 2)
signature(lambda: None)
signature(lambda p: p, Pair(x, 2))
tf.function(lambda x: x).pretty_printed_concrete_signatures()
str(concrete(lambda x: x, 1))
concrete(lambda x: x, tf.TensorSpec([2], tf.int32)).pretty_printed_signature()
concrete(lambda x, y: x - y, spec, spec)(x, 1.0)
concrete(lambda x, y: x - y, spec, spec)(y=x, x=1.0)
concrete(lambda x, y: x - y, spec, spec)(x)
concrete(lambda x, y: x - y, spec, spec)(x, x, x)
concrete(lambda x, y: x - y, spec, spec)(x, z=x)
concrete(lambda x, y: x - y, spec, spec)(x, x=x)
concrete(lambda x: x, spec2)(tf.constant([1, 2]))
concrete(lambda x: x, spec2)("abc")
concrete(lambda x: x, spec2)(None)
concrete(lambda x: x * 2, spec2)([1, 2])
concrete(lambda x: x * 2, spec2)(np.array([1.5, 2]))
[c(two) for c in [concrete(lambda x, n: x * n, spec2, 3)]]
concrete(lambda x, n: x * n, spec2, 3)(two, n=3)
concrete(lambda x, n: x * n, spec2, 3)(two, 4)
concrete(lambda n, x: x * n, 3, spec2)(x=two)
concrete(lambda d: d["a"] * d["b"], {"a": spec, "b": spec})({"a": x, "b": x})
concrete(lambda d: d["a"] * d["b"], {"a": spec, "b": spec})({"a": x})
concrete(lambda *a: a[0] + a[1], spec, spec)(x, 1.0)
concrete(lambda **a: a["p"] - a["q"], p=spec, q=spec)(p=x, q=1.0)
concrete(lambda x: x + 1, tf.TensorSpec([], name="in"))(x)
concrete(lambda x: x + 1, tf.TensorSpec([], name="in"))(**{"in": x})
concrete(lambda x: x + 1, x)(1.0)
concrete(lambda x: x + 1)
through(lambda x: x**3, x)
through(lambda x: x * v * fixed, x, at=[x, v, fixed])
through(lambda i: tf.reduce_sum(tf.gather(table, i) ** 2), tf.constant([0, 2, 0]), at=table)
through(lambda i: tf.nn.embedding_lookup(table, i), tf.constant([[0, 2], [0, 3]]), at=table)
through(lambda i: tf.gather(table, i), tf.constant([1, 1], tf.int64), at=table).dense_shape
tf.convert_to_tensor(through(gathered, tf.constant([1, 1], tf.int64), at=table))
through(lambda y: tf.gather(y, [1, 1]), two)
through(lambda i: gathered(i) + tf.reduce_sum(table), tf.constant([1, 3]), at=table)
through(lambda i: gathered(i) * 2.0, tf.constant([3]), at=table)
through(lambda y: own_gradient(y), x)
through(lambda y: tf.sqrt(y) * v, two, at=[two, v])
thrice(lambda: tf.random.uniform([3]))
thrice(lambda: tf.random.normal([3], dtype=tf.float64))
thrice(lambda: tf.random.shuffle(tf.range(8)))
thrice(lambda: tf.random.shuffle(tf.range(5), seed=3))
thrice(lambda: tf.random.shuffle(tf.range(1)))
thrice(lambda: tf.random.shuffle(tf.reshape(tf.range(12), [6, 2])))
thrice(lambda: tf.random.categorical([[0.0, 1.0, 2.0]], 6))
thrice(lambda: tf.random.categorical([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]], 5))
thrice(lambda: tf.random.categorical([[0.0, 1.0]], 4, dtype=tf.int32, seed=4))
thrice(lambda: tf.nn.dropout(tf.ones([10]), 0.5))
thrice(lambda: tf.random.truncated_normal([5]))
thrice(lambda: tf.random.gamma([2], [0.5, 3.0], 2.0))
thrice(lambda: tf.random.poisson([3], [0.5, 20.0]))
thrice(lambda: tf.random.uniform([6], 0, 100, tf.int32))
thrice(lambda: tf.random.uniform([2], seed=3))
thrice(lambda: [tf.random.uniform([2], seed=3), tf.random.uniform([2], seed=3)])
thrice(lambda: tf.raw_ops.Multinomial(logits=[[0.0, 1.0]], num_samples=4, seed=4, seed2=2))
[draw(), tf.random.uniform([2]), draw()]
tf.function(lambda x: tf.matmul(x, x))(tf.ones([2, 3]))
tf.function(lambda x: tf.reshape(x, [5]))(two)
tf.function(lambda x: x + tf.ones([3]))(two)
tf.function(lambda x: tf.concat([x, tf.ones([2, 2])], 0))(two)
tf.function(lambda x: tf.transpose(x, [1, 0]))(two)
tf.function(lambda x: tf.gather(x, 5))(two)
tf.function(lambda x, i: tf.gather(x, i))(two, tf.constant(5))
tf.function(lambda x: tf.function(lambda y: y @ y)(x))(tf.ones([2, 3]))
thrice(lambda: [draw(), tf.random.uniform([2]), draw()])
[reseeded(), reseeded(), tf.random.uniform([2])]
"""
