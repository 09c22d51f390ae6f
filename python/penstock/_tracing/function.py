"""tf.function: Python functions traced once per signature, planned, and run as a whole."""

from __future__ import annotations

import functools
import inspect
import threading
import weakref

from penstock import _core, autograph, config, errors
from penstock._api import public
from penstock._autodiff.tape import is_recording
from penstock._context.frames import Frame, with_effects
from penstock._context.trace import Tracing
from penstock._control_flow.tensor_array import has_array
from penstock._tensors.composite import flatten_all, pack_all
from penstock._tensors.spec import TensorSpec
from penstock._tracing.arguments import (
    POSITIONAL,
    Parameters,
    input_order,
    is_traced,
    without_owning,
)
from penstock._tracing.concrete import ConcreteFunction
from penstock._tracing.relaxing import Relaxing, key_of_call, traced_leaves
from penstock._tracing.retracing import RetraceWatch
from penstock._tracing.trace_cache import TraceCache
from penstock._variables.stand_ins import StandIns
from penstock._variables.variable import NeedsVariables


class Function(_core.TracedCall):
    """A Python function, traced for each new signature. Calls with a signature that was seen not
    long ago never get here: the base class makes them."""

    def __init__(
        self,
        python_function,
        name=None,
        input_signature=None,
        memory_budget=None,
        trace_cache_limit=None,
        **options,
    ):
        if not callable(python_function):
            raise TypeError(f"{python_function} is not a callable object")
        functools.update_wrapper(self, python_function)  # first: our own attributes stay ours
        self._python_function = python_function
        self._name = name or getattr(python_function, "__name__", "function")
        self._parameters = Parameters(python_function, input_signature)
        self._memory_budget = _as_bytes(memory_budget)
        self._fitted = weakref.WeakSet()  # traces whose plans fit
        self._own_options = dict(
            options, memory_budget=memory_budget, trace_cache_limit=trace_cache_limit
        )
        self._traces = TraceCache(_as_bytes(trace_cache_limit))
        self._relaxing = Relaxing(options.get("reduce_retracing", False))
        self._stand_ins = StandIns()
        self._needs_variables = False  # no stand-ins
        self._never_open = set()  # keys of arguments that cannot be traced with open dimensions
        self._watch = RetraceWatch()
        self._num_traces = 0
        self._bound = {}  # for methods: by the object's id, a reference to it and its function
        self._lock = threading.RLock()

    python_function = property(lambda self: self._python_function)
    name = property(lambda self: self._name)
    input_signature = property(lambda self: self._parameters.specs)
    function_spec = property(lambda self: self._parameters)

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        bound_function = self._bound.get(id(instance))
        return bound_function[1] if bound_function is not None else self._bind_to(instance)

    def _bind_to(self, instance):
        """The function bound to an object, which it does not keep alive."""
        with self._lock:  # otherwise two would be traced, and create variables twice
            bound_function = self._bound.get(id(instance))
            return bound_function[1] if bound_function is not None else self._new_bound(instance)

    def _new_bound(self, instance):
        alive = weakref.ref(instance, functools.partial(_unbind, weakref.ref(self), id(instance)))
        method = _method(self._python_function, instance, alive)
        function = Function(method, self._name, self._parameters.specs, **self._own_options)
        self._bound[id(instance)] = alive, function
        return function

    def _find(self, bound):
        """The concrete function for bound arguments, traced on first use."""
        key = key_of_call(bound)
        with self._lock:
            concrete = self._traces.get(key)
            if concrete is not None:
                return key, concrete, False
            before = self._num_traces
            concrete = self._by_stand_ins(bound, key) or self._find_exact(bound, key)
        return key, concrete, self._num_traces > before

    def _by_stand_ins(self, bound, key):
        """The concrete function made from a trace for any variables of these kinds. None if no
        argument is a variable, or if the trace needs the variables themselves."""
        replaced = None if self._needs_variables else self._stand_ins.replace(bound)
        if replaced is None:
            return None
        with_stand_ins, stand_ins, variables = replaced
        stand_in_key = key_of_call(with_stand_ins)
        try:
            general = self._traces.get(stand_in_key)
            if general is None:
                general = self._find_exact(with_stand_ins, stand_in_key)
        except NeedsVariables:
            self._needs_variables = True
            return None
        used = {*general._core.variable_ids()} if general._core.assigns() else set()
        if any(variable._id in used for variable in variables):
            return None  # the function has it already: what it does to one, the other shows
        on_death = functools.partial(_drop_trace, weakref.ref(self), key)
        concrete = general.with_variables(bound, stand_ins, variables, on_death)
        if not concrete._core.has_captures():
            self._keep(key, concrete)
        return concrete

    def _find_exact(self, bound, key):
        concrete = self._narrowed(bound)
        is_own = concrete is None
        if is_own:
            concrete = self._trace_first(bound, key)
            self._relaxing.traced(bound)
        if (is_own or concrete.is_narrowed()) and not concrete._core.has_captures():
            self._keep(key, concrete)
        return concrete

    def _narrowed(self, bound):
        """The concrete function made from a trace with open dimensions. None if no such trace
        fits these arguments."""
        wide = self._parameters.declared(bound) or self._relaxing.widen(bound)
        if wide is None:
            return None
        key = key_of_call(wide)
        concrete = self._traces.get(key) or self._trace_open(wide, key)
        leaves = traced_leaves(bound)
        if concrete is None or _core.is_tracing():
            return concrete
        is_closed = all(leaf.shape.is_fully_defined() for leaf in leaves)
        return (
            concrete.at(leaves) if is_closed and not concrete._core.has_known_inputs() else concrete
        )

    def _trace_open(self, wide, key):
        if key in self._never_open:
            return None
        before = self._num_traces
        try:
            concrete = self._trace_first(wide, key)
        except errors.UnimplementedError:
            # Something in it needs the sizes: then each size has its own trace.
            self._never_open.add(key)
            self._num_traces = before
            return None
        if not concrete._core.has_captures():
            concrete.wide = concrete
            self._keep(key, concrete)
        return concrete

    def _keep(self, key, concrete):
        self._traces.put(key, concrete)
        for dropped in self._traces.shrink(self._recent()):
            self._forget(dropped)

    def _note_trace(self, bound, key):
        args, kwargs = bound
        names = _names(self._parameters.signature, len(args))
        keys = dict(zip(names, key[0], strict=True)) | dict(key[1])
        values = dict(zip(names, args, strict=True)) | kwargs
        self._watch.traced(self._python_function, keys, values)

    def _trace_apart(self, arguments):
        """A trace that is not cached: to see what other arguments would need."""
        count = self._num_traces
        try:
            return (
                self._narrowed(arguments)
                or self._trace(arguments, None, may_make_variables=False)[0]
            )
        finally:
            self._num_traces = count

    def _trace_first(self, bound, key):
        """A trace; the very first may create variables, and a second one must not."""
        is_first = self._num_traces == 0
        concrete, results = self._trace(bound, key, may_make_variables=is_first)
        if results:
            concrete, _ = self._trace(bound, key, may_make_variables=False)
        return concrete

    def _trace(self, bound, key, may_make_variables):
        leaves = flatten_all(bound)
        # Before the trace: they read the context around it.
        tracing, frame = Tracing(may_make_variables), Frame()
        trace = _core.Trace(self._name)
        try:
            with tracing, frame:
                inputs = self._add_inputs(trace, leaves, bound)
                values = [inputs.get(i, leaf) for i, leaf in enumerate(leaves)]
                args, kwargs = pack_all(bound, values)
                to_trace = autograph._traced(self._python_function, **self._own_options)
                result = to_trace(*args, **kwargs)
                outputs = [self._as_output(leaf) for leaf in flatten_all(result)]
                tensors = [leaf for leaf in outputs if leaf is not None]
                core = trace.finish(tensors + [frame.read(variable) for variable in frame.written])
        finally:
            trace.close()
        self._num_traces += 1  # a failed trace does not count
        on_death = functools.partial(_drop_trace, weakref.ref(self), key)
        kept = [
            TensorSpec(leaf.shape, leaf.dtype, leaf.name if isinstance(leaf, TensorSpec) else None)
            if is_traced(leaf)
            else without_owning(leaf, on_death)
            for leaf in leaves
        ]
        concrete = ConcreteFunction(
            core,
            self._name,
            self._parameters.signature,
            pack_all(bound, kept),
            list(inputs.values()),
            pack_all(result, outputs),
        )
        concrete.calls = tracing.calls
        concrete.has_custom_gradient = tracing.has_custom_gradient
        concrete.assigned = frame.written
        concrete.may_be_fast = not tracing.has_custom_gradient
        return concrete, tracing.made

    def _add_inputs(self, trace, leaves, bound):
        """Symbolic tensors for the leaves that are tensors or specs."""
        args, kwargs = bound
        names = [
            name
            for name, value in [
                *zip(_names(self._parameters.signature, len(args)), args, strict=True),
                *((key, kwargs[key]) for key in sorted(kwargs)),
            ]
            for _ in flatten_all(value)
        ]
        inputs, used = {}, set()
        for i, leaf in enumerate(leaves):
            if not is_traced(leaf):
                continue
            name = (leaf.name if isinstance(leaf, TensorSpec) else None) or names[i]
            unique, number = name, 0
            while unique in used:
                number += 1
                unique = f"{name}_{number}"
            used.add(unique)
            inputs[i] = trace.input(leaf.dtype, leaf.shape._dims)
            inputs[i]._name = unique + ":0"
        return inputs

    def _as_output(self, leaf):
        if leaf is None or isinstance(leaf, _core.Tensor):
            return leaf
        try:
            return _core.to_tensor(leaf)
        except (TypeError, ValueError):
            raise TypeError(
                "To be compatible with tf.function, Python functions must return zero or more "
                "Tensors or ExtensionTypes or None values; in compilation of "
                f"{self._python_function}, found return value of type {type(leaf).__name__}, which "
                "is not a Tensor or ExtensionType."
            ) from None

    def _call_slowly(self, *args, **kwargs):
        """A call that the base class has not cached."""
        if config.functions_run_eagerly():
            return self._python_function(*args, **kwargs)
        if _core.is_tracing() and has_array((args, kwargs)):
            # Arrays belong to the enclosing trace: the function becomes part of that.
            inlined = autograph._traced(self._python_function, **self._own_options)
            return with_effects(lambda: inlined(*args, **kwargs))
        self._watch.called(self._take_hits())
        bound = self._parameters.bind(args, kwargs)
        key, concrete, is_new = self._find(bound)
        if is_new:
            self._note_trace(bound, key)
        else:
            self._watch.called()
        if concrete.has_custom_gradient and (_core.is_tracing() or is_recording()):
            return with_effects(lambda: self._call_python(*bound))
        tensors = [leaf for leaf in flatten_all(bound) if isinstance(leaf, _core.Tensor)]
        if _core.is_tracing():
            return concrete.run(tensors)
        self._check_planned(concrete)
        self._check_budget(concrete)
        try:
            result = self._run_within_budget(concrete, tensors)
        except errors.ResourceExhaustedError as error:
            self._refuse(concrete, error.message)
            raise
        may_be_fast = concrete.may_be_fast and not self._parameters.has_open_defaults
        if may_be_fast and not concrete._core.has_captures():
            self._make_fast(key, concrete, args, kwargs, tensors)
        return result

    def _run_within_budget(self, concrete, tensors):
        """If the plan does not fit beside the memory held, loops keep fewer states."""
        for _ in range(2):  # a new plan takes some memory itself
            try:
                return concrete.run(tensors)
            except errors.ResourceExhaustedError:
                left = _core.budget(0) - _core.memory_info(0)["current"]
                plan = concrete._core
                if not plan.is_planned() or plan.peak_bytes() <= left or not plan.fit(left):
                    raise
        return concrete.run(tensors)

    def _call_python(self, args, kwargs):
        """Runs op by op under a tape: a custom gradient is not part of a graph."""
        result = self._python_function(*args, **kwargs)
        return pack_all(result, [self._as_output(leaf) for leaf in flatten_all(result)])

    def _make_fast(self, key, concrete, args, kwargs, tensors):
        """Caches such calls in the base class, if possible."""
        count, order = input_order(self._parameters, args, kwargs)
        with self._lock:
            if self._traces.get(key) is not concrete:
                return  # it was evicted, or its argument died
            core = concrete._core
            concrete.may_be_fast = self._remember(
                args, kwargs, count, order, tensors, core, concrete.form(), concrete
            )
            self._keep(key, concrete)  # its program has made it larger

    def _check_planned(self, concrete):
        """jit_compile=True requires one plan for the whole function."""
        if not self._own_options.get("jit_compile") or concrete._core.is_planned():
            return
        plan = concrete.memory_plan()
        unknown = "\n".join(dict.fromkeys("  " + cause for cause in plan.causes or plan.unknown))
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Detected unsupported operations when trying to compile graph {self._name} "
            "(jit_compile=True): what they need is known only when they run, so there is no plan "
            f"of the whole function.\n{unknown}",
        )

    def _fits(self, concrete) -> bool:
        """Whether the plan fits the function's own budget; loops may keep fewer states."""
        if self._memory_budget is None or concrete in self._fitted:
            return True
        if not concrete._core.fit(self._memory_budget):
            return False
        self._fitted.add(concrete)
        return True

    def _check_budget(self, concrete):
        if not self._fits(concrete):
            from penstock._tracing import refusal as _refusal

            _refusal.refuse(self, concrete, self._memory_budget)

    def _refuse(self, concrete, reason):
        """Called when a run found no memory: explains it if the plan does not fit."""
        from penstock._tracing import refusal as _refusal

        _refusal.refuse_global(self, concrete, reason)

    def get_concrete_function(self, *args, **kwargs):
        """The trace for arguments, or for TensorSpecs in their place.

        Args:
          *args: Arguments of the function, or TensorSpecs.

        Returns:
          The ConcreteFunction.

        >>> double = tf.function(lambda x: x * 2)
        >>> double.get_concrete_function(tf.TensorSpec([None], tf.float32)).output_shapes
        TensorShape([None])
        """
        if not args and not kwargs and self._parameters.specs is not None:
            args = self._parameters.specs
        return self._find(self._parameters.bind(args, kwargs))[1]

    def memory_plan(self, *args, **kwargs):
        """The memory of a call with such arguments, and when, before it runs."""
        concrete = self.get_concrete_function(*args, **kwargs)
        if concrete._core.has_known_inputs():
            self._fits(concrete)
        return concrete.memory_plan()

    def bytes(self) -> int:
        """The memory of the traces: their graphs, constants and instructions."""
        return self._traces.bytes()

    def experimental_get_tracing_count(self):
        """How often the function was traced."""
        return self._num_traces

    def pretty_printed_concrete_signatures(self, verbose=True):
        """The existing traces, in readable form.

        Args:
          verbose: False for a shorter form.

        >>> double = tf.function(lambda x: x * 2)
        >>> double(tf.constant(1.0)).numpy()
        np.float32(2.0)
        >>> print(double.pretty_printed_concrete_signatures())
        Input Parameters:
          x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=tf.float32, name=None)
        Output Type:
          TensorSpec(shape=(), dtype=tf.float32, name=None)
        Captures:
          None
        """
        return "\n\n".join(
            trace.pretty_printed_signature()
            for trace in self._traces.values()
            if trace.wide in (None, trace)
        )

    def experimental_get_compiler_ir(self, *args, **kwargs):
        """A function of the stage: always the text of the graph."""
        concrete = self.get_concrete_function(*args, **kwargs)
        return lambda stage="hlo", device_name=None, platform_name=None: concrete._core.text()

    def __reduce__(self):
        """A copy is the function without its traces."""
        options = (self._name, self._parameters.specs, self._own_options)
        return _rebuild, (self._python_function, *options)

    def __repr__(self):
        return f"<penstock.Function {self._name}>"


