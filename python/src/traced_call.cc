#include "traced_call.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include <penstock/exec/function.h>

#include "array.h"
#include "errors.h"
#include "run.h"
#include "tensor_object.h"
#include "variable_object.h"

namespace nb = nanobind;

namespace penstock::python {
namespace {

constexpr size_t kMaxEntries = 8;
constexpr size_t kMaxInputs = 64;
// From this many instructions on, other threads may run meanwhile, however small the tensors.
constexpr size_t kInstructionsWorthReleasing = 64;

bool g_use_entries = true;

// What an argument must be for a remembered call to be the same one.
struct Argument {
  enum Kind { kTensor, kVariable, kLiteral } kind = kTensor;
  DType dtype = DType::kInvalid;
  Shape shape;
  uint64_t variable = 0;
  Ref literal;  // of an exact type that compares without running Python code
};

// One signature, with the function that was traced for it.
struct Entry {
  std::vector<Argument> arguments;  // positional ones, then those by keyword
  size_t num_positional = 0;
  Ref keywords;                // their names: a tuple, or nothing
  std::vector<size_t> inputs;  // of the function: numbers of arguments
  Function function;
  enum Form { kNone, kTensor, kTuple, kList, kPacked } form = kNone;
  bool releases_gil = false;
  Ref concrete;  // the ConcreteFunction
};
using Entries = std::vector<std::shared_ptr<const Entry>>;  // the latest first

struct TracedCall {
  PyObject_HEAD vectorcallfunc vectorcall;
  Entries* entries;
  Py_ssize_t hits;  // calls made here since `_take_hits`
};
TracedCall* traced(PyObject* self) { return reinterpret_cast<TracedCall*>(self); }

bool is_literal(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return object == Py_None || type == &PyBool_Type || type == &PyLong_Type ||
         type == &PyFloat_Type || type == &PyUnicode_Type || type == &PyBytes_Type;
}

// Of the same type and value; a float with the sign of its zero.
bool same_literal(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b) || !is_literal(b)) return false;
  if (PyFloat_CheckExact(a)) {
    const double x = PyFloat_AS_DOUBLE(a), y = PyFloat_AS_DOUBLE(b);
    return std::memcmp(&x, &y, sizeof x) == 0;
  }
  return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

bool matches(const Argument& wanted, PyObject* given) {
  switch (wanted.kind) {
    case Argument::kTensor: {
      if (Py_TYPE(given) != eager_type) return false;
      const Tensor& tensor = tensor_of(given);
      return tensor.dtype() == wanted.dtype && tensor.shape() == wanted.shape;
    }
    case Argument::kVariable:
      return is_variable(given) && variable_of(given).id() == wanted.variable;
    case Argument::kLiteral:
      return same_literal(wanted.literal.get(), given);
  }
  return false;
}

bool same_names(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); ++i) {
    if (PyUnicode_Compare(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i)) != 0) return false;
  }
  return true;
}

std::shared_ptr<const Entry> find(Entries& entries, PyObject* const* args, size_t num_positional,
                                  PyObject* keywords) {
  for (size_t e = 0; e < entries.size(); ++e) {
    const Entry& entry = *entries[e];
    if (entry.num_positional != num_positional || !same_names(entry.keywords.get(), keywords))
      continue;
    size_t i = 0;
    while (i < entry.arguments.size() && matches(entry.arguments[i], args[i])) ++i;
    if (i < entry.arguments.size()) continue;
    if (e > 0) std::rotate(entries.begin(), entries.begin() + e, entries.begin() + e + 1);
    return entries.front();
  }
  return nullptr;
}

PyObject* sequence_of(Tensors& outputs, bool is_list) {
  const auto count = static_cast<Py_ssize_t>(outputs.size());
  Ref items(checked(is_list ? PyList_New(count) : PyTuple_New(count)));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = checked(wrap(std::move(outputs[static_cast<size_t>(i)])));
    if (is_list) {
      PyList_SET_ITEM(items.get(), i, item);
    } else {
      PyTuple_SET_ITEM(items.get(), i, item);
    }
  }
  return items.release();
}

PyObject* result_of(const Entry& entry, Tensors& outputs) {
  switch (entry.form) {
    case Entry::kNone:
      return Py_NewRef(Py_None);
    case Entry::kTensor:
      return wrap(std::move(outputs[0]));
    case Entry::kTuple:
    case Entry::kList:
      return sequence_of(outputs, entry.form == Entry::kList);
    case Entry::kPacked:
      break;
  }
  const Ref list(sequence_of(outputs, true));
  return PyObject_CallMethod(entry.concrete.get(), "_pack", "O", list.get());
}

