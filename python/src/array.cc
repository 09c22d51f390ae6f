#include "array.h"

#define NPY_NO_DEPRECATED_API NPY_1_19_API_VERSION
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include <penstock/base/threads.h>
#include <penstock/memory/reservation.h>

#include "convert.h"
#include "errors.h"
#include "run.h"
#include "tensor_object.h"

namespace penstock::python {
namespace {

constexpr int64_t kCopyGrain = 4 << 20;        // bytes a thread copies at least
constexpr int64_t kUnbookedBytes = 256 << 10;  // that come and go with every call of Python

int g_bfloat16 = -1;  // NumPy's number for ml_dtypes.bfloat16, once it is known

// Imports ml_dtypes, which registers the type with NumPy.
int bfloat16_number() {
  if (g_bfloat16 >= 0) return g_bfloat16;
  const Ref module(checked(PyImport_ImportModule("ml_dtypes")));
  const Ref type(checked(PyObject_GetAttrString(module.get(), "bfloat16")));
  PyArray_Descr* descr = nullptr;
  if (PyArray_DescrConverter(type.get(), &descr) == 0) throw PythonError();
  g_bfloat16 = descr->type_num;
  Py_DECREF(descr);
  return g_bfloat16;
}

int number_of(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return NPY_BOOL;
    case DType::kInt8:
      return NPY_INT8;
    case DType::kInt16:
      return NPY_INT16;
    case DType::kInt32:
      return NPY_INT32;
    case DType::kInt64:
      return NPY_INT64;
    case DType::kUInt8:
      return NPY_UINT8;
    case DType::kUInt16:
      return NPY_UINT16;
    case DType::kUInt32:
      return NPY_UINT32;
    case DType::kUInt64:
      return NPY_UINT64;
    case DType::kFloat16:
      return NPY_FLOAT16;
    case DType::kBFloat16:
      return bfloat16_number();
    case DType::kFloat32:
      return NPY_FLOAT32;
    case DType::kFloat64:
      return NPY_FLOAT64;
    case DType::kComplex64:
      return NPY_COMPLEX64;
    case DType::kComplex128:
      return NPY_COMPLEX128;
    case DType::kString:
    case DType::kInvalid:
      break;
  }
  return NPY_OBJECT;
}

DType by_size(int64_t size, DType one, DType two, DType four, DType eight) {
  return size == 1 ? one : size == 2 ? two : size == 4 ? four : eight;
}

DType dtype_of(PyArray_Descr* descr) {
  const auto size = static_cast<int64_t>(PyDataType_ELSIZE(descr));
  switch (descr->kind) {
    case 'b':
      return DType::kBool;
    case 'i':
      return by_size(size, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64);
    case 'u':
      return by_size(size, DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64);
    case 'f':
      if (size > 8) return DType::kInvalid;
      return by_size(size, DType::kInvalid, DType::kFloat16, DType::kFloat32, DType::kFloat64);
    case 'c':
      return size == 8 ? DType::kComplex64 : size == 16 ? DType::kComplex128 : DType::kInvalid;
    case 'S':
    case 'U':
    case 'O':
      return DType::kString;
    default:
      break;
  }
  if (descr->type_num >= NPY_USERDEF && size == 2 && descr->type_num == bfloat16_number())
    return DType::kBFloat16;
  return DType::kInvalid;
}

// Whether all elements are integers in the range of `dtype`, another integer type. NumPy shows them
// in place, and converts the others in small pieces: a copy would not be counted.
template <typename T>
bool are_within(PyArrayObject* array, DType own, DType dtype) {
  constexpr npy_uint32 kFlags = NPY_ITER_READONLY | NPY_ITER_ALIGNED | NPY_ITER_NBO |
                                NPY_ITER_EXTERNAL_LOOP | NPY_ITER_BUFFERED | NPY_ITER_GROWINNER |
                                NPY_ITER_ZEROSIZE_OK;
  PyArray_Descr* descr = PyArray_DescrFromType(number_of(own));
  NpyIter* const iterator = NpyIter_New(array, kFlags, NPY_KEEPORDER, NPY_EQUIV_CASTING, descr);
  Py_DECREF(descr);
  if (iterator == nullptr) throw PythonError();
  const auto end = [](NpyIter* it) { NpyIter_Deallocate(it); };
  const std::unique_ptr<NpyIter, decltype(end)> pieces(iterator, end);
  if (NpyIter_GetIterSize(iterator) == 0) return true;
  NpyIter_IterNextFunc* const next = NpyIter_GetIterNext(iterator, nullptr);
  if (next == nullptr) throw PythonError();
  char** const data = NpyIter_GetDataPtrArray(iterator);
  const npy_intp* const size = NpyIter_GetInnerLoopSizePtr(iterator);
  const npy_intp* const stride = NpyIter_GetInnerStrideArray(iterator);
  T least = 0, most = 0;
  const auto add = [&](T item) {
    least = std::min(least, item);
    most = std::max(most, item);
  };
  do {
    const npy_intp count = *stride == 0 ? 1 : *size;  // one value, however often it is seen
    if (*stride == npy_intp{sizeof(T)}) {
      const T* const items = reinterpret_cast<const T*>(*data);
      for (npy_intp i = 0; i < count; ++i) add(items[i]);
    } else {
      for (npy_intp i = 0; i < count; ++i) add(*reinterpret_cast<const T*>(*data + i * *stride));
    }
  } while (next(iterator) != 0);
  const int bits = static_cast<int>(dtype_size(dtype)) * 8 - (kUnsignedTypes.has(dtype) ? 0 : 1);
  const uint64_t highest = bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  const int64_t lowest = kUnsignedTypes.has(dtype) ? 0 : -static_cast<int64_t>(highest) - 1;
  return std::cmp_greater_equal(least, lowest) && std::cmp_less_equal(most, highest);
}

// As above, for an array of any dtype. True if no element is an integer.
bool is_within(PyArrayObject* array, DType own, DType dtype) {
  if (own == dtype || !kIntTypes.has(own) || !kIntTypes.has(dtype) ||
      PyArray_CanCastSafely(number_of(own), number_of(dtype)) != 0)
    return true;
  switch (own) {
    case DType::kInt8:
      return are_within<int8_t>(array, own, dtype);
    case DType::kInt16:
      return are_within<int16_t>(array, own, dtype);
    case DType::kInt32:
      return are_within<int32_t>(array, own, dtype);
    case DType::kInt64:
      return are_within<int64_t>(array, own, dtype);
    case DType::kUInt8:
      return are_within<uint8_t>(array, own, dtype);
    case DType::kUInt16:
      return are_within<uint16_t>(array, own, dtype);
    case DType::kUInt32:
      return are_within<uint32_t>(array, own, dtype);
    default:
      return are_within<uint64_t>(array, own, dtype);
  }
}

Shape shape_of(PyArrayObject* array) {
  static_assert(sizeof(npy_intp) == sizeof(int64_t));
  const auto* dims = reinterpret_cast<const int64_t*>(PyArray_DIMS(array));
  return Shape(std::span<const int64_t>(dims, static_cast<size_t>(PyArray_NDIM(array))));
}

void copy_bytes(void* to, const void* from, int64_t bytes) {
  const WithoutGil released(bytes >= kBytesWorthReleasing);
  parallel_for(bytes, kCopyGrain, [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
                static_cast<size_t>(end - begin));
  });
}