def _rebuild(python_function, name, input_signature, options):
    return Function(python_function, name, input_signature, **options)


def _as_bytes(size):
    return _core.parse_bytes(size) if isinstance(size, str) else size


def _unbind(function, key, unused):
    owner = function()
    if owner is not None:
        owner._bound.pop(key, None)


def _drop_trace(function, key, unused):
    """Drops the trace of an argument that no longer exists."""
    owner = function()
    if owner is not None:
        owner._traces.drop_dead(key, owner._forget)


def _method(python_function, instance, alive):
    """A method bound to an object that it does not keep alive."""

    @functools.wraps(python_function)
    def method(*args, **kwargs):
        return python_function(alive(), *args, **kwargs)

    method.__signature__ = inspect.signature(python_function.__get__(instance))
    return method


def _names(signature, count) -> list[str]:
    """The names of `count` positional arguments; those of *rest are rest_0, rest_1, …"""
    names, rest = [], "arg"
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            rest = parameter.name
        elif parameter.kind in POSITIONAL:
            names.append(parameter.name)
    return [*names, *(f"{rest}_{i}" for i in range(count - len(names)))][:count]


@public("function")
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
    memory_budget=None,
    trace_cache_limit=None,
):
    """Turns a Python function into one that is traced, planned and run as a whole.

    `memory_budget` (bytes, or a text such as "512MiB") is the most that a call may hold besides its
    inputs, variables and constants; `trace_cache_limit` the most that its traces may take.

    Args:
      func: The Python function.
      input_signature: TensorSpecs of all arguments; None traces anew for each signature.
      autograph: True to convert Python's if, for and while over tensors.
      jit_compile: True to refuse what cannot be planned as a whole.
      reduce_retracing: True to trace with unknown sizes where arguments differ in them.
      experimental_implements: Taken as in TensorFlow, and not used.
      experimental_autograph_options: Features of AutoGraph to switch on.
      experimental_attributes: Taken as in TensorFlow, and not used.
      experimental_relax_shapes: The older name of `reduce_retracing`.
      experimental_compile: The older name of `jit_compile`.
      experimental_follow_type_hints: Taken as in TensorFlow, and not used.
      memory_budget: The most that a call may allocate, in bytes or as text ("64MiB").
      trace_cache_limit: The most that the traces may hold, in bytes.

    >>> @tf.function
    ... def double(x):
    ...     return x * 2
    >>> double(tf.constant([1.0, 2.0]))
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 4.], dtype=float32)>
    >>> double.memory_plan(tf.TensorSpec([1024], tf.float32)).peak_bytes
    4096
    """

    def decorate(python_function):
        return Function(
            python_function,
            input_signature=input_signature,
            memory_budget=memory_budget,
            trace_cache_limit=trace_cache_limit,
            autograph=autograph,
            experimental_autograph_options=experimental_autograph_options,
            jit_compile=jit_compile,
            reduce_retracing=reduce_retracing,
        )

    return decorate if func is None else decorate(func)


function.__overloads__ = """
    func: typing.Callable[_typing.P, _typing.R] -> _typing.Function[_typing.P, _typing.R]
    func: None = None -> _typing.Decorator
"""
