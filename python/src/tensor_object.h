// EagerTensor and SymbolicTensor: the Python objects around a Tensor. They accept any attribute and
// weak references. The garbage collector tracks them only once they have attributes: before, they
// cannot be in a cycle.
//
// A tensor may be pending: the call that computes it was deferred (see temporaries.h), and runs as
// soon as anyone uses the tensor.
//
// `Tensor` is their (abstract) base.
#pragma once

#include <Python.h>

#include <memory>

#include <penstock/exec/deferred_elementwise.h>
#include <penstock/tensor/tensor.h>

namespace penstock::python {

struct TensorObject {
  PyObject_HEAD PyObject* attributes;
  PyObject* weak_references;
  Tensor tensor;                 // without data while pending
  DeferredElementwise* pending;  // or null
};

inline PyTypeObject* tensor_base_type = nullptr;
inline PyTypeObject* eager_type = nullptr;
inline PyTypeObject* symbolic_type = nullptr;

// True for an object of either class.
inline bool has_tensor(PyObject* object) {
  return Py_TYPE(object) == eager_type || Py_TYPE(object) == symbolic_type;
}

// Runs the pending call. If it throws, the tensor stays pending.
void settle(TensorObject* object);
// The tensor. Throws if it was pending and its call fails.
inline Tensor& tensor_of(PyObject* object) {
  auto* self = reinterpret_cast<TensorObject*>(object);
  if (self->pending != nullptr) [[unlikely]]
    settle(self);
  return self->tensor;
}
// Its dtype and shape; the data may be pending.
inline const Tensor& description_of(PyObject* object) {
  return reinterpret_cast<TensorObject*>(object)->tensor;
}
inline const DeferredElementwise* pending_of(PyObject* object) {
  return reinterpret_cast<TensorObject*>(object)->pending;
}
// Whether there is a single reference to the object, and nobody can look it up there.
inline bool is_seen_once(PyObject* object) {
  return Py_REFCNT(object) == 1 &&
         reinterpret_cast<TensorObject*>(object)->weak_references == nullptr;
}
// Whether it is pending and only our caller can reach it: it stays so while the GIL is released.
inline bool is_hidden_pending(PyObject* object) {
  return pending_of(object) != nullptr && is_seen_once(object);
}

// A new object; null with an error set if there is no memory.
PyObject* wrap(Tensor&& tensor) noexcept;
PyObject* wrap(std::unique_ptr<DeferredElementwise> pending) noexcept;
// The DType object of a code, as a new reference.
PyObject* dtype_object(DType dtype);
// A tuple of a shape's dimensions; an unknown one is None.
PyObject* shape_tuple(const Shape& shape);
// TensorShape(shape).
PyObject* shape_object(const Shape& shape);

bool add_tensor_types(PyObject* module);

}  // namespace penstock::python