[[noreturn]] void refuse(PyObject* object) {
  raise(PyExc_ValueError,
        "Failed to convert a NumPy array to a Tensor (Unsupported object type %s).",
        Py_TYPE(object)->tp_name);
}

// Strings and objects are converted through lists: their elements are Python objects anyway.
Tensor convert_objects(PyArrayObject* array, DType wanted) {
  // An array that repeats one value is small; its list is not.
  constexpr int64_t kTextBytes = 64;  // of a new Python object
  const auto text = static_cast<int64_t>(PyDataType_ELSIZE(PyArray_DESCR(array)));
  const bool has_objects = PyArray_DESCR(array)->kind == 'O';
  const int64_t item_bytes = int64_t{sizeof(PyObject*)} + (has_objects ? 0 : kTextBytes + text);
  std::optional<Reservation> booked;
  if (PyArray_SIZE(array) > kUnbookedBytes / item_bytes)
    booked.emplace(int64_t{PyArray_SIZE(array)} * item_bytes, "constant");
  const Ref list(checked(PyArray_ToList(array)));
  Tensor tensor = to_tensor(list.get(), wanted);
  // A list does not show the shape after a dimension of 0.
  return tensor.num_elements() == 0 ? Tensor::empty(tensor.dtype(), shape_of(array), Tag::kConstant)
                                    : tensor;
}

// Keeps an ndarray's memory alive: a reference to the tensor's buffer, independent of the tensor.
void drop_buffer(PyObject* capsule) {
  delete static_cast<BufferRef*>(PyCapsule_GetPointer(capsule, nullptr));
}

