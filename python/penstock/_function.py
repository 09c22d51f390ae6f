"""tf.function: Python functions traced once per signature, planned, and run as a whole."""

from __future__ import annotations

import functools
import inspect
import threading
import weakref

import numpy as np

from penstock import _core, config
from penstock._nest import flatten, pack_like
from penstock._spec import TensorSpec

_here = threading.local()


class init_scope:
    """Leaves the functions that are being traced: what is called inside runs now."""

    def __enter__(self):
        self._leave = _core.LeaveTraces()
        self._leave.enter()

    def __exit__(self, *unused):
        self._leave.exit()


def variable_made(variable):
    """Called for each new variable: a function may make some while it is traced the first time."""
    call = getattr(_here, "tracing", None)
    if call is None:
        return
    if not call.may_make_variables:
        raise ValueError(
            "tf.function only supports singleton tf.Variables created on the first call. Make sure "
            "the tf.Variable is only created once or created outside tf.function. See "
            "https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
        )
    call.made.append(variable)


class _Tracing:
    """A trace in progress on this thread."""

    def __init__(self, may_make_variables):
        self.may_make_variables = may_make_variables
        self.made = []

    def __enter__(self):
        self._outer = getattr(_here, "tracing", None)
        _here.tracing = self
        return self

    def __exit__(self, *unused):
        _here.tracing = self._outer


def _is_tensor(value):
    return isinstance(value, _core.Tensor)


class ConcreteFunction:
    """One trace: for tensors of given dtypes and shapes, and given values of everything else."""

    def __init__(self, core, arguments, result, name):
        self._core, self._arguments, self._result = core, arguments, result
        self.name = name

    @property
    def inputs_specs(self):
        return [leaf for leaf in flatten(self._arguments) if isinstance(leaf, TensorSpec)]

    @property
    def structured_input_signature(self):
        return self._arguments

    @property
    def structured_outputs(self):
        return pack_like(
            self._result,
            [
                TensorSpec.from_tensor(leaf) if _is_tensor(leaf) else leaf
                for leaf in flatten(self._result)
            ],
        )

    def run(self, tensors):
        """The results for the tensors among the arguments, in order."""
        made = iter(self._core(tensors))
        leaves = [next(made) if _is_tensor(leaf) else leaf for leaf in flatten(self._result)]
        return pack_like(self._result, leaves)

    def __call__(self, *args, **kwargs):
        leaves = flatten((args, kwargs))
        tensors = [_core.to_tensor(leaf, None, False) for leaf in leaves if _is_traced(leaf)]
        specs = self.inputs_specs
        if len(tensors) != len(specs):
            raise TypeError(f"{self.name} takes {len(specs)} tensors, but got {len(tensors)}")
        return self.run(tensors)

    def memory_plan(self):
        """What a call will hold, and when, before it runs."""
        from penstock._plan import MemoryPlan

        return MemoryPlan(self._core.plan(), self.name)


def _is_traced(leaf):
    """Whether an argument becomes a tensor of the trace; others are values of its signature."""
    return _is_tensor(leaf) or isinstance(leaf, (np.ndarray, np.generic, TensorSpec))


def _key_of(leaf):
    if isinstance(leaf, TensorSpec) or _is_tensor(leaf):
        return leaf.dtype, tuple(leaf.shape)
    if isinstance(leaf, _core.VariableHandle):
        return "variable", leaf._id
    try:
        hash(leaf)
    except TypeError:
        return "object", id(leaf)
    return type(leaf), leaf


def _structure_of(value):
    """A hashable form of a nested structure, without its leaves."""
    if isinstance(value, dict):
        return "dict", tuple((key, _structure_of(value[key])) for key in sorted(value))
    if isinstance(value, (list, tuple)):
        return type(value), tuple(_structure_of(item) for item in value)
    return None


