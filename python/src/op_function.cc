#include "op_function.h"

#include <structmember.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <penstock/exec/graph_builder.h>
#include <penstock/ops/registry.h>

#include "array.h"
#include "attributes.h"
#include "convert.h"
#include "errors.h"
#include "hooks.h"
#include "run.h"
#include "temporaries.h"
#include "tensor_object.h"
#include "variable_object.h"

namespace penstock::python {
namespace {

constexpr int kMaxParameters = 24;

// The destination of an argument.
struct Parameter {
  enum Kind { kInput, kAttr, kIgnored } kind;
  size_t index;
  PyObject* name;           // interned
  PyObject* fallback;       // null: the argument is mandatory
  bool is_settled = false;  // the fallback of an attribute is in Description::defaults
  bool is_rare = false;     // with another value than its fallback (where there is none, and for
                            // inputs: than a number), the call is not for the op
};

struct Description {
  const char* function;  // its name, for messages: that of the object `public_name`
  const OpDef* op;
  const OpDef* other;  // used for dtypes that `op` does not have, or null
  int output;          // the one to return; -1: all
  bool is_lax;         // a number keeps its dtype if it cannot take the tensors': the op refuses
  std::vector<Parameter> parameters = {};
  PyObject* public_name = nullptr;
  PyObject* otherwise = nullptr;    // called if a parameter that is_rare is given
  std::vector<size_t> inputs = {};  // the parameters of the op's inputs, in its order
  std::vector<Attr> defaults = {};  // all attributes, if nothing is given
  PyObject* result = nullptr;       // the namedtuple class of several outputs
  size_t name = SIZE_MAX;           // the parameter `name`, if there is one
};

struct OpFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* attributes;
  Description* description;
};

using Values = PyObject* [kMaxParameters];

size_t find_parameter(const Description& d, PyObject* name) {
  for (size_t i = 0; i < d.parameters.size(); ++i) {
    if (d.parameters[i].name == name) return i;
  }
  for (size_t i = 0; i < d.parameters.size(); ++i) {
    if (PyUnicode_Compare(d.parameters[i].name, name) == 0) return i;
  }
  raise(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", d.function, name);
}

// Arguments by parameter: positional ones, keywords, defaults.
void bind(const Description& d, PyObject* const* args, size_t count, PyObject* keywords,
          Values values) {
  if (count > d.parameters.size()) {
    raise(PyExc_TypeError, "%s() takes %zu positional arguments but %zu were given", d.function,
          d.parameters.size(), count);
  }
  for (size_t i = 0; i < count; ++i) values[i] = args[i];
  for (size_t i = count; i < d.parameters.size(); ++i) values[i] = nullptr;
  const Py_ssize_t named = keywords != nullptr ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t k = 0; k < named; ++k) {
    const size_t i = find_parameter(d, PyTuple_GET_ITEM(keywords, k));
    if (values[i] != nullptr) {
      raise(PyExc_TypeError, "%s() got multiple values for argument '%U'", d.function,
            d.parameters[i].name);
    }
    values[i] = args[count + static_cast<size_t>(k)];
  }
  for (size_t i = 0; i < d.parameters.size(); ++i) {
    if (values[i] == nullptr) values[i] = d.parameters[i].fallback;
    if (values[i] == nullptr) {
      raise(PyExc_TypeError, "%s() missing 1 required positional argument: '%U'", d.function,
            d.parameters[i].name);
    }
  }
}

// The inputs of a call. Tensors are used directly. Everything else is converted, to the dtype of a
// tensor that must match it, once all arguments have been seen.
class CallInputs {
 public:
  CallInputs(const OpDef& op, bool is_lax) : op_(op), is_lax_(is_lax) {}

  void add(size_t i, PyObject* value) {
    if (!op_.inputs[i].many) return add_one(i, value);
    // Our own tuple: another thread may change the list while the op runs.
    kept_ = Ref(PySequence_Tuple(value));
    if (!kept_) throw PythonError();
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(kept_.get()); ++k)
      add_one(i, PyTuple_GET_ITEM(kept_.get(), k));
  }

  std::span<const Tensor* const> finish() {
    for (const Slot& slot : slots_) {
      if (!has_tensor(slot.object)) {
        if (made_.capacity() == 0) made_.reserve(slots_.size());  // they must not move
        made_.push_back(op_.inputs[slot.input].many ? convert_item(slot) : convert(slot));
        pointers_.push_back(&made_.back());
      } else {
        pointers_.push_back(&tensor_of(slot.object));
      }
    }
    return pointers_;
  }

