// EagerTensor and SymbolicTensor: the Python objects around a Tensor. They take any attribute and
// weak references, and are watched by the garbage collector only once they have attributes: before,
// they cannot be in a cycle.
//
// `Tensor` is their (abstract) base.
#pragma once

#include <Python.h>

#include <penstock/tensor/tensor.h>

namespace penstock::python {

struct TensorObject {
  PyObject_HEAD PyObject* attributes;
  PyObject* weak_references;
  Tensor tensor;
};

inline PyTypeObject* tensor_base_type = nullptr;
inline PyTypeObject* eager_type = nullptr;
inline PyTypeObject* symbolic_type = nullptr;

// True for an object of either class.
inline bool has_tensor(PyObject* object) {
  return Py_TYPE(object) == eager_type || Py_TYPE(object) == symbolic_type;
}
inline Tensor& tensor_of(PyObject* object) {
  return reinterpret_cast<TensorObject*>(object)->tensor;
}

// A new object; null with an error set when there is no memory.
PyObject* wrap(Tensor&& tensor) noexcept;
// The DType object of a code, as a new reference.
PyObject* dtype_object(DType dtype);
// A tuple of a shape's dimensions; an unknown one is None.
PyObject* shape_tuple(const Shape& shape);
// TensorShape(shape).
PyObject* shape_object(const Shape& shape);

bool add_tensor_types(PyObject* module);

}  // namespace penstock::python