PyObject* run_entry(PyObject* self, const Entry& entry, PyObject* const* args) {
  const Tensor* inputs[kMaxInputs];
  for (size_t i = 0; i < entry.inputs.size(); ++i) inputs[i] = &tensor_of(args[entry.inputs[i]]);
  const std::span<const Tensor* const> all(inputs, entry.inputs.size());
  Tensors outputs;
  try {
    const WithoutGil released(entry.releases_gil);
    outputs = entry.function(all);
  } catch (const ResourceExhaustedError& error) {
    // Python knows the plan, and says what would do.
    const std::string reason = error.what();
    const Ref explained(
        PyObject_CallMethod(self, "_refuse", "Os", entry.concrete.get(), reason.c_str()));
    if (!explained) throw PythonError();
    throw;
  }
  return result_of(entry, outputs);
}

PyObject* call_slowly(PyObject* self, PyObject* const* args, size_t flagged, PyObject* keywords) {
  static PyObject* name = PyUnicode_InternFromString("_call_slowly");
  const Ref method(PyObject_GetAttr(self, name));
  return method ? PyObject_Vectorcall(method.get(), args, flagged & ~PY_VECTORCALL_ARGUMENTS_OFFSET,
                                      keywords)
                : nullptr;
}

PyObject* call(PyObject* self, PyObject* const* args, size_t flagged, PyObject* keywords) {
  Entries& entries = *traced(self)->entries;
  if (entries.empty() || !g_use_entries || Trace::is_open())
    return call_slowly(self, args, flagged, keywords);
  return guarded([&] {
    const auto count = static_cast<size_t>(PyVectorcall_NARGS(flagged));
    const std::shared_ptr<const Entry> entry = find(entries, args, count, keywords);
    if (entry == nullptr) return call_slowly(self, args, flagged, keywords);
    ++traced(self)->hits;
    return run_entry(self, *entry, args);
  });
}

// False for a value that cannot be compared quickly and surely.
bool describe(PyObject* value, Argument& made) {
  if (Py_TYPE(value) == eager_type) {
    made.dtype = tensor_of(value).dtype();
    made.shape = tensor_of(value).shape();
    return true;
  }
  if (is_variable(value)) {
    made.kind = Argument::kVariable;
    made.variable = variable_of(value).id();
    return true;
  }
  made.kind = Argument::kLiteral;
  made.literal = Ref(Py_NewRef(value));
  return is_literal(value);
}

Entry::Form to_form(std::string_view text) {
  if (text == "none") return Entry::kNone;
  if (text == "tensor") return Entry::kTensor;
  if (text == "tuple") return Entry::kTuple;
  return text == "list" ? Entry::kList : Entry::kPacked;
}

// _remember(args, kwargs, inputs, core function, form, concrete function): later calls with such
// arguments run at once. `inputs` has the objects among the arguments that are the function's
// inputs, in order. False when there is an argument that is none to remember.
PyObject* remember(PyObject* self, PyObject* given) {
  PyObject *args, *kwargs, *inputs, *core, *concrete;
  const char* form;
  if (PyArg_ParseTuple(given, "O!O!O!OsO", &PyTuple_Type, &args, &PyDict_Type, &kwargs,
                       &PyList_Type, &inputs, &core, &form, &concrete) == 0)
    return nullptr;
  return guarded([&] {
    auto entry = std::make_shared<Entry>();
    std::vector<PyObject*> objects;
    entry->num_positional = static_cast<size_t>(PyTuple_GET_SIZE(args));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i)
      objects.push_back(PyTuple_GET_ITEM(args, i));
    if (PyDict_GET_SIZE(kwargs) > 0) {
      const Ref names(checked(PyDict_Keys(kwargs)));
      entry->keywords = Ref(checked(PyList_AsTuple(names.get())));
      PyObject *key, *value;
      for (Py_ssize_t at = 0; PyDict_Next(kwargs, &at, &key, &value) != 0;)
        objects.push_back(value);
    }
    for (PyObject* object : objects) {
      Argument argument;
      if (!describe(object, argument)) return Py_NewRef(Py_False);
      entry->arguments.push_back(std::move(argument));
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(inputs); ++i) {
      const auto at = std::find(objects.begin(), objects.end(), PyList_GET_ITEM(inputs, i));
      if (at == objects.end() || Py_TYPE(*at) != eager_type) return Py_NewRef(Py_False);
      entry->inputs.push_back(static_cast<size_t>(at - objects.begin()));
    }
    const auto tensors =
        std::count_if(entry->arguments.begin(), entry->arguments.end(),
                      [](const Argument& each) { return each.kind == Argument::kTensor; });
    if (static_cast<size_t>(tensors) != entry->inputs.size() || entry->inputs.size() > kMaxInputs)
      return Py_NewRef(Py_False);
    entry->function = nb::cast<Function>(nb::handle(core));
    entry->form = to_form(form);
    int64_t bytes = entry->function.peak_bytes();
    for (size_t i : entry->inputs) bytes += tensor_of(objects[i]).num_bytes();
    entry->releases_gil = bytes >= kBytesWorthReleasing ||
                          entry->function.num_instructions() >= kInstructionsWorthReleasing;
    entry->concrete = Ref(Py_NewRef(concrete));
    Entries& entries = *traced(self)->entries;
    entries.insert(entries.begin(), std::move(entry));
    if (entries.size() > kMaxEntries) {
      // Dropped last: freeing it may run Python code, which may look here.
      const std::shared_ptr<const Entry> oldest = std::move(entries.back());
      entries.pop_back();
    }
    return Py_NewRef(Py_True);
  });
}