  // A bit for each argument that is a temporary on the evaluation stack.
  uint64_t temporaries(PyObject* function, PyObject* const* args, size_t count,
                       const void* caller) const {
    uint64_t bits = 0;
    for (size_t i = 0; i < slots_.size() && i < 64; ++i) {
      if (!may_be_temporary(slots_[i].object)) continue;
      for (size_t k = 0; k < count; ++k) {
        if (args[k] == slots_[i].object) bits |= uint64_t{1} << i;
      }
    }
    return bits != 0 && are_on_stack(function, args, caller) ? bits : 0;
  }

 private:
  struct Slot {
    size_t input;
    PyObject* object;
  };

  // The common dtype of the inputs of this letter, once known.
  DType& letter(size_t input) {
    const char type = op_.inputs[input].type;
    if (type == kMixed) return mixed_ = DType::kInvalid;
    return letters_[type - 'A'];
  }

  void add_one(size_t i, PyObject* value) {
    // If nothing is forced, the first input decides.
    const bool decides = !is_lax_ || slots_.empty();
    if (decides && has_tensor(value)) {
      if (letter(i) == DType::kInvalid) letter(i) = description_of(value).dtype();
    } else if (decides && is_variable(value)) {
      if (letter(i) == DType::kInvalid) letter(i) = variable_of(value).dtype();
    }
    slots_.push_back({i, value});
  }

  Tensor convert(const Slot& slot) {
    if (is_variable(slot.object)) return variable_of(slot.object).value();
    DType& same = letter(slot.input);
    if (same != DType::kInvalid)
      return to_tensor(slot.object, same, is_lax_ ? Wanted::kAsHint : Wanted::kStrictly);
    Tensor tensor = convert_first(slot.object, op_.inputs[slot.input]);
    same = tensor.dtype();
    return tensor;
  }

  // For a node, a non-tensor is a list with mismatched types.
  Tensor convert_item(const Slot& slot) {
    try {
      return convert(slot);
    } catch (const PythonError&) {
      if (!makes_nodes() || PyErr_ExceptionMatches(PyExc_ValueError) == 0) throw;
      PyErr_Clear();
    }
    raise(PyExc_TypeError, "Tensors in list passed to '%s' of '%s' Op do not all match: %R",
          op_.inputs[slot.input].name.data(), op_.name.value.data(), kept_.get());
  }

  // Only the op determines the dtype.
  static Tensor convert_first(PyObject* value, const InputDef& input) {
    const DTypeSet allowed = input.dtypes;
    for (int i = 1; i < kNumDTypes; ++i) {
      const auto only = static_cast<DType>(i);
      if (allowed == DTypeSet(only)) return to_tensor(value, only);
    }
    // If the op accepts integers but not floats, an empty list is one of integers.
    const bool wants_ints = !allowed.has(DType::kFloat32) && allowed.has(DType::kInt32);
    if (is_array(value) || is_numpy_scalar(value)) {
      Tensor own = to_tensor(value);
      const bool is_cast = wants_ints && input.host && kRealTypes.has(own.dtype());
      return is_cast && !allowed.has(own.dtype()) ? to_tensor(value, DType::kInt32) : own;
    }
    return to_tensor(value, wants_ints ? DType::kInt32 : DType::kInvalid, Wanted::kAsHint);
  }

  const OpDef& op_;
  bool is_lax_;
  DType letters_[26] = {};
  DType mixed_ = DType::kInvalid;
  SmallVector<Slot, 6> slots_;
  SmallVector<const Tensor*, 6> pointers_;
  std::vector<Tensor> made_;
  Ref kept_;
};

