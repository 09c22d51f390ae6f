#include "index.h"

#include <algorithm>

#include <penstock/base/strings.h>
#include <penstock/exec/function.h>
#include <penstock/exec/trace.h>
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

const OpDef& slicing() {
  static const OpDef& op = *find_operator("getitem");
  return op;
}

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
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    raise(PyExc_ValueError, "the index %R does not fit 64 bits", object);
  }
  return value;
}

void add(Index& index, int64_t begin, int64_t end, int64_t stride) {
  index.begin.push_back(begin);
  index.end.push_back(end);
  index.strides.push_back(stride);
}

void add_slice(Index& index, PyObject* object, int64_t bit) {
  const auto* slice = reinterpret_cast<PySliceObject*>(object);
  const auto part = [&](PyObject* bound, int64_t absent, int64_t* mask) {
    if (bound != Py_None) return position_of(bound);
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
  if (PyBool_Check(object))
    throw InvalidArgumentError(cat("[", slicing().name.value, "] a bool is no index among others"));
  const int64_t position = position_of(object);
  index.shrink_axis_mask |= bit;
  // The largest number wraps around; the op reports that it is out of bounds.
  add(index, position, static_cast<int64_t>(static_cast<uint64_t>(position) + 1), 1);
}

bool is_mask(PyObject* object) {
  if (PyBool_Check(object) || is_numpy_bool(object)) return true;
  if (has_tensor(object)) return description_of(object).dtype() == DType::kBool;
  if (!is_array(object)) return false;
  const Ref dtype(checked(PyObject_GetAttrString(object, "dtype")));
  const Ref kind(checked(PyObject_GetAttrString(dtype.get(), "kind")));
  return PyUnicode_CompareWithASCIIString(kind.get(), "b") == 0;
}

// Whether a number in the index is symbolic.
bool has_unknown(PyObject* object) {
  if (object == Py_None || PyLong_CheckExact(object)) return false;
  if (PySlice_Check(object)) {
    const auto* slice = reinterpret_cast<PySliceObject*>(object);
    return has_unknown(slice->start) || has_unknown(slice->stop) || has_unknown(slice->step);
  }
  if (PyTuple_Check(object)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
      if (has_unknown(PyTuple_GET_ITEM(object, i))) return true;
    }
    return false;
  }
  if (is_variable(object)) return true;
  return has_tensor(object) && description_of(object).is_symbolic();
}

// Begin, end and strides as StridedSlice's inputs: three tensors in one buffer.
struct Bounds {
  explicit Bounds(const Index& index) {
    const auto count = static_cast<int64_t>(index.begin.size());
    const int64_t bytes = count * static_cast<int64_t>(sizeof(int64_t));
    const Tensor all = Tensor::empty(DType::kInt64, Shape{3, count}, Tag::kConstant);
    int64_t at = 0;
    const auto part = [&](const SmallVector<int64_t, 8>& values) {
      std::copy(values.begin(), values.end(), static_cast<int64_t*>(all.raw()) + at * count);
      return Tensor::over(all.buffer(), at++ * bytes, DType::kInt64, Shape{count});
    };
    begin = part(index.begin);
    end = part(index.end);
    strides = part(index.strides);
  }
  Tensor begin, end, strides;
};

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
    if (!PyLong_CheckExact(object) && !PyTuple_Check(object) && is_mask(object)) {
      return checked(PyObject_CallFunctionObjArgs(hooks.masked, self, object, nullptr));
    }
    if (Trace::is_open() && has_unknown(object))
      return checked(PyObject_CallFunctionObjArgs(hooks.unknown_index, self, object, nullptr));
    const Tensor own = value_of(self);
    const Index index = parse_index(object);
    const Bounds bounds(index);
    const Tensor* const inputs[] = {&own, &bounds.begin, &bounds.end, &bounds.strides};
    const Attr attrs[] = {index.begin_mask, index.end_mask, index.ellipsis_mask,
                          index.new_axis_mask, index.shrink_axis_mask};
    return wrap(std::move(run(slicing(), inputs, attrs)[0]));
  });
}

PyObject* index_parts(PyObject*, PyObject* object) {
  return guarded([&] {
    const Index index = parse_index(object);
    Bounds bounds(index);
    return checked(Py_BuildValue("NNNLLLLL", wrap(std::move(bounds.begin)),
                                 wrap(std::move(bounds.end)), wrap(std::move(bounds.strides)),
                                 index.begin_mask, index.end_mask, index.ellipsis_mask,
                                 index.new_axis_mask, index.shrink_axis_mask));
  });
}

}  // namespace penstock::python
