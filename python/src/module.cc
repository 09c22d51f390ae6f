// penstock._core: the C++ API for Python. The package penstock builds TensorFlow's API on it.
#include <nanobind/nanobind.h>

#include <penstock/base/error.h>
#include <penstock/base/threads.h>
#include <penstock/memory/memory.h>
#include <penstock/version.h>

#include "array.h"
#include "convert.h"
#include "dataset.h"
#include "dlpack.h"
#include "errors.h"
#include "files.h"
#include "function_object.h"
#include "graph_object.h"
#include "hooks.h"
#include "index.h"
#include "memory.h"
#include "number_slots.h"
#include "op_function.h"
#include "plan.h"
#include "process.h"
#include "recording.h"
#include "reserve.h"
#include "sequence.h"
#include "tape_object.h"
#include "temporaries.h"
#include "tensor_object.h"
#include "traced_call.h"
#include "variable_object.h"

namespace nb = nanobind;

namespace penstock::python {
namespace {

PyObject* py_set_hooks(PyObject*, PyObject* dictionary) {
  return set_hooks(dictionary) ? Py_NewRef(Py_None) : nullptr;
}

// to_tensor(value, dtype=None, is_hint=False)
PyObject* py_to_tensor(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count < 1 || count > 3)
    return PyErr_Format(PyExc_TypeError, "to_tensor takes 1 to 3 arguments");
  PyObject* const dtype = count > 1 ? args[1] : Py_None;
  const bool is_hint = count > 2 && args[2] == Py_True;
  return guarded([&] {
    if (has_tensor(args[0]) && dtype == Py_None) return Py_NewRef(args[0]);
    const Wanted wanted = is_hint ? Wanted::kAsHint : Wanted::kStrictly;
    return wrap(to_tensor(args[0], to_dtype(dtype), wanted));
  });
}

PyObject* py_from_numpy(PyObject*, PyObject* array) {
  return guarded([&] { return wrap(borrow_array(array)); });
}

// take_arrays(tensors): replaces the tensors in a list by arrays, which take over the memory of
// tensors that nobody else holds.
PyObject* take_arrays(PyObject*, PyObject* list) {
  if (!PyList_CheckExact(list)) return PyErr_Format(PyExc_TypeError, "take_arrays takes a list");
  return guarded([&] {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
      PyObject* item = PyList_GET_ITEM(list, i);
      if (!has_tensor(item)) raise(PyExc_TypeError, "take_arrays takes tensors, not %R", item);
      PyObject* array =
          is_seen_once(item) ? numpy_of_last(tensor_of(item)) : numpy_copy(tensor_of(item));
      if (PyList_SetItem(list, i, array) < 0) throw PythonError();
    }
    return Py_NewRef(list);
  });
}

PyObject* py_bytes_as_array(PyObject*, PyObject* value) {
  return guarded([&] { return PyLong_FromLongLong(bytes_as_array(value)); });
}

PyMethodDef g_functions[] = {
    {"set_hooks", py_set_hooks, METH_O, nullptr},
    {"to_tensor", as_function(py_to_tensor), METH_FASTCALL, nullptr},
    {"from_numpy", py_from_numpy, METH_O, nullptr},
    {"bytes_as_array", py_bytes_as_array, METH_O, nullptr},
    {"take_arrays", take_arrays, METH_O, nullptr},
    {"from_dlpack", import_dlpack, METH_O, nullptr},
    {"index_parts", index_parts, METH_O, nullptr},
    {"describe_op", describe_op, METH_O, nullptr},
    {"op_details", op_details, METH_O, nullptr},
    {"op_names", op_names, METH_NOARGS, nullptr},
    {"set_tensor_equality", set_tensor_equality, METH_O, nullptr},
    {"set_fast_calls", set_fast_calls, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

// For functions called through nanobind: our own errors, and those already set in Python.
void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const PythonError&) {
  } catch (const Error&) {
    set_python_error();
  }
}

}  // namespace
}  // namespace penstock::python

NB_MODULE(_core, module) {
  using namespace penstock::python;
  nb::set_leak_warnings(false);  // objects alive at exit do not concern the user
  nb::register_exception_translator(translate);
  PyObject* m = module.ptr();
  if (!import_numpy() || !add_tensor_types(m) || !add_variable_type(m) ||
      !add_op_function_type(m) || !add_traced_call_type(m) ||
      PyModule_AddFunctions(m, g_functions) < 0) {
    nb::raise_python_error();
  }
  add_function(module);
  add_dataset(module);
  add_graph(module);
  add_tape(module);
  add_memory(module);
  add_recording(module);
  add_process(module);
  add_files(module);
  add_plan(module);
  look_at_interpreter();
  set_memory_aside(module);
  // Reads the environment now, so that errors in it are reported at import.
  penstock::num_threads();
  penstock::memory::budget();
  module.attr("__version__") = PENSTOCK_VERSION;
}
