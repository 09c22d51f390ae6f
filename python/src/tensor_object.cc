#include "tensor_object.h"

#include <structmember.h>

#include <cstddef>
#include <new>

#include "array.h"
#include "dlpack.h"
#include "errors.h"
#include "hooks.h"
#include "index.h"
#include "number_slots.h"
#include "temporaries.h"

namespace penstock::python {
namespace {

// Freed tensor objects, kept for reuse. Guarded by the GIL.
constexpr int kMaxSpare = 64;
TensorObject* g_spare[kMaxSpare];
int g_num_spare = 0;

void dealloc(PyObject* self) {
  auto* object = reinterpret_cast<TensorObject*>(self);
  PyObject_GC_UnTrack(self);
  Py_CLEAR(object->attributes);
  if (object->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  object->tensor.~Tensor();
  delete object->pending;
  PyTypeObject* type = Py_TYPE(self);
  if (type == eager_type && g_num_spare < kMaxSpare) {
    g_spare[g_num_spare++] = object;
    return;
  }
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<TensorObject*>(self)->attributes);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<TensorObject*>(self)->attributes);
  return 0;
}

void watch_cycles(PyObject* self) {
  if (reinterpret_cast<TensorObject*>(self)->attributes != nullptr && !PyObject_GC_IsTracked(self))
    PyObject_GC_Track(self);
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  const int failed = PyObject_GenericSetAttr(self, name, value);
  watch_cycles(self);
  return failed;
}

PyObject* get_dict(PyObject* self, void*) {
  PyObject* dict = PyObject_GenericGetDict(self, nullptr);
  watch_cycles(self);
  return dict;
}

PyObject* get_shape(PyObject* self, void*) { return shape_object(description_of(self).shape()); }
PyObject* get_dtype(PyObject* self, void*) { return dtype_object(description_of(self).dtype()); }
PyObject* get_ndim(PyObject* self, void*) {
  const Shape& shape = description_of(self).shape();
  return shape.has_rank() ? PyLong_FromLong(shape.rank()) : Py_NewRef(Py_None);
}
PyObject* get_id(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromUnsignedLongLong(tensor_of(self).id()); });
}
PyObject* get_graph_number(PyObject* self, void*) {
  return PyLong_FromUnsignedLong(description_of(self).graph());
}
PyObject* get_value(PyObject* self, void*) {
  return PyLong_FromLong(static_cast<long>(description_of(self).value()));
}
PyObject* get_device(PyObject* self, void*) {
  return PyUnicode_FromFormat("/job:localhost/replica:0/task:0/device:CPU:%d",
                              description_of(self).device().index);
}

Py_ssize_t length(PyObject* self) {
  const Tensor& tensor = description_of(self);
  if (tensor.rank() > 0) return static_cast<Py_ssize_t>(tensor.dim(0));
  PyErr_SetString(PyExc_TypeError, "Scalar tensor has no `len()`");
  return -1;
}

// In f(x).numpy() the tensor dies with the call, so the array takes over its memory.
PyObject* numpy(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  static PyObject* const method = PyDict_GetItemString(eager_type->tp_dict, "numpy");
  const void* caller = __builtin_return_address(0);
  if (count != 0) {
    PyErr_Format(PyExc_TypeError, "EagerTensor.numpy() takes no arguments (%zd given)", count);
    return nullptr;
  }
  return guarded([&] {
    const bool is_last = is_temporary_receiver(self, method, args, caller);
    return is_last ? numpy_of_last(tensor_of(self)) : numpy_copy(tensor_of(self));
  });
}
PyObject* read_only_array(PyObject* self, PyObject*) {
  return guarded([&] { return array_over(tensor_of(self), false); });
}

