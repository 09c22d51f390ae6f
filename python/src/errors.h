// Errors between C++ and Python. A function called from Python runs its body in `guarded`: an
// exception of penstock becomes the class of tf.errors with the same code, and a PythonError (an
// error already set in Python) passes through.
#pragma once

#include <Python.h>

#include <exception>

#include <penstock/base/error.h>

namespace penstock::python {

// Thrown when a Python error is set, to leave C++ code.
struct PythonError : std::exception {
  const char* what() const noexcept override { return "a Python error is set"; }
};

// Sets the Python error that belongs to the exception in flight.
void set_python_error() noexcept;

template <typename Result, typename Body>
Result guarded(Result failed, Body&& body) noexcept {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return failed;
  }
}
template <typename Body>
PyObject* guarded(Body&& body) noexcept {
  return guarded<PyObject*>(nullptr, static_cast<Body&&>(body));
}

// Throws PythonError if `object` is null; else returns it.
inline PyObject* checked(PyObject* object) {
  if (object == nullptr) throw PythonError();
  return object;
}
[[noreturn]] void raise(PyObject* type, const char* format, ...);

// Whether ops currently become nodes, of a trace or of a graph being built.
bool makes_nodes();

// An owned reference to a Python object; may be null.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(Ref&& other) noexcept : object_(other.release()) {}
  Ref& operator=(Ref&& other) noexcept {
    Py_XSETREF(object_, other.release());
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }
  PyObject* release() {
    PyObject* object = object_;
    object_ = nullptr;
    return object;
  }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace penstock::python
