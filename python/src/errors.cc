#include "errors.h"

#include <nanobind/nanobind.h>

#include <cstdarg>
#include <new>
#include <string>
#include <string_view>

#include <penstock/exec/function.h>
#include <penstock/exec/graph_builder.h>
#include <penstock/exec/trace.h>

#include "hooks.h"

namespace penstock::python {
namespace {

// "[MatMul] what is wrong" -> "what is wrong [Op:MatMul]", TensorFlow's wording.
std::string worded(std::string_view text) {
  const size_t end = text.find("] ");
  if (text.empty() || text[0] != '[' || end == std::string_view::npos) return std::string(text);
  std::string out(text.substr(end + 2));
  out.append(" [Op:").append(text.substr(1, end - 1)).append("]");
  return out;
}

void set_op_error(const Error& error) {
  PyObject* type = hooks.errors[static_cast<int>(error.code())];
  if (dynamic_cast<const MissingGradientError*>(&error) != nullptr)
    return PyErr_SetString(PyExc_LookupError, error.what());
  // Inside a graph, a type error is the program's error.
  if (makes_nodes() && dynamic_cast<const TypeError*>(&error) != nullptr)
    return PyErr_SetString(PyExc_TypeError, worded(error.what()).c_str());
  if (GraphBuilder::is_entered() && error.code() == ErrorCode::kInvalidArgument)
    type = hooks.tracing_error;
  if (type == nullptr) return PyErr_SetString(PyExc_RuntimeError, error.what());
  const std::string text = worded(error.what());
  const Ref message(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  if (!message) return;
  const Ref instance(PyObject_CallFunctionObjArgs(type, Py_None, Py_None, message.get(), nullptr));
  if (instance) PyErr_SetObject(type, instance.get());
}

}  // namespace

bool makes_nodes() { return GraphBuilder::is_entered() || Trace::is_open(); }

void set_python_error() noexcept {
  try {
    throw;
  } catch (const PythonError&) {
  } catch (nanobind::python_error& error) {  // from a callback
    error.restore();
  } catch (const OutOfScopeError& error) {
    PyErr_SetString(GraphBuilder::is_entered() ? PyExc_ValueError : PyExc_TypeError, error.what());
  } catch (const Error& error) {
    try {
      set_op_error(error);
    } catch (...) {
      PyErr_NoMemory();
    }
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

void raise(PyObject* type, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyErr_FormatV(type, format, arguments);
  va_end(arguments);
  throw PythonError();
}

}  // namespace penstock::python
