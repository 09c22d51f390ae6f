#include "traced_call.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include <penstock/exec/function.h>
#include <penstock/exec/trace.h>

#include "call_signature.h"
#include "errors.h"
#include "run.h"
#include "tensor_object.h"

namespace nb = nanobind;

namespace penstock::python {
namespace {

constexpr size_t kMaxEntries = 8;
// From this many instructions on the GIL is released, even for small tensors.
constexpr size_t kInstructionsWorthReleasing = 64;

bool g_use_entries = true;

// A signature with the function traced for it.
struct Entry {
  CallSignature signature;
  std::vector<size_t> inputs;  // of the function: numbers of leaves
  Function function;
  Ref concrete;  // the ConcreteFunction
  Ref result;    // with placeholders for its tensors; null if `concrete` packs it
  bool releases_gil = false;
};
using Entries = std::vector<std::shared_ptr<const Entry>>;  // the latest first

struct TracedCall {
  PyObject_HEAD vectorcallfunc vectorcall;
  Entries* entries;
  Py_ssize_t hits;  // calls made here since `_take_hits`
};
TracedCall* traced(PyObject* self) { return reinterpret_cast<TracedCall*>(self); }

std::shared_ptr<const Entry> find(Entries& entries, PyObject* const* args, size_t num_positional,
                                  PyObject* keywords, CallTensors& tensors) {
  for (size_t e = 0; e < entries.size(); ++e) {
    const std::shared_ptr<const Entry> entry = entries[e];
    if (!entry->signature.matches(args, num_positional, keywords, tensors)) continue;
    const auto at = std::find(entries.begin(), entries.end(), entry);
    if (at != entries.begin() && at != entries.end()) std::rotate(entries.begin(), at, at + 1);
    return entry;
  }
  return nullptr;
}

// A copy of the template with the outputs in place of its tensors.
PyObject* filled(PyObject* form, Tensors& outputs, size_t& next);

PyObject* filled_dict(PyObject* form, Tensors& outputs, size_t& next) {
  Ref copy(checked(PyDict_Copy(form)));  // which keeps the order of the keys
  const Ref keys(checked(PyDict_Keys(form)));
  if (PyList_Sort(keys.get()) < 0) throw PythonError();
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(keys.get()); ++i) {
    PyObject* key = PyList_GET_ITEM(keys.get(), i);
    const Ref item(filled(PyDict_GetItemWithError(form, key), outputs, next));
    if (PyDict_SetItem(copy.get(), key, item.get()) < 0) throw PythonError();
  }
  return copy.release();
}

PyObject* filled(PyObject* form, Tensors& outputs, size_t& next) {
  if (form != nullptr && has_tensor(form) && next < outputs.size())
    return checked(wrap(std::move(outputs[next++])));
  if (form == Py_None) return Py_NewRef(Py_None);
  if (form != nullptr && PyTuple_CheckExact(form)) {
    Ref copy(checked(PyTuple_New(PyTuple_GET_SIZE(form))));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(form); ++i)
      PyTuple_SET_ITEM(copy.get(), i, filled(PyTuple_GET_ITEM(form, i), outputs, next));
    return copy.release();
  }
  if (form != nullptr && PyList_CheckExact(form)) {
    Ref copy(checked(PyList_New(0)));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(form); ++i) {
      const Ref item(filled(PyList_GET_ITEM(form, i), outputs, next));
      if (PyList_Append(copy.get(), item.get()) < 0) throw PythonError();
    }
    return copy.release();
  }
  if (form != nullptr && PyDict_CheckExact(form)) return filled_dict(form, outputs, next);
  raise(PyExc_RuntimeError, "structured_outputs of a function were changed");
}

PyObject* result_of(const Entry& entry, Tensors& outputs) {
  size_t next = 0;
  if (entry.result) return filled(entry.result.get(), outputs, next);
  const Ref list(checked(PyList_New(0)));
  for (Tensor& output : outputs) {
    const Ref item(checked(wrap(std::move(output))));
    if (PyList_Append(list.get(), item.get()) < 0) throw PythonError();
  }
  return PyObject_CallMethod(entry.concrete.get(), "_pack", "O", list.get());
}