PyObject* several(Description& d, Tensors& outputs) {
  const bool is_list = d.op->traits.has(Trait::kManyOutputs);
  Ref items(checked(is_list ? PyList_New(static_cast<Py_ssize_t>(outputs.size()))
                            : PyTuple_New(static_cast<Py_ssize_t>(outputs.size()))));
  for (size_t i = 0; i < outputs.size(); ++i) {
    PyObject* item = checked(wrap(std::move(outputs[i])));
    if (is_list) {
      PyList_SET_ITEM(items.get(), static_cast<Py_ssize_t>(i), item);
    } else {
      PyTuple_SET_ITEM(items.get(), static_cast<Py_ssize_t>(i), item);
    }
  }
  if (is_list) return items.release();
  if (d.result == nullptr) {
    const Ref names(checked(PyList_New(0)));
    for (std::string_view name : d.op->outputs) {
      const Ref text(
          PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
      if (!text || PyList_Append(names.get(), text.get()) < 0) throw PythonError();
    }
    d.result = checked(
        PyObject_CallFunction(hooks.make_result, "sO", d.op->name.value.data(), names.get()));
  }
  return checked(PyObject_Call(d.result, items.get(), nullptr));
}

bool takes(const OpDef& op, std::span<const Tensor* const> tensors) {
  return tensors.empty() || op.inputs[0].dtypes.has(tensors[0]->dtype());
}

// In TensorFlow 1 graphs the argument `name` names the node.
std::string_view checked_name(const Description& d, const Values values) {
  if (d.name >= d.parameters.size() || values[d.name] == Py_None) return {};
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(values[d.name], &size);
  if (text == nullptr) throw PythonError();
  const std::string_view name(text, static_cast<size_t>(size));
  const std::string problem = GraphBuilder::Call::problem_with(name);
  if (!problem.empty()) raise(PyExc_ValueError, "%s", problem.c_str());
  return name;
}

bool is_plain_number(PyObject* value) {
  if (PyFloat_CheckExact(value)) return !std::isnan(PyFloat_AS_DOUBLE(value));
  return PyLong_CheckExact(value);
}

bool is_slices(PyObject* value) {
  static PyObject* const name = PyUnicode_InternFromString("dense_shape");
  return !has_tensor(value) && !is_variable(value) && !is_plain_number(value) &&
         !PyList_CheckExact(value) && !is_array(value) && PyObject_HasAttr(value, name) != 0;
}

// Whether the call has arguments that the op does not handle.
bool is_rare(const Description& d, const Values values) {
  for (size_t k = 0; k < d.parameters.size(); ++k) {
    const Parameter& parameter = d.parameters[k];
    if (!parameter.is_rare) continue;
    const bool takes_number = parameter.kind == Parameter::kInput || parameter.fallback == nullptr;
    if (takes_number ? !is_plain_number(values[k]) : values[k] != parameter.fallback) return true;
  }
  return is_slices(values[0]);
}

PyObject* call(PyObject* self, PyObject* const* args, size_t flagged_count, PyObject* keywords) {
  const void* caller = __builtin_return_address(0);
  return guarded([&] {
    Description& d = *reinterpret_cast<OpFunction*>(self)->description;
    const OpDef& op = *d.op;
    const auto count = static_cast<size_t>(PyVectorcall_NARGS(flagged_count));
    Values values;
    bind(d, args, count, keywords, values);
    if (d.otherwise != nullptr && is_rare(d, values))
      return checked(PyObject_Vectorcall(d.otherwise, values, d.parameters.size(), nullptr));
    // Nodes that convert arguments are named within the call's name.
    std::optional<GraphBuilder::Call> node;
    if (GraphBuilder::is_entered()) [[unlikely]] {
      node.emplace(op, checked_name(d, values));
    }
    CallInputs inputs(op, d.is_lax);
    CallAttrs attrs(op, d.defaults);
    for (size_t i = 0; i < op.inputs.size(); ++i) inputs.add(i, values[d.inputs[i]]);
    for (size_t k = 0; k < d.parameters.size(); ++k) {
      const Parameter& parameter = d.parameters[k];
      if (parameter.kind == Parameter::kAttr &&
          !(parameter.is_settled && values[k] == parameter.fallback)) {
        attrs.set(parameter.index, values[k]);
      }
    }
    const std::span<const Tensor* const> tensors = inputs.finish();
    if (node) [[unlikely]]
      node->set_next();
    const size_t all =
        count + (keywords != nullptr ? static_cast<size_t>(PyTuple_GET_SIZE(keywords)) : 0);
    const uint64_t donated = inputs.temporaries(self, args, all, caller);
    const OpDef& used = d.other == nullptr || takes(op, tensors) ? op : *d.other;
    if (used.attrs.size() == 0 && donated == 0 && d.output <= 0 && may_be_put_off(tensors) &&
        is_next_operand(self, args, caller)) {
      if (auto pending = DeferredElementwise::make(used, tensors)) return wrap(std::move(pending));
    }
    Tensors outputs = run(used, tensors, attrs.finish(), donated);
    if (d.output >= 0) return wrap(std::move(outputs[static_cast<size_t>(d.output)]));
    if (op.outputs.size() == 1 && !op.traits.has(Trait::kManyOutputs))
      return wrap(std::move(outputs[0]));
    return several(d, outputs);
  });
}

// (name, target, default…): the parameter that an argument of the Python function sets. The target
// of one that the op does not know begins with '!'.
Parameter parse_parameter(const OpDef& op, PyObject* spec) {
  PyObject *name, *fallback = nullptr;
  const char* target;
  if (PyArg_ParseTuple(spec, "Us|O", &name, &target, &fallback) == 0) throw PythonError();
  Parameter parameter{Parameter::kIgnored, 0, Py_NewRef(name), Py_XNewRef(fallback)};
  PyUnicode_InternInPlace(&parameter.name);
  parameter.is_rare = target[0] == '!';
  const std::string_view wanted = target + (parameter.is_rare ? 1 : 0);
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i].name != wanted) continue;
    parameter.kind = Parameter::kInput;
    parameter.index = i;
    return parameter;
  }
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    if (op.attrs[i].name != wanted) continue;
    parameter.kind = Parameter::kAttr;
    parameter.index = i;
    return parameter;
  }
  if (!wanted.empty())
    raise(PyExc_ValueError, "%s has no input or attribute '%s'", op.name.value.data(), target);
  return parameter;
}

