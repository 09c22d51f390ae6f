#include "call_signature.h"

#include <cstring>

#include "array.h"
#include "tensor_object.h"
#include "variable_object.h"

namespace penstock::python {
namespace {

bool is_literal(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  return object == Py_None || type == &PyBool_Type || type == &PyLong_Type ||
         type == &PyFloat_Type || type == &PyUnicode_Type || type == &PyBytes_Type;
}

// Of the same type and value; a float with the sign of its zero.
bool same_literal(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyFloat_CheckExact(a)) {
    const double x = PyFloat_AS_DOUBLE(a), y = PyFloat_AS_DOUBLE(b);
    return std::memcmp(&x, &y, sizeof x) == 0;
  }
  return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

bool same_names(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); ++i) {
    if (PyUnicode_Compare(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i)) != 0) return false;
  }
  return true;
}

bool is_numpy(PyObject* object) { return is_array(object) || is_numpy_scalar(object); }

bool match(const Argument& wanted, PyObject* value, bool is_item, CallTensors& tensors);

bool match_items(const Argument& wanted, PyObject* value, CallTensors& tensors) {
  // Converting an array may run other code: hold the container, and ask for its size each time.
  const Ref kept(Py_NewRef(value));
  const auto count = static_cast<Py_ssize_t>(wanted.items.size());
  const auto size = [&] {
    return wanted.kind == Argument::kList    ? PyList_GET_SIZE(value)
           : wanted.kind == Argument::kTuple ? PyTuple_GET_SIZE(value)
                                             : PyDict_GET_SIZE(value);
  };
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (size() != count) return false;
    PyObject* item = wanted.kind == Argument::kList ? PyList_GET_ITEM(value, i)
                     : wanted.kind == Argument::kTuple
                         ? PyTuple_GET_ITEM(value, i)
                         : PyDict_GetItemWithError(value, PyTuple_GET_ITEM(wanted.object.get(), i));
    if (item == nullptr) return false;
    const Ref held(Py_NewRef(item));
    if (!match(wanted.items[static_cast<size_t>(i)], item, true, tensors)) return false;
  }
  return size() == count;
}

bool match(const Argument& wanted, PyObject* value, bool is_item, CallTensors& tensors) {
  switch (wanted.kind) {
    case Argument::kTensor: {
      const bool is_eager = Py_TYPE(value) == eager_type;
      if (!is_eager && !is_numpy(value)) return false;
      const Tensor& tensor = is_eager ? tensor_of(value) : tensors.converted(value);
      if (tensor.dtype() != wanted.dtype || tensor.shape() != wanted.shape) return false;
      if (is_item && is_eager) {
        tensors.add_copy(tensor);
      } else {
        tensors.add(tensor);
      }
      return true;
    }
    case Argument::kVariable:
      tensors.skip();
      return is_variable(value) && variable_of(value).id() == wanted.variable;
    case Argument::kLiteral:
      tensors.skip();
      return same_literal(wanted.object.get(), value);
    case Argument::kObject:
      tensors.skip();
      return PyWeakref_GET_OBJECT(wanted.object.get()) == value;
    case Argument::kList:
      return PyList_CheckExact(value) && match_items(wanted, value, tensors);
    case Argument::kTuple:
      return PyTuple_CheckExact(value) && match_items(wanted, value, tensors);
    case Argument::kDict:
      return PyDict_CheckExact(value) && match_items(wanted, value, tensors);
  }
  return false;
}

const Argument* find_tensor(const Argument& argument, size_t& leaf) {
  if (argument.kind >= Argument::kList) {
    for (const Argument& item : argument.items) {
      if (const Argument* found = find_tensor(item, leaf)) return found;
      if (leaf == SIZE_MAX) return nullptr;
    }
    return nullptr;
  }
  if (leaf-- > 0) return nullptr;
  return argument.kind == Argument::kTensor ? &argument : nullptr;  // leaf is SIZE_MAX now
}

}  // namespace

