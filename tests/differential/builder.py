"""Writes a program statement by statement, trying each as it goes.

A template is a call with slots (calls.py lists them):

<f>, <n2>, <x1+=a>     a tensor: its kind, its rank (or least rank), and a label for later slots
<like a>, <near a>     a tensor of a's dtype, with its shape or one that broadcasts with it
<axis a>, <perm a>, …  what fits the labelled tensor: see the methods `slot_*`
<one x|y>, <int 0 3>   one of these texts, a number of this range

The statement is run with the implementation at hand, so that dtypes and shapes of what exists are
known, and a statement that raises can be kept as the program's last or thrown away.
"""

from __future__ import annotations

import re

import numpy as np

KINDS = {
    "f": ["float32"] * 10 + ["float64"] * 2 + ["float16", "bfloat16"],
    "g": ["float32"] * 4 + ["float64"],
    "n": ["float32"] * 8 + ["float64", "int32", "int32", "int32", "int64"],
    "m": ["float32"] * 4 + ["float64", "int32", "int64", "int8", "uint8", "int16", "uint16",
          "uint32", "uint64", "float16", "bfloat16"],
    "i": ["int32"] * 5 + ["int64"] * 2 + ["int8", "uint8", "int16", "uint32"],
    "j": ["int32"] * 3 + ["int64"],
    "z": ["float32"] * 4 + ["complex64"] * 2 + ["float64", "complex128"],
    "c": ["complex64"] * 3 + ["complex128"],
    "b": ["bool"],
    "s": ["string"],
    "x": ["float32"] * 6 + ["int32"] * 2 + ["int64", "bool", "float64", "string", "complex64",
          "uint8", "bfloat16"],
}  # fmt: skip
FLOATS = ("float32", "float64", "float16", "bfloat16")
SLOT = re.compile(r"<([a-z_]+)(\d\+?)?(?:=([a-z]))?(?: ([^<>]*))?>")
WORDS = ["a", "bc", "", "Hello", "x1", "2.5", "-3", "yes no", "AbC", "ä"]


class Discarded(Exception):
    """A statement that was not kept."""


