#include "attributes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <penstock/exec/graph_builder.h>
#include <penstock/memory/reservation.h>

#include "convert.h"
#include "errors.h"
#include "integer.h"
#include "tensor_object.h"

namespace penstock::python {
namespace {

[[noreturn]] void refuse(const OpDef& op, size_t i, PyObject* value) {
  PyErr_Clear();
  raise(PyExc_TypeError, "%s: argument '%s' must be of kind %s, but is %R", op.name.value.data(),
        op.attrs[i].name.data(), to_string(op.attrs[i].kind).data(), value);
}

// False for anything but an integer.
bool to_int(PyObject* value, int64_t* out) {
  if (PyIndex_Check(value) == 0) return false;
  const Ref index(PyNumber_Index(value));
  if (!index) return false;
  if (!to_integer(index.get(), out)) fail_range(value, "int64");
  return true;
}

// Whether it is neither a number nor a sequence, but can become a tensor.
bool becomes_tensor(PyObject* value) {
  return PyIndex_Check(value) == 0 && PySequence_Check(value) == 0 && PyFloat_Check(value) == 0 &&
         PyObject_HasAttrString(value, "__tf_tensor__") != 0;
}

// Books the memory for the numbers of a long sequence. An array or range may be long and small.
std::optional<Reservation> booked_list(const OpDef& op, PyObject* value) {
  constexpr int64_t kNumberBytes = 48;  // as an object, in a list, and in ours
  constexpr int64_t kUnbookedCount = 4096;
  const Py_ssize_t count = PyObject_Size(value);
  if (count < 0) PyErr_Clear();
  if (count <= kUnbookedCount) return std::nullopt;
  const int64_t most = std::min(int64_t{count}, int64_t{1} << 56);
  return std::optional<Reservation>(std::in_place, most * kNumberBytes, op.name.value);
}

std::string_view to_text(const OpDef& op, size_t i, PyObject* value) {
  Py_ssize_t size = 0;
  if (PyBytes_Check(value))
    return {PyBytes_AS_STRING(value), static_cast<size_t>(PyBytes_GET_SIZE(value))};
  if (!PyUnicode_Check(value)) refuse(op, i, value);
  const char* text = PyUnicode_AsUTF8AndSize(value, &size);
  if (text == nullptr) throw PythonError();
  return {text, static_cast<size_t>(size)};
}

}  // namespace

void CallAttrs::set_ints(size_t i, PyObject* value) {
  const size_t begin = ints_.size();
  int64_t number = 0;
  const bool is_list = PyList_Check(value) || PyTuple_Check(value);
  if (!is_list && to_int(value, &number)) {
    ints_.push_back(number);
  } else {
    PyErr_Clear();
    const std::optional<Reservation> booked = booked_list(op_, value);
    const Ref items(PySequence_Fast(value, ""));
    if (!items || PyUnicode_Check(value) || PyBytes_Check(value)) refuse(op_, i, value);
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(items.get()); ++k) {
      if (!to_int(PySequence_Fast_GET_ITEM(items.get(), k), &number)) refuse(op_, i, value);
      ints_.push_back(number);
    }
  }
  lists_.push_back({i, begin, ints_.size() - begin});
}

void CallAttrs::set(size_t i, PyObject* value) {
  if (value == Py_None) return;
  Ref known;  // of a tensor of TensorFlow 1's graphs
  if (has_tensor(value) && GraphBuilder::owns(description_of(value))) {
    if (auto found = GraphBuilder::value_now(description_of(value))) {
      known = Ref(checked(wrap(std::move(*found))));
      value = known.get();
    }
  }
  const AttrKind kind = op_.attrs[i].kind;
  if ((kind == AttrKind::kInt || kind == AttrKind::kInts) && becomes_tensor(value)) {
    known = Ref(checked(wrap(to_tensor(value))));
    value = known.get();
  }
  int64_t number = 0;
  switch (kind) {
    case AttrKind::kInt:
      if (!to_int(value, &number)) refuse(op_, i, value);
      attrs_[i] = Attr(number);
      return;
    case AttrKind::kFloat: {
      const double real = PyFloat_AsDouble(value);
      if (real == -1 && PyErr_Occurred() != nullptr) refuse(op_, i, value);
      attrs_[i] = Attr(real);
      return;
    }
    case AttrKind::kBool: {
      const int truth = PyObject_IsTrue(value);
      if (truth < 0) refuse(op_, i, value);
      attrs_[i] = Attr(truth == 1);
      return;
    }
    case AttrKind::kDType:
      attrs_[i] = Attr(to_dtype(value));
      return;
    case AttrKind::kString:
      attrs_[i] = Attr(to_text(op_, i, value));
      return;
    case AttrKind::kInts:
      set_ints(i, value);
      return;
    case AttrKind::kNone:
      return;
  }
}

Attrs CallAttrs::finish() {
  for (const List& list : lists_)
    attrs_[list.attr] = Attr(std::span<const int64_t>(ints_.data() + list.begin, list.count));
  for (size_t i = 0; i < attrs_.size(); ++i) {
    if (attrs_[i].kind() == AttrKind::kNone) {
      raise(PyExc_TypeError, "%s: missing argument '%s'", op_.name.value.data(),
            op_.attrs[i].name.data());
    }
  }
  return attrs_;
}

PyObject* default_object(const AttrDef& attr) {
  const Attr& value = attr.fallback;
  switch (value.kind()) {
    case AttrKind::kInt:
      return PyLong_FromLongLong(value.as_int());
    case AttrKind::kFloat:
      return PyFloat_FromDouble(value.as_float());
    case AttrKind::kBool:
      return PyBool_FromLong(value.as_bool());
    case AttrKind::kDType:
      return dtype_object(value.as_dtype());
    case AttrKind::kString:
      return PyUnicode_FromStringAndSize(value.as_string().data(),
                                         static_cast<Py_ssize_t>(value.as_string().size()));
    case AttrKind::kInts: {
      if (!is_given(value.as_ints())) return Py_NewRef(Py_None);
      Ref list(PyList_New(0));
      for (int64_t number : value.as_ints()) {
        const Ref item(PyLong_FromLongLong(number));
        if (!list || !item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
      }
      return list.release();
    }
    case AttrKind::kNone:
      break;
  }
  return nullptr;
}

}  // namespace penstock::python
