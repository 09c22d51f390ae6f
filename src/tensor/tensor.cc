#include <penstock/tensor/tensor.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include <penstock/base/check.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/memory/strings.h>

#include "memory/buffer_observer.h"

namespace penstock {
namespace {

constexpr uint64_t kIdsAtOnce = 1 << 16;
std::atomic<uint64_t> g_next_ids{1};
thread_local uint64_t t_next_id = 0;
thread_local uint64_t t_last_id = 0;

template <typename T>
void put_as(DType, void* out, double value) {
  *static_cast<T*>(out) = T(value);
}
template <>
void put_as<StringRef>(DType, void*, double) {
  throw TypeError("a number cannot become a string");
}
template <>
void put_as<float16>(DType, void* out, double value) {
  *static_cast<float16*>(out) = float16(static_cast<float>(value));
}
template <>
void put_as<bfloat16>(DType, void* out, double value) {
  *static_cast<bfloat16*>(out) = bfloat16(static_cast<float>(value));
}
template <>
void put_as<complex64>(DType, void* out, double value) {
  *static_cast<complex64*>(out) = complex64(static_cast<float>(value), 0);
}

template <typename T>
double get_as(const void* data) {
  return static_cast<double>(*static_cast<const T*>(data));
}
template <>
double get_as<complex64>(const void* data) {
  return static_cast<const complex64*>(data)->real();
}
template <>
double get_as<complex128>(const void* data) {
  return static_cast<const complex128*>(data)->real();
}
template <>
double get_as<StringRef>(const void*) {
  throw TypeError("a string is not a number");
}

}  // namespace

uint64_t new_id() noexcept {
  if (__builtin_expect(t_next_id == t_last_id, 0)) {
    t_next_id = g_next_ids.fetch_add(kIdsAtOnce, std::memory_order_relaxed);
    t_last_id = t_next_id + kIdsAtOnce;
  }
  return t_next_id++;
}

Tensor Tensor::over(BufferRef buffer, int64_t offset, DType dtype, const Shape& shape,
                    uint64_t id) {
  Tensor tensor;
  tensor.buffer_ = std::move(buffer);
  tensor.offset_ = offset;
  tensor.id_ = id != 0 ? id : new_id();
  tensor.dtype_ = dtype;
  tensor.shape_ = shape;
  return tensor;
}

Tensor Tensor::symbol(uint32_t graph, int32_t value, DType dtype, const Shape& shape, uint64_t id) {
  Tensor tensor = over({}, value, dtype, shape, id);
  tensor.graph_ = graph;
  return tensor;
}

Tensor Tensor::empty(DType dtype, const Shape& shape, Tag tag, ledger::Owner owner) {
  if (dtype == DType::kInvalid) throw TypeError("a tensor needs a valid dtype");
  if (!shape.is_known()) {
    throw InvalidArgumentError(cat("a tensor needs a fully known shape, not ", shape));
  }
  const int64_t bytes = shape.num_bytes(dtype_size(dtype));
  BufferRef buffer(allocate_buffer({.bytes = bytes, .device = {}, .tag = tag, .owner = owner}));
  if (const auto* observer = memory::observer()) observer->describe(*buffer.get(), dtype, shape);
  if (dtype == DType::kString) {
    std::memset(buffer->data, 0, static_cast<size_t>(bytes));
    buffer->holds_strings = true;
  }
  return over(std::move(buffer), 0, dtype, shape);
}

namespace {

// Sets a new tensor's elements to copies of those at `values`.
void copy_elements(Tensor& tensor, const void* values) {
  if (tensor.num_bytes() > 0)
    std::memcpy(tensor.raw(), values, static_cast<size_t>(tensor.num_bytes()));
  if (tensor.dtype() == DType::kString) {
    retain_strings(
        {static_cast<StringRef*>(tensor.raw()), static_cast<size_t>(tensor.num_elements())});
  }
}

}  // namespace

Tensor Tensor::copy_of(DType dtype, const Shape& shape, const void* values, int64_t count) {
  if (!shape.is_known() || count != shape.num_elements()) {
    throw InvalidArgumentError(cat(count, " values cannot fill the shape ", shape));
  }
  Tensor tensor = empty(dtype, shape, Tag::kConstant);
  copy_elements(tensor, values);
  return tensor;
}

Tensor Tensor::copy(Tag tag, ledger::Owner owner) const {
  Tensor tensor = empty(dtype_, shape_, tag, owner);
  copy_elements(tensor, raw());
  return tensor;
}

Tensor Tensor::from_strings(std::span<const std::string_view> values, const Shape& shape) {
  if (!shape.is_known() || static_cast<int64_t>(values.size()) != shape.num_elements()) {
    throw InvalidArgumentError(cat(values.size(), " strings cannot fill the shape ", shape));
  }
  Tensor tensor = empty(DType::kString, shape, Tag::kConstant);
  StringRef* strings = static_cast<StringRef*>(tensor.raw());
  for (size_t i = 0; i < values.size(); ++i) strings[i] = make_string(values[i]);
  return tensor;
}

Tensor Tensor::scalar(DType dtype, double value) {
  alignas(16) char element[16];
  switch (dtype) {
#define PEN_CASE(T, enumerator)                           \
  case DType::enumerator:                                 \
    put_as<T>(dtype, static_cast<void*>(element), value); \
    break;
    PEN_FOR_EACH_DTYPE(PEN_CASE)
#undef PEN_CASE
    case DType::kInvalid:
      throw TypeError("a tensor needs a valid dtype");
  }
  return copy_of(dtype, Shape{}, element, 1);
}

Tensor Tensor::borrow(DType dtype, const Shape& shape, void* data, void (*give_back)(void*),
                      void* context, bool read_only) {
  const char* problem = nullptr;
  if (dtype == DType::kInvalid || dtype == DType::kString)
    problem = "of this dtype cannot be borrowed";
  const size_t alignment = dtype == DType::kComplex64    ? 4
                           : dtype == DType::kComplex128 ? 8
                                                         : dtype_size(dtype);
  if (problem == nullptr && reinterpret_cast<uintptr_t>(data) % alignment != 0) {
    problem = "must be aligned for its elements";
  }
  if (problem == nullptr && !shape.is_known()) problem = "needs a fully known shape";
  int64_t bytes = 0;
  try {
    if (problem != nullptr)
      throw InvalidArgumentError(cat("memory of ", dtype, shape, " ", problem));
    bytes = shape.num_bytes(dtype_size(dtype));
  } catch (...) {
    if (give_back != nullptr) give_back(context);
    throw;
  }
  BufferRef buffer(borrow_buffer(data, bytes, give_back, context, read_only));
  if (const auto* observer = memory::observer()) observer->describe(*buffer.get(), dtype, shape);
  return over(std::move(buffer), 0, dtype, shape);
}

Tensor Tensor::without_data() const {
  if (is_symbolic()) return *this;
  Tensor tensor;
  tensor.id_ = id_;
  tensor.dtype_ = dtype_;
  tensor.shape_ = shape_;
  return tensor;
}

namespace {

const char* no_data(const Tensor& tensor) {
  return tensor.is_symbolic() ? "the tensor is symbolic: it has a value only when its function runs"
                              : "the tensor has no data";
}

}  // namespace

const void* Tensor::checked_data(DType wanted) const {
  if (!has_data()) throw FailedPreconditionError(no_data(*this));
  if (wanted != dtype_) {
    throw TypeError(cat("the tensor's elements are ", dtype_, ", not ", wanted));
  }
  return raw();
}

void Tensor::check_single() const {
  if (!defined() || num_elements() != 1) {
    throw InvalidArgumentError(cat("item() needs one element, and the shape is ", shape_));
  }
}

std::string_view Tensor::string_at(int64_t i) const {
  const std::span<const StringRef> strings = data<StringRef>();
  if (i < 0 || i >= num_elements())
    throw InvalidArgumentError(cat("no element ", i, " in shape ", shape_));
  return string_text(strings[static_cast<size_t>(i)]);
}

double Tensor::number_at(int64_t i) const {
  if (!has_data()) throw FailedPreconditionError(no_data(*this));
  if (i < 0 || i >= num_elements())
    throw InvalidArgumentError(cat("no element ", i, " in shape ", shape_));
  const char* element =
      static_cast<const char*>(raw()) + i * static_cast<int64_t>(dtype_size(dtype_));
  switch (dtype_) {
#define PEN_CASE(T, enumerator) \
  case DType::enumerator:       \
    return get_as<T>(element);
    PEN_FOR_EACH_DTYPE(PEN_CASE)
#undef PEN_CASE
    case DType::kInvalid:
      break;
  }
  return 0;
}

namespace {

constexpr int64_t kEdge = 3;  // elements shown at each end of a long dimension

std::string element_text(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kString:
      return cat('"', tensor.string_at(i), '"');
    case DType::kBool:
      return tensor.number_at(i) != 0 ? "true" : "false";
    case DType::kInt64:
      return std::to_string(tensor.data<int64_t>()[static_cast<size_t>(i)]);
    case DType::kUInt64:
      return std::to_string(tensor.data<uint64_t>()[static_cast<size_t>(i)]);
    case DType::kComplex64:
    case DType::kComplex128: {
      const complex128 value = tensor.dtype() == DType::kComplex128
                                   ? tensor.data<complex128>()[static_cast<size_t>(i)]
                                   : complex128(tensor.data<complex64>()[static_cast<size_t>(i)]);
      char text[64];
      std::snprintf(text, sizeof text, "%g%+gj", value.real(), value.imag());
      return text;
    }
    default:
      break;
  }
  if (kIntTypes.has(tensor.dtype())) return cat(static_cast<int64_t>(tensor.number_at(i)));
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", tensor.number_at(i));
  return text;
}

void append_values(const Tensor& tensor, int axis, int64_t first, int64_t count, std::string& out) {
  if (axis == tensor.rank()) {
    out += element_text(tensor, first);
    return;
  }
  const int64_t dim = tensor.dim(axis);
  const int64_t inner = dim == 0 ? 0 : count / dim;
  out += '[';
  for (int64_t i = 0; i < dim; ++i) {
    if (i > 0) out += ", ";
    if (dim > 2 * kEdge && i == kEdge) {
      out += "…, ";
      i = dim - kEdge;
    }
    append_values(tensor, axis + 1, first + i * inner, inner, out);
  }
  out += ']';
}

}  // namespace

std::string to_string(const Tensor& tensor) {
  if (!tensor.defined()) return "tensor(undefined)";
  if (!tensor.has_data())
    return cat("tensor(shape=", tensor.shape(), ", dtype=", tensor.dtype(), ")");
  std::string out = "tensor(";
  append_values(tensor, 0, 0, tensor.num_elements(), out);
  return out + cat(", dtype=", tensor.dtype(), ")");
}

}  // namespace penstock