class Builder:
    def __init__(self, tf, rng, most_inputs=5):
        self.tf, self.rng = tf, rng
        self.names = {"tf": tf, "np": np, "nan": np.nan, "inf": np.inf}
        self.inputs: dict[str, tuple] = {}
        self.values: dict[str, tuple[str, tuple]] = {}  # tensors that exist: dtype and shape
        self.lines: list[str] = []
        self.results: list[str] = []
        self.most_inputs = most_inputs
        self.is_over = False
        self.labels: dict[str, tuple[str, str, tuple]] = {}
        self.count = 0

    # tensors

    def data(self, dtype, shape):
        size, rng = int(np.prod(shape)), self.rng
        if dtype == "string":
            return [rng.choice(WORDS) for _ in range(size)]
        if dtype == "bool":
            return [rng.random() < 0.5 for _ in range(size)]
        if dtype.startswith("complex"):
            return [complex(rng.randint(-8, 8) / 4, rng.randint(-8, 8) / 4) for _ in range(size)]
        if dtype in FLOATS:
            if rng.random() < 0.04:
                special = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e30, -1e-30, 100.0]
                return [rng.choice(special) for _ in range(size)]
            step = rng.choice([4, 4, 4, 1, 7])
            return [round(rng.randint(-3 * step, 3 * step) / step, 4) for _ in range(size)]
        low = 0 if dtype[0] == "u" else -4
        return [rng.randint(low, 6) for _ in range(size)]

    def shape(self, least=0, most=4):
        rank = self.rng.choice([r for r in (0, 1, 1, 2, 2, 2, 2, 3, 3, 4) if least <= r <= most])
        return tuple(self.dim() for _ in range(rank))

    def dim(self):
        return self.rng.choice([1, 2, 2, 3, 3, 4, 5] + ([0] if self.rng.random() < 0.1 else []))

    def make(self, dtype, shape) -> str:
        """A tensor with these: one that exists, an input, or a constant."""
        fitting = [n for n, v in self.values.items() if v == (dtype, tuple(shape))]
        if fitting and self.rng.random() < 0.7:
            return self.rng.choice(fitting)
        if len(self.inputs) < self.most_inputs:
            name = f"a{len(self.inputs)}"
            values = self.data(dtype, shape)
            self.inputs[name] = dtype, tuple(shape), values
            self.values[name] = dtype, tuple(shape)
            given = np.array(values, self.tf.as_dtype(dtype).as_numpy_dtype).reshape(shape)
            self.names[name] = self.tf.constant(given, dtype)
            return name
        return self.literal(dtype, shape)

    def literal(self, dtype, shape) -> str:
        values = self.data(dtype, shape)
        if dtype not in ("bfloat16", "string") and self.rng.random() < 0.15:
            return f"np.array({values}, np.{dtype}).reshape({list(shape)})"
        if not values:
            return f"tf.zeros({list(shape)}, tf.{dtype})"
        if dtype == "float32" and len(shape) == 1 and self.rng.random() < 0.5:
            return f"{values}"
        return f"tf.constant({values}, tf.{dtype}, {list(shape)})"

    def tensor(self, kind, least=0, most=4) -> tuple[str, str, tuple]:
        """Any tensor of a kind: its text, dtype and shape."""
        fitting = [
            (n, *v)
            for n, v in self.values.items()
            if v[0] in KINDS[kind] and least <= len(v[1]) <= most
        ]
        if fitting and self.rng.random() < 0.75:
            return self.rng.choice(fitting[-6:])
        dtype, shape = self.rng.choice(KINDS[kind]), self.shape(least, most)
        return self.make(dtype, shape), dtype, shape

    # templates

    def fill(self, template: str) -> str:
        self.labels = {}
        return SLOT.sub(self._slot, template)

    def _slot(self, match) -> str:
        word, rank, label, more = match.groups()
        if word in KINDS and more is None:
            least = int(rank[0]) if rank else 0
            most = 4 if not rank or rank.endswith("+") else least
            found = self.tensor(word, least, most)
            if label:
                self.labels[label] = found
            return found[0]
        return str(getattr(self, f"slot_{word}")(more or ""))

    def of(self, label):
        return self.labels[label.strip()]

    def slot_ref(self, label):
        return self.of(label)[0]

    def slot_like(self, label):
        _, dtype, shape = self.of(label)
        return self.make(dtype, shape)

    def slot_near(self, label):
        _, dtype, shape = self.of(label)
        kind = self.rng.random()
        if kind < 0.15:
            return self.slot_py(label)
        if kind < 0.5:
            return self.make(dtype, shape)
        other = tuple(1 if self.rng.random() < 0.3 else n for n in shape)
        return self.make(dtype, other[self.rng.randint(0, len(other)) :])

    def slot_py(self, label):
        dtype = self.of(label)[1]
        if dtype == "bool":
            return self.rng.choice(["True", "False"])
        if dtype == "string":
            return repr(self.rng.choice(WORDS))
        if dtype in FLOATS or dtype.startswith("complex"):
            return self.rng.choice(["1.5", "2", "-0.5", "0.0", "3.0", "np.float32(0.5)", "1e-3"])
        return self.rng.choice(["1", "2", "3", "0", "5"])

    def slot_of(self, more):
        """<of a 2,3>: a's dtype with this shape; <of float32 a>: a's shape."""
        first, second = more.split()
        if second in self.labels:
            return self.make(first, self.of(second)[2])
        return self.make(self.of(first)[1], self.numbers(second))

    def numbers(self, text):
        """ "2,a0,a-1": numbers, and sizes of labelled tensors."""
        found = []
        for each in text.split(","):
            if each and each[0] in self.labels:
                axis = int(each[1:])
                shape = self.of(each[0])[2]
                found.append(shape[axis] if -len(shape) <= axis < len(shape) else 1)
            elif each:
                found.append(int(each) if each != "?" else self.dim())
        return tuple(found)

    def slot_new(self, more):
        """<new float32 2,3>: a tensor with these."""
        dtype, _, shape = more.partition(" ")
        dtype = self.rng.choice(KINDS[dtype]) if dtype in KINDS else dtype
        return self.make(dtype, self.numbers(shape))

    def slot_lit(self, more):
        """<lit int32 a0 0 3>: numbers of a range, as a list."""
        shape, low, high = more.split()
        size = self.numbers(shape)
        high = self.numbers(high)[0] if high[0] in self.labels else int(high)
        made = [self.rng.randint(int(low), max(high, int(low))) for _ in range(int(np.prod(size)))]
        return np.array(made, np.int64).reshape(size).tolist()

    def slot_axis(self, label):
        rank = len(self.of(label)[2])
        if rank == 0 or self.rng.random() < 0.02:
            return self.rng.choice([0, -1, 7])
        return self.rng.randint(-rank, rank - 1)

    def slot_axes(self, label):
        rank = len(self.of(label)[2])
        kind = self.rng.random()
        if kind < 0.25:
            return "None"
        if kind < 0.6 or rank == 0:
            return self.slot_axis(label)
        return sorted(self.rng.sample(range(rank), self.rng.randint(0, rank)))

    def slot_perm(self, label):
        rank = len(self.of(label)[2])
        return self.rng.sample(range(rank), rank)

    def slot_newshape(self, label):
        size = int(np.prod(self.of(label)[2]))
        ways = [[size], [-1], [1, size], [size, 1], [-1, 1]]
        ways += [[n, size // n] for n in (2, 3, 4) if size and size % n == 0]
        ways += [[n, -1] for n in (2, 3, 4) if size and size % n == 0]
        ways += [[2, -1, n] for n in (1, 2, 3) if size and size % (2 * n) == 0]
        return self.rng.choice(ways)

    def slot_pads(self, label):
        return [[self.rng.randint(0, 2), self.rng.randint(0, 2)] for _ in self.of(label)[2]]

    def slot_each(self, more):
        """<each a 1 3>: a number for each dimension."""
        label, low, high = more.split()
        return [self.rng.randint(int(low), int(high)) for _ in self.of(label)[2]]

    def slot_index(self, label):
        shape = self.of(label)[2]
        parts = []
        for size in shape[: self.rng.randint(0, len(shape))]:
            parts.append(self._index(size))
        if self.rng.random() < 0.15:
            parts.insert(self.rng.randint(0, len(parts)), "...")
        if self.rng.random() < 0.15:
            parts.insert(self.rng.randint(0, len(parts)), "tf.newaxis")
        return ", ".join(parts) or self.rng.choice(["...", ":", "tf.newaxis"])

    def _index(self, size):
        def end():
            return self.rng.choice(["", "", str(self.rng.randint(-size - 1, size + 1))])

        kind = self.rng.random()
        if kind < 0.3 and size:
            return str(self.rng.randint(-size, size - 1))
        if kind < 0.4 and size:
            return f"tf.constant({self.rng.randint(0, size - 1)})"
        if kind < 0.75:
            return f"{end()}:{end()}"
        return f"{end()}:{end()}:{self.rng.choice([1, 2, 3, -1, -2])}"

    def slot_begin(self, label):
        shape = self.of(label)[2]
        begin = [self.rng.randint(0, n) for n in shape]
        size = [
            self.rng.choice([-1, self.rng.randint(0, n - b)])
            for b, n in zip(begin, shape, strict=True)
        ]
        return f"{begin}, {size}"

    def slot_parts(self, label):
        """<parts a>: how tf.split may take a apart, and along what."""
        shape = self.of(label)[2]
        if not shape:
            return "1, 0"
        axis = self.rng.randrange(len(shape))
        size = shape[axis]
        ways = [n for n in (1, 2, 3) if size % n == 0]
        if self.rng.random() < 0.5 and ways:
            return f"{self.rng.choice(ways)}, {axis}"
        cut = self.rng.randint(0, size)
        return f"[{cut}, {self.rng.choice([size - cut, -1])}], axis={axis}"

    def slot_int(self, more):
        low, high = map(int, more.split())
        return self.rng.randint(low, high)

    def slot_one(self, more):
        return self.rng.choice(more.split("|"))

    def slot_flag(self, _):
        return self.rng.choice(["True", "False"])

    def slot_num(self, _):
        return self.rng.choice(["0.5", "2.0", "-1.0", "0.1", "1.0", "3.0"])

    def slot_dtype(self, more):
        return "tf." + self.rng.choice(KINDS[more or "m"])

    # statements

    def attempt(self, text: str, keep_errors=0.1) -> bool:
        """Runs a statement and keeps it; one that raises ends the program, or is not kept."""
        try:
            exec(text, self.names)
        except Exception:
            if self.rng.random() >= keep_errors:
                return False
            self.lines.append(text)
            self.is_over = True
            return True
        self.lines.append(text)
        return True

    def known(self, name, expression=None) -> None:
        """Makes a result and its parts available to later statements."""
        value = self.names.get(name) if expression is None else expression[1]
        text = name if expression is None else expression[0]
        tf = self.tf
        if isinstance(value, tf.Tensor):
            if value.shape.rank <= 5 and value.shape.num_elements() <= 400:
                self.values[text] = value.dtype.name, tuple(value.shape.as_list())
        elif isinstance(value, (list, tuple)):
            for i, each in enumerate(value[:3]):
                self.known(name, (f"{text}[{i}]", each))

    def call(self, template: str, keep_errors=0.1) -> bool:
        """A statement that names the result of a call."""
        before = dict(self.inputs), dict(self.values)
        name = f"t{self.count}"
        text = f"{name} = {self.fill(template)}"
        if not self.attempt(text, keep_errors):
            self.inputs, self.values = before
            return False
        self.count += 1
        if self.is_over:
            self.results.append(name)
            return True
        value = self.names[name]
        if not is_result(self.tf, value):
            self.lines.pop()
            self.inputs, self.values = before
            return False
        self.results.append(name)
        self.known(name)
        return True


def is_result(tf, value) -> bool:
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and all(is_result(tf, each) for each in value)
    return isinstance(value, (tf.Tensor, tf.IndexedSlices)) or value is None
