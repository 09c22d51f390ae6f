"""ConcreteFunction: one trace of a tf.function, with its names, its result and its plan."""

from __future__ import annotations

import inspect

from penstock import _core, errors
from penstock._autodiff.tape import variables_by_id
from penstock._context import frames
from penstock._context.trace import keep_calls
from penstock._tensors.composite import Composite, flatten_all, is_plain, pack_all
from penstock._tensors.spec import TensorSpec
from penstock._tracing.arguments import POSITIONAL, is_traced, key_of, type_text, without_owning


def _parts_of(value) -> list:
    return value._parts() if isinstance(value, Composite) else [value]


class ConcreteFunction:
    """A function for tensors of given dtypes and shapes, and given values of everything else."""

    def __init__(self, core, name, parameters, arguments, inputs, result):
        self._core = core
        self._name = name
        self._parameters = parameters  # inspect.Signature
        self._arguments = arguments  # (args, kwargs), TensorSpecs for the tensors
        self._inputs = inputs  # symbolic tensors
        self._result = result  # with symbolic tensors
        self.calls = []  # Python functions that it calls; this list keeps them alive
        self.wide = None  # the open trace that it was derived from
        self.has_custom_gradient = False  # not part of the graph
        self.assigned = ()  # variables of a graph; their new values are the last outputs
        self.may_be_fast = True  # until a call turns out to need Python

    def at(self, tensors):
        """The function for tensors (or specs) of known shapes, if this one leaves some open."""
        core = self._core.at([tensor.shape._dims for tensor in tensors])
        tensors_left = iter(tensors)
        leaves = [
            TensorSpec((tensor := next(tensors_left)).shape, tensor.dtype, leaf.name)
            if is_traced(leaf)
            else leaf
            for leaf in flatten_all(self._arguments)
        ]
        arguments = pack_all(self._arguments, leaves)
        concrete = ConcreteFunction(
            core, self._name, self._parameters, arguments, self._inputs, self._result
        )
        concrete.wide, concrete.calls = self, self.calls
        concrete.has_custom_gradient = self.has_custom_gradient
        concrete.assigned = self.assigned
        return concrete

    def with_variables(self, bound, stand_ins, variables, on_death):
        """The function for these arguments, if this one has stand-ins for their variables."""
        leaves = [
            without_owning(leaf, on_death) if isinstance(leaf, _core.VariableHandle) else own
            for leaf, own in zip(flatten_all(bound), flatten_all(self._arguments), strict=True)
        ]
        concrete = ConcreteFunction(
            self._core.with_variables(stand_ins, variables),
            self._name,
            self._parameters,
            pack_all(self._arguments, leaves),
            self._inputs,
            self._result,
        )
        concrete.wide, concrete.calls = self, self.calls
        concrete.has_custom_gradient, concrete.may_be_fast = (
            self.has_custom_gradient,
            self.may_be_fast,
        )
        return concrete

    def is_narrowed(self) -> bool:
        """Whether it was derived from a trace that serves others too."""
        return self.wide is not None and self.wide is not self

    inputs = property(lambda self: list(self._inputs))
    structured_outputs = property(lambda self: self._result)
    name = property(lambda self: self._name.encode())

    @property
    def outputs(self):
        """The results that are tensors, in order."""
        return [leaf for leaf in flatten_all(self._result) if isinstance(leaf, _core.Tensor)]

    @property
    def structured_input_signature(self):
        """(args, kwargs), with a TensorSpec for each tensor."""
        names = iter(self._input_names())
        leaves = [
            TensorSpec(leaf.shape, leaf.dtype, next(names)) if is_traced(leaf) else leaf
            for leaf in flatten_all(self._arguments)
        ]
        return pack_all(self._arguments, leaves)

    @property
    def variables(self):
        """The variables that the function reads or changes and that still exist."""
        variables = (variables_by_id.get(number) for number in self._core.variable_ids())
        return tuple(variable for variable in variables if variable is not None)

    @property
    def trainable_variables(self):
        return tuple(variable for variable in self.variables if variable.trainable)

    @property
    def captured_inputs(self):
        """The variables: other tensors from outside are constants of the function."""
        return list(self.variables)

    @property
    def output_shapes(self):
        return self._of_outputs("shape")

    @property
    def output_dtypes(self):
        return self._of_outputs("dtype")

    def _of_outputs(self, attribute):
        leaves = flatten_all(self._result)
        return pack_all(self._result, [getattr(leaf, attribute, None) for leaf in leaves])

    @property
    def graph(self):
        """The ops, one line each when it is printed."""
        return _Graph(self)

    def _input_names(self):
        return [tensor.name.partition(":")[0] for tensor in self._inputs]

    def _named_arguments(self):
        """(name, kind, value) of every argument, as the trace has it."""
        args, kwargs = self._arguments
        parameters = list(self._parameters.parameters.values())
        rest = next((p.name for p in parameters if p.kind is inspect.Parameter.VAR_POSITIONAL), "")
        named = [p for p in parameters if p.kind in POSITIONAL]
        for i, value in enumerate(args):
            if i < len(named):
                kind = "POSITIONAL_ONLY" if rest else named[i].kind.name
                yield named[i].name, kind, value
            else:
                yield f"{rest}_{i - len(named)}", "POSITIONAL_ONLY", value
        for key in kwargs:
            yield key, "KEYWORD_ONLY", kwargs[key]

    def pretty_printed_signature(self, verbose=True):
        """The types of arguments and result, for people."""
        lines = ["Input Parameters:"]
        lines += [f"  {name} ({kind}): {type_text(v)}" for name, kind, v in self._named_arguments()]
        lines += ["Output Type:", f"  {type_text(self._result)}", "Captures:"]
        lines += [
            f"  {variable._id}: {TensorSpec.from_tensor(variable)}" for variable in self.variables
        ] or ["  None"]
        return "\n".join(lines)

    def __str__(self):
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self):
        taken = ", ".join(f"{name}: {type_text(v)}" for name, _, v in self._named_arguments())
        return f"<ConcreteFunction ({taken}) -> {type_text(self._result)} at 0x{id(self):X}>"

    def _pack(self, tensors):
        """The result's structure around its tensors."""
        tensors = iter(tensors)
        leaves = [
            next(tensors) if isinstance(leaf, _core.Tensor) else leaf
            for leaf in flatten_all(self._result)
        ]
        return pack_all(self._result, leaves)

    def form(self):
        """The result as a template that C++ fills with tensors, in a tuple; None if it cannot."""
        return (self._result,) if is_plain(self._result) else None

    def run(self, tensors):
        """The results for the tensors among the arguments, in order."""
        if self.calls:
            keep_calls(self.calls)  # if it becomes part of another trace
        results = self._core(tensors)
        if self.assigned:
            count = len(results) - len(self.assigned)
            results = frames.assign(self.assigned, results[count:], results[:count])
        return results[0] if isinstance(self._result, _core.Tensor) else self._pack(results)

    def __call__(self, *args, **kwargs):
        if not kwargs and len(args) == len(self._inputs) and self._are_inputs(args):
            return self.run(list(args))
        return self.run(self._tensors_of(args, kwargs))

    def _are_inputs(self, args) -> bool:
        """Whether the arguments are the tensors themselves, the common case."""
        pairs = zip(args, self._inputs, strict=True)
        return all(isinstance(x, _core.Tensor) and x.dtype is own.dtype for x, own in pairs)

    def _tensors_of(self, args, kwargs) -> list:
        """The tensors among the arguments, by parameter or by tensor name."""
        names = self._input_names()
        tensors = list(args)
        if len(args) + len(kwargs) == len(names) and all(
            name in kwargs for name in names[len(args) :]
        ):
            tensors += [kwargs[name] for name in names[len(args) :]]
            tensors = [part for value in tensors for part in _parts_of(value)]
        else:
            tensors = self._bound(args, kwargs)
        wanted = [leaf for leaf in flatten_all(self._arguments) if is_traced(leaf)]
        pairs = zip(tensors, wanted, strict=True)
        try:
            return [self._input(i, *pair) for i, pair in enumerate(pairs)]
        except (TypeError, ValueError) as error:
            raise self._failed(error, args, kwargs) from None

    def _bound(self, args, kwargs) -> list:
        try:
            bound = self._with_values(self._parameters).bind(*args, **kwargs)
        except TypeError as error:
            raise self._failed(error, args, kwargs) from None
        bound.apply_defaults()
        leaves, wanted = flatten_all((bound.args, bound.kwargs)), flatten_all(self._arguments)
        if len(leaves) != len(wanted):
            raise self._failed("another structure of arguments", args, kwargs)
        for value, own in zip(leaves, wanted, strict=True):
            if not is_traced(own) and key_of(value) != key_of(own):
                raise self._failed(f"Can not cast {value!r} to {type_text(own)}", args, kwargs)
        pairs = zip(leaves, wanted, strict=True)
        return [value for value, own in pairs if is_traced(own)]

    def _with_values(self, signature):
        """The signature with the trace's values as defaults: they may be omitted."""
        values = {name: value for name, _, value in self._named_arguments()}
        parameters, optional = [], False
        for parameter in signature.parameters.values():
            has_value = not any(map(is_traced, flatten_all(values.get(parameter.name))))
            optional = optional or parameter.kind is inspect.Parameter.KEYWORD_ONLY
            if parameter.kind in (*POSITIONAL, inspect.Parameter.KEYWORD_ONLY):
                is_last = optional or has_value
                default = (
                    values[parameter.name] if has_value and is_last else inspect.Parameter.empty
                )
                parameter = parameter.replace(default=default)
            parameters.append(parameter)
        try:
            return signature.replace(parameters=parameters)
        except ValueError:  # a tensor after a value: all must be given
            bare = [parameter.replace(default=inspect.Parameter.empty) for parameter in parameters]
            return signature.replace(parameters=bare)

    def _failed(self, reason, args, kwargs):
        taken = ", ".join(f"{name}: {type_text(v)}" for name, _, v in self._named_arguments())
        return TypeError(
            f"Binding inputs to tf.function failed due to `{reason}`. Received args: {args} and "
            f"kwargs: {kwargs} for signature: ({taken}) -> {type_text(self._result)}."
        )

    def _input(self, i, value, spec):
        tensor = value
        if not isinstance(value, (_core.Tensor, _core.VariableHandle)):
            tensor = _core.to_tensor(value, spec.dtype)
        tensor = _core.to_tensor(tensor)
        if tensor.dtype != spec.dtype:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"cannot compute {self._name} as input #{i}(zero-based) was expected to be a "
                f"{spec.dtype.name} tensor but is a {tensor.dtype.name} tensor "
                f"[Op:{self._name}]",
            )
        return tensor

    def memory_plan(self):
        """The memory of a call, and when, before it runs."""
        from penstock._memory.plan import MemoryPlan

        return MemoryPlan(self._core.plan(), self._name)

    def bytes(self) -> int:
        """The memory of the trace itself: its graph, constants and instructions."""
        return self._core.bytes()


class _Graph:
    """A view of a trace with the attributes that programs expect of a graph."""

    def __init__(self, function):
        self._function = function

    inputs = property(lambda self: self._function.inputs)
    outputs = property(lambda self: self._function.outputs)
    structured_outputs = property(lambda self: self._function.structured_outputs)
    variables = property(lambda self: self._function.variables)
    trainable_variables = property(lambda self: self._function.trainable_variables)
    name = property(lambda self: self._function._name)

    def __str__(self):
        return self._function._core.text()