// Precomputes what every call needs.
void settle(Description& d) {
  const OpDef& op = *d.op;
  d.inputs.assign(op.inputs.size(), d.parameters.size());
  for (const AttrDef& attr : op.attrs) d.defaults.push_back(attr.fallback);
  for (size_t k = 0; k < d.parameters.size(); ++k) {
    Parameter& parameter = d.parameters[k];
    if (parameter.kind == Parameter::kInput) d.inputs[parameter.index] = k;
    if (parameter.kind == Parameter::kIgnored &&
        PyUnicode_CompareWithASCIIString(parameter.name, "name") == 0)
      d.name = k;
    if (parameter.kind != Parameter::kAttr || parameter.fallback == nullptr) continue;
    const AttrKind kind = op.attrs[parameter.index].kind;
    if (kind == AttrKind::kString || kind == AttrKind::kInts) continue;
    CallAttrs one(op, d.defaults);
    one.set(parameter.index, parameter.fallback);
    d.defaults[parameter.index] = one.value(parameter.index);
    parameter.is_settled = true;
  }
  for (size_t i = 0; i < d.inputs.size(); ++i) {
    if (d.inputs[i] == d.parameters.size())
      raise(PyExc_ValueError, "%s: no parameter for the input '%s'", op.name.value.data(),
            op.inputs[i].name.data());
  }
}

void release(Description* d) {
  if (d == nullptr) return;
  for (const Parameter& parameter : d->parameters) {
    Py_DECREF(parameter.name);
    Py_XDECREF(parameter.fallback);
  }
  Py_XDECREF(d->result);
  Py_XDECREF(d->public_name);
  Py_XDECREF(d->otherwise);
  delete d;
}

// OpFunction(op, parameters, output=-1, is_lax=False, other=None, name=op, otherwise=None)
PyObject* construct(PyTypeObject* type, PyObject* args, PyObject*) {
  const char* name;
  PyObject* specs;
  const char* other_name = nullptr;
  PyObject *public_name = nullptr, *otherwise = nullptr;
  int output = -1, is_lax = 0;
  if (PyArg_ParseTuple(args, "sO!|ipzUO", &name, &PyList_Type, &specs, &output, &is_lax,
                       &other_name, &public_name, &otherwise) == 0)
    return nullptr;
  return guarded([&] {
    const OpDef* op = find_op(name);
    if (op == nullptr) raise(PyExc_LookupError, "there is no op %s", name);
    const OpDef* other = other_name != nullptr ? find_op(other_name) : nullptr;
    if (other_name != nullptr && other == nullptr)
      raise(PyExc_LookupError, "there is no op %s", other_name);
    if (PyList_GET_SIZE(specs) > kMaxParameters) raise(PyExc_ValueError, "too many parameters");
    const Ref self(checked(type->tp_alloc(type, 0)));
    auto* function = reinterpret_cast<OpFunction*>(self.get());
    function->vectorcall = call;
    function->description = new Description{op->name.value.data(), op, other, output, is_lax != 0};
    if (public_name != nullptr) {
      function->description->function = PyUnicode_AsUTF8(public_name);
      function->description->public_name = Py_NewRef(public_name);
    }
    if (otherwise != Py_None) function->description->otherwise = Py_XNewRef(otherwise);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(specs); ++i)
      function->description->parameters.push_back(parse_parameter(*op, PyList_GET_ITEM(specs, i)));
    settle(*function->description);
    return Py_NewRef(self.get());
  });
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<OpFunction*>(self)->attributes);
  Py_VISIT(Py_TYPE(self));
  return 0;
}
int clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<OpFunction*>(self)->attributes);
  return 0;
}
void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  release(reinterpret_cast<OpFunction*>(self)->description);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef g_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(OpFunction, attributes), READONLY, nullptr},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpFunction, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyGetSetDef g_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