PyObject* string_array(const Tensor& tensor) {
  const Ref array(checked(PyArray_SimpleNew(
      tensor.rank(), reinterpret_cast<const npy_intp*>(tensor.shape().begin()), NPY_OBJECT)));
  auto** items =
      static_cast<PyObject**>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.get())));
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const std::string_view text = tensor.string_at(i);
    Py_XSETREF(items[i], checked(PyBytes_FromStringAndSize(text.data(),
                                                           static_cast<Py_ssize_t>(text.size()))));
  }
  return Py_NewRef(array.get());
}

PyObject* new_array(const Tensor& tensor, void* data, int flags) {
  PyArray_Descr* descr = PyArray_DescrFromType(number_of(tensor.dtype()));
  return checked(PyArray_NewFromDescr(&PyArray_Type, descr, tensor.rank(),
                                      reinterpret_cast<const npy_intp*>(tensor.shape().begin()),
                                      nullptr, data, flags, nullptr));
}

void check_has_data(const Tensor& tensor) {
  if (!tensor.has_data()) throw FailedPreconditionError("the tensor has no data");
}

PyObject* scalar_of(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) {
    const std::string_view text = tensor.string_at(0);
    return checked(PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
  }
  PyArray_Descr* descr = PyArray_DescrFromType(number_of(tensor.dtype()));
  PyObject* scalar = PyArray_Scalar(tensor.raw(), descr, nullptr);
  Py_DECREF(descr);
  return checked(scalar);
}

// Whether the memory belongs to this tensor alone, and in full: a row must not keep its matrix.
bool owns_buffer(const Tensor& tensor) {
  return tensor.can_be_overwritten() && tensor.buffer()->tag != Tag::kForeign &&
         tensor.buffer()->bytes == tensor.num_bytes();
}

}  // namespace

bool import_numpy() { return _import_array() >= 0; }

bool is_array(PyObject* object) { return PyArray_Check(object); }
bool is_numpy_scalar(PyObject* object) { return PyArray_IsScalar(object, Generic); }
bool is_numpy_integer(PyObject* object) { return PyArray_IsScalar(object, Integer); }
bool is_numpy_bool(PyObject* object) { return PyArray_IsScalar(object, Bool); }

Tensor copy_array(PyObject* object, DType wanted) {
  const Ref any(checked(PyArray_FromAny(object, nullptr, 0, 0, 0, nullptr)));
  auto* array = reinterpret_cast<PyArrayObject*>(any.get());
  const DType own = dtype_of(PyArray_DESCR(array));
  if (own == DType::kInvalid) refuse(object);
  if (own == DType::kString || wanted == DType::kString) return convert_objects(array, wanted);
  const DType dtype = wanted == DType::kInvalid ? own : wanted;
  if (!is_within(array, own, dtype)) {
    raise(PyExc_ValueError,
          "Can't convert a NumPy array with out-of-range integers to Tensor. %s cannot hold all of "
          "%R.",
          dtype_name(dtype).data(), object);
  }
  Tensor tensor = Tensor::empty(dtype, shape_of(array), Tag::kConstant);
  if (own == dtype && PyArray_ISCARRAY_RO(array)) {
    copy_bytes(tensor.raw(), PyArray_DATA(array), tensor.num_bytes());
    return tensor;
  }
  // NumPy casts and gathers directly into the tensor: a temporary array would not be counted.
  const Ref over(new_array(tensor, tensor.raw(), NPY_ARRAY_CARRAY));
  if (PyArray_CopyInto(reinterpret_cast<PyArrayObject*>(over.get()), array) != 0)
    throw PythonError();
  return tensor;
}

int64_t array_bytes(PyObject* array) {
  return static_cast<int64_t>(PyArray_NBYTES(reinterpret_cast<PyArrayObject*>(array)));
}

int64_t array_size(PyObject* array) {
  return static_cast<int64_t>(PyArray_SIZE(reinterpret_cast<PyArrayObject*>(array)));
}

bool holds(DType dtype, PyObject* object) {
  const Ref any(checked(PyArray_FromAny(object, nullptr, 0, 0, 0, nullptr)));
  auto* array = reinterpret_cast<PyArrayObject*>(any.get());
  const DType own = dtype_of(PyArray_DESCR(array));
  if (own == DType::kInvalid || dtype == DType::kInvalid) return true;
  return (own == DType::kString) == (dtype == DType::kString) && is_within(array, own, dtype);
}

