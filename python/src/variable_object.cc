#include "variable_object.h"

#include <penstock/exec/stand_in.h>
#include <penstock/ops/registry.h>

#include "array.h"
#include "convert.h"
#include "errors.h"
#include "index.h"
#include "number_slots.h"
#include "run.h"
#include "tensor_object.h"

namespace penstock::python {
namespace {

Variable*& handle(PyObject* self) { return reinterpret_cast<VariableObject*>(self)->variable; }

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete handle(self);
  type->tp_free(self);
  Py_DECREF(type);
}

// The shape from a tuple of dimensions, with None for unknown ones; None is an unknown rank.
Shape declared_shape(PyObject* dims) {
  if (dims == Py_None) return Shape::unknown_rank();
  if (!PyTuple_Check(dims)) raise(PyExc_TypeError, "a shape is a tuple or None, not %R", dims);
  Shape shape;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(dims); ++i) {
    PyObject* item = PyTuple_GET_ITEM(dims, i);
    const long long dim = item == Py_None ? kUnknownDim : PyLong_AsLongLong(item);
    if (PyErr_Occurred() != nullptr) throw PythonError();
    shape.append(dim);
  }
  return shape;
}

// _create(value, name, trainable, dims): dims only if they leave something open.
PyObject* create(PyObject* self, PyObject* args) {
  PyObject* value;
  const char* name;
  PyObject* dims = nullptr;
  int trainable;
  if (PyArg_ParseTuple(args, "Osp|O", &value, &name, &trainable, &dims) == 0) return nullptr;
  return guarded([&] {
    const Tensor initial = to_tensor(value);
    delete std::exchange(handle(self), nullptr);
    Variable::Options options{.name = name, .trainable = trainable != 0};
    if (dims != nullptr) options.shape = declared_shape(dims);
    handle(self) = new Variable(initial, options);
    return Py_NewRef(Py_None);
  });
}

// _share(other): makes this the same variable as another.
PyObject* share(PyObject* self, PyObject* other) {
  return guarded([&] {
    if (!is_variable(other)) raise(PyExc_TypeError, "%R is no variable", other);
    delete std::exchange(handle(self), new Variable(variable_of(other)));
    return Py_NewRef(Py_None);
  });
}

// _stand_for(other): a placeholder for another variable, for traces.
PyObject* stand_for(PyObject* self, PyObject* other) {
  return guarded([&] {
    if (!is_variable(other)) raise(PyExc_TypeError, "%R is no variable", other);
    delete std::exchange(handle(self), new Variable(stand_in_for(variable_of(other))));
    return Py_NewRef(Py_None);
  });
}

PyObject* value(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(variable_of(self).value()); });
}
PyObject* numpy(PyObject* self, PyObject*) {
  return guarded([&] {
    const PauseRecording pause;
    return numpy_copy(variable_of(self).value());
  });
}
// The value for views, unrecorded.
PyObject* read_only_array(PyObject* self, PyObject*) {
  return guarded([&] {
    const PauseRecording pause;
    return array_over(variable_of(self).value(), false);
  });
}

using Update = void (Variable::*)(const Operand&);
template <Update update>
PyObject* assign(PyObject* self, PyObject* object) {
  return guarded([&] {
    Variable variable = variable_of(self);
    const Tensor tensor = to_tensor(object, variable.dtype());
    {
      const WithoutGil released(tensor.has_data() && tensor.num_bytes() >= kBytesWorthReleasing);
      (variable.*update)(tensor);
    }
    return Py_NewRef(Py_None);
  });
}

using Scatter = void (Variable::*)(const Operand&, const Operand&);
template <Scatter scatter>
PyObject* scattered(PyObject* self, PyObject* args) {
  PyObject *rows, *updates;
  if (PyArg_ParseTuple(args, "OO", &rows, &updates) == 0) return nullptr;
  return guarded([&] {
    Variable variable = variable_of(self);
    (variable.*scatter)(to_tensor(rows), to_tensor(updates, variable.dtype()));
    return Py_NewRef(Py_None);
  });
}