template <typename F>
void* slot(F* function) {
  return reinterpret_cast<void*>(function);
}

PyObject* text_list(const auto& items) {
  Ref list(checked(PyList_New(0)));
  for (const auto& item : items) {
    std::string_view name;
    if constexpr (requires { item.name; }) {
      name = item.name;
    } else {
      name = item;
    }
    const Ref text(
        checked(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()))));
    if (PyList_Append(list.get(), text.get()) < 0) throw PythonError();
  }
  return list.release();
}

// (name, kind, whether there is a default, the default)
PyObject* attr_tuple(const AttrDef& attr) {
  Ref fallback(default_object(attr));
  if (!fallback && PyErr_Occurred() != nullptr) throw PythonError();
  const bool has_default = static_cast<bool>(fallback);
  const std::string name(attr.name), kind(to_string(attr.kind));
  return checked(Py_BuildValue("(ssON)", name.c_str(), kind.c_str(),
                               has_default ? Py_True : Py_False,
                               has_default ? fallback.release() : Py_NewRef(Py_None)));
}

}  // namespace

bool add_op_function_type(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_new, slot(construct)},   {Py_tp_call, slot(PyVectorcall_Call)},
      {Py_tp_dealloc, slot(dealloc)}, {Py_tp_traverse, slot(traverse)},
      {Py_tp_clear, slot(clear)},     {Py_tp_members, g_members},
      {Py_tp_getset, g_getset},       {0, nullptr},
  };
  PyType_Spec spec = {"penstock._core.OpFunction", sizeof(OpFunction), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};
  PyObject* type = PyType_FromSpec(&spec);
  return type != nullptr && PyModule_AddType(module, reinterpret_cast<PyTypeObject*>(type)) == 0;
}

PyObject* describe_op(PyObject*, PyObject* name) {
  return guarded([&]() -> PyObject* {
    const char* text = PyUnicode_AsUTF8(name);
    if (text == nullptr) throw PythonError();
    const OpDef* op = find_op(text);
    if (op == nullptr) return Py_NewRef(Py_None);
    const Ref attrs(checked(PyList_New(0)));
    for (const AttrDef& attr : op->attrs) {
      const Ref item(attr_tuple(attr));
      if (PyList_Append(attrs.get(), item.get()) < 0) throw PythonError();
    }
    const std::string doc(op->doc.value);
    const Ref inputs(text_list(op->inputs)), outputs(text_list(op->outputs));
    return checked(Py_BuildValue("(sOOO)", doc.c_str(), inputs.get(), attrs.get(), outputs.get()));
  });
}

PyObject* op_details(PyObject*, PyObject* name) {
  return guarded([&] {
    const char* text = PyUnicode_AsUTF8(name);
    if (text == nullptr) throw PythonError();
    const OpDef* op = find_op(text);
    if (op == nullptr) raise(PyExc_LookupError, "there is no op %s", text);
    const Ref inputs(checked(PyList_New(0)));
    for (const InputDef& input : op->inputs) {
      std::vector<std::string_view> dtypes;
      for (int i = 1; i < kNumDTypes; ++i) {
        const auto dtype = static_cast<DType>(i);
        if (input.dtypes.has(dtype)) dtypes.push_back(dtype_name(dtype));
      }
      const std::string input_name(input.name);
      const Ref item(checked(Py_BuildValue("(sNO)", input_name.c_str(), text_list(dtypes),
                                           input.many ? Py_True : Py_False)));
      if (PyList_Append(inputs.get(), item.get()) < 0) throw PythonError();
    }
    return Py_BuildValue("(OOOO)", inputs.get(),
                         op->traits.has(Trait::kElementwise) ? Py_True : Py_False,
                         op->traits.has(Trait::kManyOutputs) ? Py_True : Py_False,
                         op->is_differentiable() ? Py_True : Py_False);
  });
}

PyObject* op_names(PyObject*, PyObject*) {
  return guarded([&] {
    std::vector<std::string_view> names;
    for (const OpDef* op : all_ops()) names.push_back(op->name);
    return text_list(names);
  });
}

}  // namespace penstock::python