bool has_strings(PyObject* object) {
  const Ref any(checked(PyArray_FromAny(object, nullptr, 0, 0, 0, nullptr)));
  return dtype_of(PyArray_DESCR(reinterpret_cast<PyArrayObject*>(any.get()))) == DType::kString;
}

Tensor borrow_array(PyObject* object) {
  if (!PyArray_Check(object)) raise(PyExc_TypeError, "from_numpy needs an ndarray");
  auto* array = reinterpret_cast<PyArrayObject*>(object);
  const DType dtype = dtype_of(PyArray_DESCR(array));
  if (dtype == DType::kInvalid || dtype == DType::kString) refuse(object);
  if (!PyArray_ISCARRAY_RO(array))
    raise(PyExc_ValueError,
          "from_numpy shares memory: the array must be contiguous and aligned, "
          "in the machine's byte order");
  const auto give_back = [](void* context) {
    if (Py_IsInitialized() == 0) return;
    const WithGil gil;
    Py_DECREF(static_cast<PyObject*>(context));
  };
  return Tensor::borrow(dtype, shape_of(array), PyArray_DATA(array), give_back, Py_NewRef(object),
                        true);
}

PyObject* array_over(const Tensor& tensor, bool writable) {
  check_has_data(tensor);
  if (tensor.dtype() == DType::kString) return string_array(tensor);
  const int flags = writable ? NPY_ARRAY_CARRAY : NPY_ARRAY_CARRAY_RO;
  Ref array(new_array(tensor, tensor.raw(), flags));
  Ref holder(checked(PyCapsule_New(new BufferRef(tensor.buffer()), nullptr, drop_buffer)));
  if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array.get()), holder.release()) < 0)
    throw PythonError();
  return array.release();
}

PyObject* numpy_copy(const Tensor& tensor) {
  check_has_data(tensor);
  if (tensor.rank() == 0) return scalar_of(tensor);
  if (tensor.dtype() == DType::kString) return string_array(tensor);
  const Tensor copy = Tensor::empty(tensor.dtype(), tensor.shape(), Tag::kHost);
  copy_bytes(copy.raw(), tensor.raw(), tensor.num_bytes());
  return array_over(copy, true);
}

PyObject* numpy_of_last(const Tensor& tensor) {
  check_has_data(tensor);
  const bool may_share = tensor.rank() > 0 && owns_buffer(tensor);
  return may_share ? array_over(tensor, true) : numpy_copy(tensor);
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  static const char* const kFormats[kNumDTypes] = {nullptr, "?", "b",  "h",  "i",    "q",
                                                   "B",     "H", "I",  "Q",  "e",    nullptr,
                                                   "f",     "d", "Zf", "Zd", nullptr};
  view->obj = nullptr;
  const Tensor* found = guarded<const Tensor*>(nullptr, [&] { return &tensor_of(self); });
  if (found == nullptr) return -1;
  const Tensor& tensor = *found;
  const char* format = kFormats[static_cast<int>(tensor.dtype())];
  if (format == nullptr || !tensor.has_data() || (flags & PyBUF_WRITABLE) != 0) {
    PyErr_SetString(PyExc_BufferError, format == nullptr ? "this dtype has no buffer format"
                                                         : "a tensor's memory is read-only");
    return -1;
  }
  const auto rank = static_cast<size_t>(tensor.rank());
  auto* sizes = static_cast<Py_ssize_t*>(PyMem_Malloc(sizeof(Py_ssize_t) * 2 * (rank + 1)));
  if (sizes == nullptr) return PyErr_NoMemory(), -1;
  auto stride = static_cast<Py_ssize_t>(dtype_size(tensor.dtype()));
  view->itemsize = stride;
  for (size_t i = rank; i-- > 0;) {
    sizes[i] = tensor.shape()[static_cast<int>(i)];
    sizes[rank + i] = stride;
    stride *= sizes[i];
  }
  view->obj = Py_NewRef(self);
  view->buf = tensor.raw();
  view->len = tensor.num_bytes();
  view->readonly = 1;
  view->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(format) : nullptr;
  view->ndim = tensor.rank();
  view->shape = (flags & PyBUF_ND) != 0 ? sizes : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? sizes + rank : nullptr;
  view->suboffsets = nullptr;
  view->internal = sizes;
  return 0;
}

void release_buffer(PyObject*, Py_buffer* view) { PyMem_Free(view->internal); }

}  // namespace penstock::python