PyGetSetDef g_getset[] = {
    {"shape", get_shape, nullptr, "The TensorShape.", nullptr},
    {"dtype", get_dtype, nullptr, "The DType.", nullptr},
    {"ndim", get_ndim, nullptr, "The number of dimensions.", nullptr},
    {"device", get_device, nullptr, "Where the data are.", nullptr},
    {"_id", get_id, nullptr, nullptr, nullptr},
    {"_graph_number", get_graph_number, nullptr, nullptr, nullptr},
    {"_value", get_value, nullptr, nullptr, nullptr},
    {"__dict__", get_dict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef g_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(TensorObject, attributes), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TensorObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyMethodDef g_methods[] = {
    {"numpy", as_function(numpy), METH_FASTCALL,
     "The values as an ndarray of their own, or a NumPy scalar."},
    {"_read_only_array", read_only_array, METH_NOARGS, nullptr},
    {"__dlpack__", as_function(export_dlpack), METH_VARARGS | METH_KEYWORDS, nullptr},
    {"__dlpack_device__", dlpack_device, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

template <typename F>
constexpr void* slot(F* function) {
  return reinterpret_cast<void*>(function);
}

PyMethodDef g_symbolic_methods[] = {{nullptr, nullptr, 0, nullptr}};

// Adds the slots that both classes have; `slots` has room for more.
int add_tensor_slots(PyType_Slot* slots) {
  const PyType_Slot all[] = {
      {Py_tp_dealloc, slot(dealloc)},     {Py_tp_traverse, slot(traverse)},
      {Py_tp_clear, slot(clear)},         {Py_tp_setattro, slot(set_attribute)},
      {Py_tp_getset, g_getset},           {Py_tp_members, g_members},
      {Py_mp_subscript, slot(subscript)},
  };
  int count = 0;
  for (const PyType_Slot& each : all) slots[count++] = each;
  return count + add_number_slots(slots + count);
}

PyTypeObject* make_type(const char* name, PyObject* base, PyType_Slot* slots) {
  PyType_Spec spec = {name, sizeof(TensorObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  const Ref bases(PyTuple_Pack(1, base));
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&spec, bases.get()));
}

PyTypeObject* make_eager_type(PyObject* base) {
  PyType_Slot slots[64] = {
      {Py_tp_methods, g_methods},
      {Py_mp_length, slot(length)},
      {Py_sq_length, slot(length)},
      {Py_bf_getbuffer, slot(get_buffer)},
      {Py_bf_releasebuffer, slot(release_buffer)},
  };
  slots[5 + add_tensor_slots(slots + 5)] = {0, nullptr};
  return make_type("penstock.EagerTensor", base, slots);
}

PyTypeObject* make_symbolic_type(PyObject* base) {
  PyType_Slot slots[64] = {{Py_tp_methods, g_symbolic_methods}};
  slots[1 + add_tensor_slots(slots + 1)] = {0, nullptr};
  return make_type("penstock.SymbolicTensor", base, slots);
}

}  // namespace

PyObject* wrap(Tensor&& tensor) noexcept {
  TensorObject* object;
  const bool is_symbolic = tensor.is_symbolic();
  if (!is_symbolic && g_num_spare > 0) {
    object = g_spare[--g_num_spare];
    Py_SET_REFCNT(reinterpret_cast<PyObject*>(object), 1);
#ifdef Py_REF_DEBUG
    _Py_NewReference(reinterpret_cast<PyObject*>(object));
#endif
  } else {
    object = PyObject_GC_New(TensorObject, is_symbolic ? symbolic_type : eager_type);
    if (object == nullptr) return nullptr;
  }
  object->attributes = nullptr;
  object->weak_references = nullptr;
  new (&object->tensor) Tensor(std::move(tensor));
  object->pending = nullptr;
  return reinterpret_cast<PyObject*>(object);
}

PyObject* wrap(std::unique_ptr<DeferredElementwise> pending) noexcept {
  PyObject* object = wrap(Tensor(pending->description()));
  if (object != nullptr) reinterpret_cast<TensorObject*>(object)->pending = pending.release();
  return object;
}

// Needs the GIL: another thread may request the same tensor.
void settle(TensorObject* object) {
  object->tensor = object->pending->run();
  delete object->pending;
  object->pending = nullptr;
}

PyObject* dtype_object(DType dtype) { return Py_XNewRef(hooks.dtypes[static_cast<int>(dtype)]); }

PyObject* shape_tuple(const Shape& shape) {
  Ref dims(PyTuple_New(shape.rank()));
  if (!dims) return nullptr;
  for (int i = 0; i < shape.rank(); ++i) {
    PyObject* dim = shape[i] < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(shape[i]);
    if (dim == nullptr) return nullptr;
    PyTuple_SET_ITEM(dims.get(), i, dim);
  }
  return dims.release();
}

PyObject* shape_object(const Shape& shape) {
  const Ref dims(shape.has_rank() ? shape_tuple(shape) : Py_NewRef(Py_None));
  return dims ? PyObject_CallOneArg(hooks.make_shape, dims.get()) : nullptr;
}

bool add_tensor_types(PyObject* module) {
  PyType_Slot base_slots[] = {{0, nullptr}};
  PyType_Spec base_spec = {
      "penstock.Tensor", 0, 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, base_slots};
  tensor_base_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&base_spec));
  if (tensor_base_type == nullptr) return false;
  auto* base = reinterpret_cast<PyObject*>(tensor_base_type);
  eager_type = make_eager_type(base);
  symbolic_type = make_symbolic_type(base);
  if (eager_type == nullptr || symbolic_type == nullptr) return false;
  return PyModule_AddType(module, tensor_base_type) == 0 &&
         PyModule_AddType(module, eager_type) == 0 && PyModule_AddType(module, symbolic_type) == 0;
}

}  // namespace penstock::python