// _forget(concrete function): no remembered signature uses it any more.
PyObject* forget(PyObject* self, PyObject* concrete) {
  return guarded([&] {
    Entries& entries = *traced(self)->entries;
    Entries kept, dropped;
    for (auto& entry : entries) {
      auto& to = entry->concrete.get() == concrete ? dropped : kept;
      to.push_back(std::move(entry));
    }
    entries = std::move(kept);
    return Py_NewRef(Py_None);
  });
}

// _recent(): the ConcreteFunctions that are remembered, the latest first.
PyObject* recent(PyObject* self, PyObject*) {
  const Ref list(PyList_New(0));
  if (!list) return nullptr;
  for (const auto& entry : *traced(self)->entries) {
    if (PyList_Append(list.get(), entry->concrete.get()) < 0) return nullptr;
  }
  return Py_NewRef(list.get());
}

PyObject* take_hits(PyObject* self, PyObject*) {
  return PyLong_FromSsize_t(std::exchange(traced(self)->hits, 0));
}

PyObject* construct(PyTypeObject* type, PyObject*, PyObject*) {
  return guarded([&] {
    auto entries = std::make_unique<Entries>();
    PyObject* self = checked(type->tp_alloc(type, 0));
    traced(self)->vectorcall = call;
    traced(self)->entries = entries.release();
    return self;
  });
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  if (traced(self)->entries != nullptr) {
    for (const auto& entry : *traced(self)->entries) Py_VISIT(entry->concrete.get());
  }
  Py_VISIT(Py_TYPE(self));
  return 0;
}
int clear(PyObject* self) {
  const Entries dropped = std::move(*traced(self)->entries);
  traced(self)->entries->clear();
  return 0;
}
void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  delete std::exchange(traced(self)->entries, nullptr);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef g_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(TracedCall, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyMethodDef g_methods[] = {
    {"_remember", remember, METH_VARARGS, nullptr},
    {"_forget", forget, METH_O, nullptr},
    {"_take_hits", take_hits, METH_NOARGS, nullptr},
    {"_recent", recent, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

template <typename F>
void* slot(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

PyObject* set_fast_calls(PyObject*, PyObject* wanted) {
  g_use_entries = PyObject_IsTrue(wanted) == 1;
  return Py_NewRef(Py_None);
}

bool add_traced_call_type(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_new, slot(construct)},   {Py_tp_call, slot(PyVectorcall_Call)},
      {Py_tp_dealloc, slot(dealloc)}, {Py_tp_traverse, slot(traverse)},
      {Py_tp_clear, slot(clear)},     {Py_tp_members, g_members},
      {Py_tp_methods, g_methods},     {0, nullptr},
  };
  PyType_Spec spec = {
      "penstock._core.TracedCall", sizeof(TracedCall), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
      slots};
  PyObject* type = PyType_FromSpec(&spec);
  return type != nullptr && PyModule_AddType(module, reinterpret_cast<PyTypeObject*>(type)) == 0;
}

}  // namespace penstock::python
