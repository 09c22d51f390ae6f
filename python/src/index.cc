#include "index.h"

#include <penstock/ops/registry.h>

#include "array.h"
#include "convert.h"
#include "errors.h"
#include "hooks.h"
#include "run.h"
#include "tensor_object.h"
#include "variable_object.h"

namespace penstock::python {
namespace {

[[noreturn]] void refuse(PyObject* object) {
  raise(PyExc_TypeError,
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
        "tf.int32/tf.int64 tensors are valid indices, got %R",
        object);
}

int64_t position_of(PyObject* object) {
  if (PyLong_CheckExact(object) == 0 && (PyFloat_Check(object) || PyIndex_Check(object) == 0))
    refuse(object);
  const Ref index(PyNumber_Index(object));
  if (!index) {
    PyErr_Clear();
    refuse(object);
  }
  const long long value = PyLong_AsLongLong(index.get());
  if (value == -1 && PyErr_Occurred() != nullptr) throw PythonError();
  return value;
}

void add(Index& index, int64_t begin, int64_t end, int64_t stride) {
  index.begin.push_back(begin);
  index.end.push_back(end);
  index.strides.push_back(stride);
}

void add_slice(Index& index, PyObject* object, int64_t bit) {
  const auto* slice = reinterpret_cast<PySliceObject*>(object);
  const auto part = [&](PyObject* given, int64_t absent, int64_t* mask) {
    if (given != Py_None) return position_of(given);
    if (mask != nullptr) *mask |= bit;
    return absent;
  };
  const int64_t begin = part(slice->start, 0, &index.begin_mask);
  const int64_t end = part(slice->stop, 0, &index.end_mask);
  add(index, begin, end, part(slice->step, 1, nullptr));
}

void add_item(Index& index, PyObject* object) {
  const int64_t bit = int64_t{1} << index.begin.size();
  if (PySlice_Check(object)) return add_slice(index, object, bit);
  if (object == Py_None) {
    index.new_axis_mask |= bit;
    return add(index, 0, 0, 1);
  }
  if (object == Py_Ellipsis) {
    index.ellipsis_mask |= bit;
    return add(index, 0, 0, 1);
  }
  const int64_t position = position_of(object);
  index.shrink_axis_mask |= bit;
  add(index, position, position + 1, 1);
}

bool is_mask(PyObject* object) {
  if (PyBool_Check(object) || is_numpy_bool(object)) return true;
  if (is_eager(object)) return tensor_of(object).dtype() == DType::kBool;
  return is_array(object) && !PyIndex_Check(object);
}

Tensor row(const SmallVector<int64_t, 8>& values) {
  return Tensor::from(std::span<const int64_t>(values.data(), values.size()),
                      Shape{static_cast<int64_t>(values.size())});
}

// An array that is no mask cannot be an index; NumPy says so by its __index__ failing.
bool is_boolean_array(PyObject* object) {
  if (!is_array(object)) return is_mask(object);
  const Ref dtype(checked(PyObject_GetAttrString(object, "dtype")));
  const Ref kind(checked(PyObject_GetAttrString(dtype.get(), "kind")));
  return PyUnicode_CompareWithASCIIString(kind.get(), "b") == 0;
}

}  // namespace

Index parse_index(PyObject* object) {
  Index index;
  if (PyTuple_Check(object) || PyList_Check(object)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      if (i >= 60) refuse(object);  // more than a mask has bits for
      add_item(index, PySequence_Fast_GET_ITEM(object, i));
    }
  } else {
    add_item(index, object);
  }
  return index;
}

PyObject* subscript(PyObject* self, PyObject* object) {
  return guarded([&] {
    static const OpDef* const op = find_op("StridedSlice");
    if (!PyLong_CheckExact(object) && !PyTuple_Check(object) && !PySlice_Check(object) &&
        is_boolean_array(object)) {
      return checked(PyObject_CallFunctionObjArgs(hooks.masked, self, object, nullptr));
    }
    const Tensor own = value_of(self);
    const Index index = parse_index(object);
    const Tensor begin = row(index.begin), end = row(index.end), strides = row(index.strides);
    const Tensor* const inputs[] = {&own, &begin, &end, &strides};
    const Attr attrs[] = {index.begin_mask, index.end_mask, index.ellipsis_mask,
                          index.new_axis_mask, index.shrink_axis_mask};
    return wrap(std::move(run(*op, inputs, attrs)[0]));
  });
}

PyObject* index_parts(PyObject*, PyObject* object) {
  return guarded([&] {
    const Index index = parse_index(object);
    return checked(Py_BuildValue("NNNLLLLL", wrap(row(index.begin)), wrap(row(index.end)),
                                 wrap(row(index.strides)), index.begin_mask, index.end_mask,
                                 index.ellipsis_mask, index.new_axis_mask, index.shrink_axis_mask));
  });
}

}  // namespace penstock::python
