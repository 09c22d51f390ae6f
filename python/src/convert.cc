#include "convert.h"

#include <cstring>

#include <penstock/memory/strings.h>

#include "array.h"
#include "errors.h"
#include "hooks.h"
#include "integer.h"
#include "sequence.h"
#include "tensor_object.h"
#include "variable_object.h"

namespace penstock::python {
namespace {

Tensor checked_dtype(Tensor tensor, PyObject* value, DType dtype, Wanted wanted) {
  if (dtype == DType::kInvalid || wanted == Wanted::kAsHint || tensor.dtype() == dtype)
    return tensor;
  raise(PyExc_ValueError, "Tensor conversion requested dtype %s for Tensor with dtype %s: %R",
        dtype_name(dtype).data(), dtype_name(tensor.dtype()).data(), value);
}

Tensor scalar(PyObject* value, const Leaf& leaf, DType dtype, Wanted wanted) {
  const DType chosen = choose_dtype(value, leaf.kind, leaf.natural, dtype, wanted);
  Tensor tensor = Tensor::empty(chosen, Shape{}, Tag::kConstant);
  if (put_element(chosen, tensor.raw(), value, dtype != DType::kInvalid)) return tensor;
  if (wanted == Wanted::kAsHint) return scalar(value, leaf, DType::kInvalid, Wanted::kStrictly);
  fail_range(value, dtype_name(chosen).data());
}

// Arrays are cast to any wanted dtype, except numbers to strings.
Tensor from_array(PyObject* value, DType dtype, Wanted wanted) {
  if (wanted == Wanted::kAsHint && !holds(dtype, value)) return copy_array(value, DType::kInvalid);
  if (dtype != DType::kString || has_strings(value)) return copy_array(value, dtype);
  raise(PyExc_ValueError, "Cannot convert %R to a Tensor of dtype string", value);
}

// Objects that can convert themselves to a tensor or an array.
Tensor from_protocol(PyObject* value, DType dtype, Wanted wanted) {
  static PyObject* const to_tensor_name = PyUnicode_InternFromString("__tf_tensor__");
  static PyObject* const array_name = PyUnicode_InternFromString("__array__");
  if (PyType_Check(value) == 0 && PyObject_HasAttr(value, to_tensor_name) != 0) {
    const bool is_open = dtype == DType::kInvalid || wanted == Wanted::kAsHint;
    const Ref type(is_open ? Py_NewRef(Py_None) : dtype_object(dtype));
    const Ref converted(
        checked(PyObject_CallMethodObjArgs(value, to_tensor_name, type.get(), Py_None, nullptr)));
    if (Tensor own = value_of(converted.get()); own.defined())
      return checked_dtype(std::move(own), value, dtype, wanted);
  } else if (PyType_Check(value) == 0 && PyObject_HasAttr(value, array_name) != 0) {
    return from_array(value, dtype, wanted);
  } else if (is_sequence(value)) {
    return from_any_sequence(value, dtype, wanted);
  }
  fail_unsupported(value, value);
}

}  // namespace

Tensor value_of(PyObject* object) {
  if (has_tensor(object)) return tensor_of(object);
  if (is_variable(object)) return variable_of(object).value();
  return {};
}

Tensor to_tensor(PyObject* value, DType dtype, Wanted wanted) {
  if (Tensor own = value_of(value); own.defined())
    return checked_dtype(std::move(own), value, dtype, wanted);
  if (is_array(value) || is_numpy_scalar(value)) return from_array(value, dtype, wanted);
  if (const Leaf leaf = leaf_of(value); leaf.kind != Kind::kNone)
    return scalar(value, leaf, dtype, wanted);
  if (PyList_Check(value) || PyTuple_Check(value)) return from_sequence(value, dtype, wanted);
  return from_protocol(value, dtype, wanted);
}

DType to_dtype(PyObject* object) {
  if (object == Py_None) return DType::kInvalid;
  for (int i = 1; i < kNumDTypes; ++i) {
    if (hooks.dtypes[i] == object) return static_cast<DType>(i);
  }
  const Ref found(checked(PyObject_CallOneArg(hooks.as_dtype, object)));
  for (int i = 1; i < kNumDTypes; ++i) {
    if (hooks.dtypes[i] == found.get()) return static_cast<DType>(i);
  }
  raise(PyExc_TypeError, "%R is no dtype that tensors can have", object);
}

}  // namespace penstock::python