PyObject* run_entry(PyObject* self, const Entry& entry, const CallTensors& tensors) {
  const Tensor* inputs[CallTensors::kMaxLeaves];
  for (size_t i = 0; i < entry.inputs.size(); ++i) inputs[i] = tensors[entry.inputs[i]];
  const std::span<const Tensor* const> all(inputs, entry.inputs.size());
  Tensors outputs;
  try {
    const WithoutGil released(entry.releases_gil);
    outputs = entry.function(all);
  } catch (const ResourceExhaustedError& error) {
    // Python has the plan and explains what would fit.
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
    CallTensors tensors;
    const std::shared_ptr<const Entry> entry = find(entries, args, count, keywords, tensors);
    if (entry == nullptr) return call_slowly(self, args, flagged, keywords);
    ++traced(self)->hits;
    return run_entry(self, *entry, tensors);
  });
}

// Sets the leaves that are the function's inputs, if they match those it was traced for.
bool set_inputs(Entry& entry, PyObject* order, PyObject* tensors) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(order); ++i) {
    const size_t leaf = PyLong_AsSize_t(PyList_GET_ITEM(order, i));
    if (PyErr_Occurred() != nullptr) throw PythonError();
    const Argument* argument = entry.signature.tensor(leaf);
    PyObject* tensor = PyList_GET_ITEM(tensors, i);
    if (argument == nullptr || !has_tensor(tensor) ||
        argument->dtype != tensor_of(tensor).dtype() ||
        argument->shape != tensor_of(tensor).shape())
      return false;
    entry.inputs.push_back(leaf);
  }
  return true;
}

// _remember(args, kwargs, number of leaves, order, tensors, core function, result, concrete
// function): caches the signature, so that later calls with such arguments run directly. `order`
// has the numbers of the leaves that are the function's inputs, `tensors` their values; `result` is
// None if `concrete` packs it, else (result,). Returns False if the call cannot be cached.
PyObject* remember(PyObject* self, PyObject* arguments) {
  PyObject *args, *kwargs, *order, *tensors, *core, *result, *concrete;
  Py_ssize_t num_leaves;
  if (PyArg_ParseTuple(arguments, "O!O!nO!O!OOO", &PyTuple_Type, &args, &PyDict_Type, &kwargs,
                       &num_leaves, &PyList_Type, &order, &PyList_Type, &tensors, &core, &result,
                       &concrete) == 0)
    return nullptr;
  return guarded([&] {
    auto entry = std::make_shared<Entry>();
    std::vector<PyObject*> objects;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i)
      objects.push_back(PyTuple_GET_ITEM(args, i));
    Ref names;
    if (PyDict_GET_SIZE(kwargs) > 0) {
      const Ref keys(checked(PyDict_Keys(kwargs)));
      names = Ref(checked(PyList_AsTuple(keys.get())));
      PyObject *key, *value;
      for (Py_ssize_t at = 0; PyDict_Next(kwargs, &at, &key, &value) != 0;)
        objects.push_back(value);
    }
    if (!entry->signature.describe(objects.data(), static_cast<size_t>(PyTuple_GET_SIZE(args)),
                                   names.get()) ||
        entry->signature.num_leaves() != static_cast<size_t>(num_leaves) ||
        PyList_GET_SIZE(order) != PyList_GET_SIZE(tensors) || !set_inputs(*entry, order, tensors))
      return Py_NewRef(Py_False);
    entry->function = nb::cast<Function>(nb::handle(core));
    if (PyTuple_Check(result) && PyTuple_GET_SIZE(result) == 1)
      entry->result = Ref(Py_NewRef(PyTuple_GET_ITEM(result, 0)));
    int64_t bytes = entry->function.peak_bytes();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(tensors); ++i)
      bytes += tensor_of(PyList_GET_ITEM(tensors, i)).num_bytes();
    entry->releases_gil = bytes >= kBytesWorthReleasing ||
                          entry->function.num_instructions() >= kInstructionsWorthReleasing;
    entry->concrete = Ref(Py_NewRef(concrete));
    Entries& entries = *traced(self)->entries;
    entries.insert(entries.begin(), std::move(entry));
    if (entries.size() > kMaxEntries) {
      // Dropped last: freeing it may run Python code that reads the entries.
      const std::shared_ptr<const Entry> oldest = std::move(entries.back());
      entries.pop_back();
    }
    return Py_NewRef(Py_True);
  });
}

// _forget(concrete function): removes the cached signatures that use it.
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

// _recent(): the cached ConcreteFunctions, latest first.
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
    for (const auto& entry : *traced(self)->entries) {
      Py_VISIT(entry->concrete.get());
      Py_VISIT(entry->result.get());
    }
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