void CallTensors::add_copy(const Tensor& tensor) {
  made_.emplace_front(nullptr, tensor);
  add(made_.front().second);
}

const Tensor& CallTensors::converted(PyObject* array) {
  for (const auto& [object, tensor] : made_) {
    if (object == array) return tensor;
  }
  made_.emplace_front(array, copy_array(array, DType::kInvalid));
  return made_.front().second;
}

bool CallSignature::describe(PyObject* const* args, size_t num_positional, PyObject* keywords) {
  num_positional_ = num_positional;
  if (keywords != nullptr) keywords_ = Ref(Py_NewRef(keywords));
  const size_t count =
      num_positional + (keywords ? static_cast<size_t>(PyTuple_GET_SIZE(keywords)) : 0);
  for (size_t i = 0; i < count; ++i) {
    Argument argument;
    if (!describe(args[i], argument)) return false;
    arguments_.push_back(std::move(argument));
  }
  return num_leaves_ <= CallTensors::kMaxLeaves;
}

bool CallSignature::describe(PyObject* value, Argument& argument) {
  if (PyList_CheckExact(value) || PyTuple_CheckExact(value) || PyDict_CheckExact(value))
    return describe_items(value, argument);
  ++num_leaves_;
  if (Py_TYPE(value) == eager_type || is_numpy(value)) {
    const Tensor tensor =
        Py_TYPE(value) == eager_type ? tensor_of(value) : copy_array(value, DType::kInvalid);
    argument.dtype = tensor.dtype();
    argument.shape = tensor.shape();
    return true;
  }
  if (is_variable(value)) {
    argument.kind = Argument::kVariable;
    argument.variable = variable_of(value).id();
    return true;
  }
  if (is_literal(value)) {
    argument.kind = Argument::kLiteral;
    argument.object = Ref(Py_NewRef(value));
    return true;
  }
  // Other containers are compared by their contents.
  if (PyMapping_Check(value) != 0) return false;
  argument.kind = Argument::kObject;
  argument.object = Ref(PyWeakref_NewRef(value, nullptr));
  if (!argument.object) PyErr_Clear();
  return static_cast<bool>(argument.object);
}

bool CallSignature::describe_items(PyObject* value, Argument& argument) {
  Ref items;
  if (PyDict_CheckExact(value)) {
    argument.kind = Argument::kDict;
    const Ref keys(checked(PyDict_Keys(value)));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(keys.get()); ++i) {
      if (!PyUnicode_CheckExact(PyList_GET_ITEM(keys.get(), i))) return false;
    }
    if (PyList_Sort(keys.get()) < 0) throw PythonError();
    argument.object = Ref(checked(PyList_AsTuple(keys.get())));
    items = Ref(checked(PyTuple_New(PyTuple_GET_SIZE(argument.object.get()))));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
      PyObject* item = PyDict_GetItemWithError(value, PyTuple_GET_ITEM(argument.object.get(), i));
      if (item == nullptr) return false;
      PyTuple_SET_ITEM(items.get(), i, Py_NewRef(item));
    }
  } else {
    argument.kind = PyList_CheckExact(value) ? Argument::kList : Argument::kTuple;
    items = Ref(checked(PySequence_Tuple(value)));
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    Argument item;
    if (!describe(PyTuple_GET_ITEM(items.get(), i), item)) return false;
    argument.items.push_back(std::move(item));
  }
  return true;
}

bool CallSignature::matches(PyObject* const* args, size_t num_positional, PyObject* keywords,
                            CallTensors& tensors) const {
  if (num_positional != num_positional_ || !same_names(keywords_.get(), keywords)) return false;
  tensors.clear();
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (!match(arguments_[i], args[i], false, tensors)) return false;
  }
  return true;
}

const Argument* CallSignature::tensor(size_t leaf) const {
  for (const Argument& argument : arguments_) {
    if (const Argument* found = find_tensor(argument, leaf)) return found;
    if (leaf == SIZE_MAX) return nullptr;
  }
  return nullptr;
}

}  // namespace penstock::python
