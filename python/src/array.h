// Conversion between NumPy arrays and tensors, sharing memory where the rules allow it.
#pragma once

#include <Python.h>

#include <penstock/tensor/tensor.h>

namespace penstock::python {

bool import_numpy();

bool is_array(PyObject* object);
bool is_numpy_scalar(PyObject* object);
bool is_numpy_integer(PyObject* object);
bool is_numpy_bool(PyObject* object);

// A copy of an ndarray or a NumPy scalar, cast to `wanted` unless that is kInvalid. Throws
// ValueError for integers out of range.
Tensor copy_array(PyObject* array, DType wanted);
// Whether the elements of an array or scalar can be cast to `dtype`: strings to strings only, and
// integers only if they are in range.
bool holds(DType dtype, PyObject* array);
// The number of elements of an ndarray, and their bytes.
int64_t array_size(PyObject* array);
int64_t array_bytes(PyObject* array);
// True for an array or scalar of strings or objects.
bool has_strings(PyObject* array);
// A tensor over the array's own memory, which it keeps alive. Throws if it would have to copy.
Tensor borrow_array(PyObject* array);

// A new ndarray over the tensor's memory; strings become an array of bytes objects. Throws.
PyObject* array_over(const Tensor& tensor, bool writable);
// The result of .numpy(): a writable copy, counted under the host tag; a NumPy scalar for a scalar.
// Throws.
PyObject* numpy_copy(const Tensor& tensor);
// The same for a tensor that its caller is about to drop: without a copy if nobody else holds its
// memory.
PyObject* numpy_of_last(const Tensor& tensor);

// The buffer protocol of EagerTensor: read-only.
int get_buffer(PyObject* self, Py_buffer* view, int flags);
void release_buffer(PyObject* self, Py_buffer* view);

// Casts a function to PyMethodDef's type, whatever its flags.
template <typename F>
PyCFunction as_function(F* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
}

}  // namespace penstock::python