class Function:
    """A Python function, traced for each new signature."""

    def __init__(self, python_function, name=None, input_signature=None, **options):
        self._python_function = python_function
        self._name = name or getattr(python_function, "__name__", "function")
        self._input_signature = None if input_signature is None else tuple(input_signature)
        self._options = options
        self._signature = inspect.signature(python_function)
        self._concrete = {}
        self._variables_made = []
        self._num_traces = 0
        self._bound = {}  # for methods: by the object's id, a reference to it and its function
        self._lock = threading.RLock()
        functools.update_wrapper(self, python_function)

    python_function = property(lambda self: self._python_function)
    name = property(lambda self: self._name)
    input_signature = property(lambda self: self._input_signature)

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        key = id(instance)
        if key not in self._bound:
            alive = weakref.ref(instance, lambda _: self._bound.pop(key, None))
            method = _bound_method(self._python_function, instance, alive)
            made = Function(method, self._name, self._input_signature, **self._options)
            self._bound[key] = alive, made
        return self._bound[key][1]

    def _canonical(self, args, kwargs):
        """The arguments as the Python function takes them, tensors for what is traced."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        structure = (bound.args, bound.kwargs)
        leaves = [
            _core.to_tensor(leaf, None, False)
            if isinstance(leaf, (np.ndarray, np.generic))
            else leaf
            for leaf in flatten(structure)
        ]
        if self._input_signature is not None:
            leaves = self._as_signature_says(leaves)
        return structure, leaves

    def _as_signature_says(self, leaves):
        specs = flatten(self._input_signature)
        if len(leaves) != len(specs):
            raise TypeError(
                f"Binding inputs to tf.function failed: {self._name} takes {len(specs)} arguments "
                f"by its input_signature, but got {len(leaves)}."
            )
        made = []
        for leaf, spec in zip(leaves, specs, strict=True):
            if not isinstance(leaf, TensorSpec):
                try:
                    leaf = _core.to_tensor(leaf, None if _is_tensor(leaf) else spec.dtype, False)
                except ValueError as error:
                    raise TypeError(f"Binding inputs to tf.function failed: {error}") from error
            if not spec.is_compatible_with(leaf):
                raise TypeError(
                    "Binding inputs to tf.function failed due to an argument that is not "
                    f"compatible with its input_signature: expected {spec}, but got "
                    f"{TensorSpec.from_tensor(leaf)}."
                )
            made.append(leaf)
        return made

    def _find(self, structure, leaves):
        """The concrete function for the arguments, traced when there is none yet."""
        key = (_structure_of(structure), tuple(map(_key_of, leaves)))
        found = self._concrete.get(key)
        if found is not None:
            return found
        with self._lock:
            found = self._concrete.get(key)
            if found is None:
                found = self._trace_first(structure, leaves)
                if not found._core.has_captures():
                    self._concrete[key] = found
        return found

    def _trace_first(self, structure, leaves):
        """A trace; the very first may make variables, and then a second must not."""
        is_first = self._num_traces == 0
        concrete, made = self._trace(structure, leaves, may_make_variables=is_first)
        if made:
            self._variables_made = [weakref.ref(variable) for variable in made]
            concrete, _ = self._trace(structure, leaves, may_make_variables=False)
        return concrete

    def _trace(self, structure, leaves, may_make_variables):
        self._num_traces += 1
        trace = _core.Trace(self._name)
        try:
            with _Tracing(may_make_variables) as tracing:
                values = [
                    trace.input(leaf.dtype, leaf.shape) if _is_traced(leaf) else leaf
                    for leaf in leaves
                ]
                args, kwargs = pack_like(structure, values)
                result = self._python_function(*args, **kwargs)
                outputs = [_as_output(leaf) for leaf in flatten(result)]
                core = trace.finish([leaf for leaf in outputs if _is_tensor(leaf)])
        finally:
            trace.close()
        specs = [TensorSpec.from_tensor(leaf) if _is_traced(leaf) else leaf for leaf in leaves]
        made = ConcreteFunction(
            core, pack_like(structure, specs), pack_like(result, outputs), self._name
        )
        return made, tracing.made

    def __call__(self, *args, **kwargs):
        if config.functions_run_eagerly():
            return self._python_function(*args, **kwargs)
        structure, leaves = self._canonical(args, kwargs)
        concrete = self._find(structure, leaves)
        return concrete.run([leaf for leaf in leaves if _is_tensor(leaf)])

    def get_concrete_function(self, *args, **kwargs):
        """The trace for arguments, or for TensorSpecs in their place."""
        if not args and not kwargs and self._input_signature is not None:
            args = self._input_signature
        return self._find(*self._canonical(args, kwargs))

    def memory_plan(self, *args, **kwargs):
        """What a call with such arguments will hold, and when, before it runs."""
        return self.get_concrete_function(*args, **kwargs).memory_plan()

    def experimental_get_tracing_count(self):
        """How often the function was traced."""
        return self._num_traces

    def pretty_printed_concrete_signatures(self, verbose=True):
        """The traces that there are, for people."""
        return "\n\n".join(
            f"{self._name}{self._signature}\n  Args: {each.structured_input_signature}\n"
            f"  Returns: {each.structured_outputs}"
            for each in self._concrete.values()
        )

    def __repr__(self):
        return f"<penstock.Function {self._name}>"


def _bound_method(python_function, instance, alive):
    """The method of an object that it does not keep alive."""

    @functools.wraps(python_function)
    def method(*args, **kwargs):
        return python_function(alive(), *args, **kwargs)

    method.__signature__ = inspect.signature(python_function.__get__(instance))
    return method


def _as_output(leaf):
    if leaf is None or _is_tensor(leaf):
        return leaf
    return _core.to_tensor(leaf, None, False)


def function(
    func=None,
    input_signature=None,
    autograph=True,
    jit_compile=None,
    reduce_retracing=False,
    experimental_implements=None,
    experimental_autograph_options=None,
    experimental_attributes=None,
    experimental_relax_shapes=None,
    experimental_compile=None,
    experimental_follow_type_hints=None,
):
    """Makes a Python function one that is traced, planned and run as a whole."""

    def decorate(python_function):
        return Function(
            python_function,
            input_signature=input_signature,
            autograph=autograph,
            jit_compile=jit_compile,
            reduce_retracing=reduce_retracing,
        )

    return decorate if func is None else decorate(func)