// _update(op, inputs, attrs): sets the value to the op of the value and the other inputs,
// atomically. Attributes are integers.
PyObject* update(PyObject* self, PyObject* args) {
  const char* name;
  PyObject *inputs, *numbers;
  if (PyArg_ParseTuple(args, "sO!O!", &name, &PyTuple_Type, &inputs, &PyTuple_Type, &numbers) == 0)
    return nullptr;
  return guarded([&] {
    Variable variable = variable_of(self);
    const OpDef* op = find_op(name);
    if (op == nullptr) raise(PyExc_LookupError, "there is no op %s", name);
    SmallVector<Tensor, 4> others;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(inputs); ++i)
      others.push_back(to_tensor(PyTuple_GET_ITEM(inputs, i)));
    SmallVector<const Tensor*, 4> pointers;
    for (const Tensor& other : others) pointers.push_back(&other);
    SmallVector<Attr, 8> attrs;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(numbers); ++i) {
      const long long number = PyLong_AsLongLong(PyTuple_GET_ITEM(numbers, i));
      if (number == -1 && PyErr_Occurred() != nullptr) throw PythonError();
      attrs.push_back(Attr(int64_t{number}));
    }
    {
      const WithoutGil released;  // the whole value may have to be copied
      variable.update(*op, pointers, attrs);
    }
    return Py_NewRef(Py_None);
  });
}

PyObject* get_shape(PyObject* self, void*) {
  return guarded([&] { return shape_object(variable_of(self).shape()); });
}
PyObject* get_dtype(PyObject* self, void*) {
  return guarded([&] { return dtype_object(variable_of(self).dtype()); });
}
PyObject* get_id(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromUnsignedLongLong(variable_of(self).id()); });
}

PyGetSetDef g_getset[] = {
    {"shape", get_shape, nullptr, "The TensorShape.", nullptr},
    {"dtype", get_dtype, nullptr, "The DType.", nullptr},
    {"_id", get_id, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef g_methods[] = {
    {"_create", create, METH_VARARGS, nullptr},
    {"_share", share, METH_O, nullptr},
    {"_stand_for", stand_for, METH_O, nullptr},
    {"value", value, METH_NOARGS, "The value now, as a tensor."},
    {"numpy", numpy, METH_NOARGS, "A copy of the value as an ndarray, or a NumPy scalar."},
    {"_read_only_array", read_only_array, METH_NOARGS, nullptr},
    {"_assign", assign<&Variable::assign>, METH_O, nullptr},
    {"_assign_add", assign<&Variable::assign_add>, METH_O, nullptr},
    {"_assign_sub", assign<&Variable::assign_sub>, METH_O, nullptr},
    {"_scatter_update", scattered<&Variable::scatter_update>, METH_VARARGS, nullptr},
    {"_scatter_add", scattered<&Variable::scatter_add>, METH_VARARGS, nullptr},
    {"_scatter_sub", scattered<&Variable::scatter_sub>, METH_VARARGS, nullptr},
    {"_update", update, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

template <typename F>
void* slot(F* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

const Variable& variable_of(PyObject* object) {
  const Variable* variable = handle(object);
  if (variable == nullptr)
    throw FailedPreconditionError("the variable has no value: __init__ was not called");
  return *variable;
}

bool add_variable_type(PyObject* module) {
  PyType_Slot slots[64] = {
      {Py_tp_dealloc, slot(dealloc)},     {Py_tp_new, slot(PyType_GenericNew)},
      {Py_tp_getset, g_getset},           {Py_tp_methods, g_methods},
      {Py_mp_subscript, slot(subscript)},
  };
  int count = 5;
  count += add_number_slots(slots + count);
  slots[count] = {0, nullptr};
  PyType_Spec spec = {"penstock._core.VariableHandle", sizeof(VariableObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  variable_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return variable_type != nullptr && PyModule_AddType(module, variable_type) == 0;
}

}  // namespace penstock::python
