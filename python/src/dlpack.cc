#include "dlpack.h"

#include <memory>

#include "dlpack_abi.h"
#include "errors.h"
#include "run.h"
#include "tensor_object.h"

namespace penstock::python {
namespace {

constexpr const char* kPlain = "dltensor";
constexpr const char* kVersioned = "dltensor_versioned";
constexpr const char* kUsedPlain = "used_dltensor";
constexpr const char* kUsedVersioned = "used_dltensor_versioned";

struct TypeEntry {
  DType dtype;
  uint8_t code, bits;
};
constexpr TypeEntry kTypes[] = {
    {DType::kBool, dlpack::kBool, 8},
    {DType::kInt8, dlpack::kInt, 8},
    {DType::kInt16, dlpack::kInt, 16},
    {DType::kInt32, dlpack::kInt, 32},
    {DType::kInt64, dlpack::kInt, 64},
    {DType::kUInt8, dlpack::kUInt, 8},
    {DType::kUInt16, dlpack::kUInt, 16},
    {DType::kUInt32, dlpack::kUInt, 32},
    {DType::kUInt64, dlpack::kUInt, 64},
    {DType::kFloat16, dlpack::kFloat, 16},
    {DType::kBFloat16, dlpack::kBfloat, 16},
    {DType::kFloat32, dlpack::kFloat, 32},
    {DType::kFloat64, dlpack::kFloat, 64},
    {DType::kComplex64, dlpack::kComplex, 64},
    {DType::kComplex128, dlpack::kComplex, 128},
};

dlpack::DataType type_of(DType dtype) {
  for (const TypeEntry& entry : kTypes) {
    if (entry.dtype == dtype) return {entry.code, entry.bits, 1};
  }
  raise(PyExc_BufferError, "a tensor of dtype %s cannot be exported", dtype_name(dtype).data());
}

DType dtype_of(const dlpack::DataType& type) {
  for (const TypeEntry& entry : kTypes) {
    if (entry.code == type.code && entry.bits == type.bits && type.lanes == 1) return entry.dtype;
  }
  raise(PyExc_BufferError, "DLPack type code %d with %d bits is not supported", int{type.code},
        int{type.bits});
}

// Kept alive by an exported tensor until its consumer is done.
template <typename M>
struct Export {
  M managed = {};
  Tensor tensor;
  int64_t strides[kMaxRank] = {};
};

void describe(const Tensor& tensor, int64_t* strides, dlpack::Tensor& out) {
  int64_t stride = 1;
  for (int i = tensor.rank(); i-- > 0;) {
    strides[i] = stride;
    stride *= tensor.dim(i);
  }
  out.data = tensor.raw();
  out.device = {dlpack::kCpu, 0};
  out.rank = tensor.rank();
  out.dtype = type_of(tensor.dtype());
  out.shape = const_cast<int64_t*>(tensor.shape().begin());
  out.strides = strides;
  out.byte_offset = 0;
}

// Also frees a capsule that nobody consumed.
template <typename M>
void drop_capsule(PyObject* capsule) {
  const char* name = std::is_same_v<M, dlpack::Managed> ? kPlain : kVersioned;
  if (PyCapsule_IsValid(capsule, name) == 0) return;
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, name));
  if (managed->deleter != nullptr) managed->deleter(managed);
}

template <typename M>
PyObject* make_capsule(const Tensor& tensor, uint64_t flags) {
  auto exported = std::make_unique<Export<M>>();
  exported->tensor = tensor;
  describe(exported->tensor, exported->strides, exported->managed.tensor);
  exported->managed.context = exported.get();
  exported->managed.deleter = [](M* managed) { delete static_cast<Export<M>*>(managed->context); };
  if constexpr (std::is_same_v<M, dlpack::ManagedVersioned>) {
    exported->managed.version = {1, 0};
    exported->managed.flags = flags;
  }
  const char* name = std::is_same_v<M, dlpack::Managed> ? kPlain : kVersioned;
  PyObject* capsule = checked(PyCapsule_New(&exported->managed, name, drop_capsule<M>));
  (void)exported.release();
  return capsule;
}

bool is_row_major(const dlpack::Tensor& tensor) {
  if (tensor.strides == nullptr) return true;
  int64_t stride = 1;
  for (int i = tensor.rank; i-- > 0;) {
    if (tensor.shape[i] == 0) return true;
    if (tensor.shape[i] != 1 && tensor.strides[i] != stride) return false;
    stride *= tensor.shape[i];
  }
  return true;
}

template <typename M>
void give_back(void* context) {
  auto* managed = static_cast<M*>(context);
  if (managed->deleter == nullptr || Py_IsInitialized() == 0) return;
  const WithGil gil;  // producers written in Python drop Python objects
  managed->deleter(managed);
}

template <typename M>
PyObject* take(PyObject* capsule, const char* name, const char* used) {
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, name));
  if (managed == nullptr) throw PythonError();
  const dlpack::Tensor& source = managed->tensor;
  if (source.device.type != dlpack::kCpu)
    raise(PyExc_BufferError, "the memory is on another device than the CPU");
  if (!is_row_major(source))
    raise(PyExc_BufferError, "the memory must be contiguous, in row-major order");
  const DType dtype = dtype_of(source.dtype);
  const Shape shape(std::span<const int64_t>(source.shape, static_cast<size_t>(source.rank)));
  void* data = static_cast<char*>(source.data) + source.byte_offset;
  if (PyCapsule_SetName(capsule, used) != 0) throw PythonError();
  return wrap(Tensor::borrow(dtype, shape, data, give_back<M>, managed, true));
}

}  // namespace

PyObject* export_dlpack(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* const kNames[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO", const_cast<char**>(kNames), &stream,
                                  &version, &device, &copy) == 0) {
    return nullptr;
  }
  return guarded([&] {
    if (stream != Py_None) raise(PyExc_BufferError, "a tensor on the CPU has no stream");
    const bool copies = copy == Py_True;
    const Tensor tensor = copies ? tensor_of(self).copy(Tag::kOutput) : tensor_of(self);
    if (!tensor.has_data()) throw FailedPreconditionError("the tensor has no data");
    const bool versioned = PyTuple_Check(version) && PyTuple_GET_SIZE(version) > 0 &&
                           PyLong_AsLong(PyTuple_GET_ITEM(version, 0)) >= 1;
    const uint64_t flags = copies ? dlpack::kCopied : dlpack::kReadOnly;
    return versioned ? make_capsule<dlpack::ManagedVersioned>(tensor, flags)
                     : make_capsule<dlpack::Managed>(tensor, flags);
  });
}

PyObject* dlpack_device(PyObject*, PyObject*) { return Py_BuildValue("ii", dlpack::kCpu, 0); }

PyObject* import_dlpack(PyObject*, PyObject* capsule) {
  return guarded([&] {
    if (PyCapsule_IsValid(capsule, kVersioned) != 0)
      return take<dlpack::ManagedVersioned>(capsule, kVersioned, kUsedVersioned);
    if (PyCapsule_IsValid(capsule, kPlain) != 0)
      return take<dlpack::Managed>(capsule, kPlain, kUsedPlain);
    raise(PyExc_TypeError, "expected a DLPack capsule that nobody has used yet");
  });
}

}  // namespace penstock::python
