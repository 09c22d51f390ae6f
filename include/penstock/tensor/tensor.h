// Tensor: the handle that users hold: a dtype, a shape, and a place in a reference-counted Buffer.
// While a function is traced it may instead be symbolic: a value of the graph, without data.
//
// Copies of a Tensor share its buffer and id. Tensors are immutable values (an op may write into an
// input only if it was donated and nobody else holds it).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/base/export.h>
#include <penstock/core/view.h>
#include <penstock/memory/buffer.h>

namespace penstock {

class PEN_API Tensor {
 public:
  Tensor() = default;  // no tensor: defined() is false

  // A scalar or a list.
  template <typename T>
    requires(kDTypeOf<T> != DType::kInvalid)
  explicit Tensor(T value) : Tensor(from(std::span<const T>(&value, 1), Shape{})) {}
  template <typename T>
    requires(kDTypeOf<T> != DType::kInvalid)
  Tensor(std::initializer_list<T> values)
      : Tensor(from(values, Shape{static_cast<int64_t>(values.size())})) {}

  // Uninitialised contents; strings are empty. Throws ResourceExhaustedError.
  static Tensor empty(DType dtype, const Shape& shape, Tag tag = Tag::kActivation,
                      ledger::Owner owner = 0);
  // A copy of `values`. Throws InvalidArgumentError if their number does not match the shape.
  template <typename T>
  static Tensor from(std::span<const T> values, const Shape& shape) {
    return copy_of(kDTypeOf<T>, shape, values.data(), static_cast<int64_t>(values.size()));
  }
  template <typename T>
  static Tensor from(std::initializer_list<T> values, const Shape& shape) {
    return from(std::span<const T>(values.begin(), values.size()), shape);
  }
  static Tensor from_strings(std::span<const std::string_view> values, const Shape& shape);
  // One value of any real dtype, converted from a double. Throws TypeError for strings.
  static Tensor scalar(DType dtype, double value);
  // Borrows memory that the caller keeps until give_back(context) is called. Throws
  // InvalidArgumentError unless `data` is aligned for its dtype.
  static Tensor borrow(DType dtype, const Shape& shape, void* data, void (*give_back)(void*),
                       void* context, bool read_only);

  bool defined() const { return dtype_ != DType::kInvalid; }
  // False for a tensor with only a dtype and shape (as a tape keeps it).
  bool has_data() const { return static_cast<bool>(buffer_); }
  bool is_symbolic() const { return graph_ != 0; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int i) const { return shape_[i < 0 ? i + rank() : i]; }
  int64_t num_elements() const { return shape_.num_elements(); }
  int64_t num_bytes() const { return shape_.num_bytes(dtype_size(dtype_)); }
  // The same for all copies of a tensor, unique otherwise.
  uint64_t id() const { return id_; }
  Device device() const { return {buffer_ ? buffer_->device : uint8_t{0}}; }

  // The elements. Throws TypeError when T is not the dtype's type.
  template <typename T>
  std::span<const T> data() const {
    return {static_cast<const T*>(checked_data(kDTypeOf<T>)), static_cast<size_t>(num_elements())};
  }
  template <typename T>
  std::vector<T> to_vector() const {
    const std::span<const T> values = data<T>();
    return {values.begin(), values.end()};
  }
  // The only element. Throws InvalidArgumentError if there is not exactly one.
  template <typename T>
  T item() const {
    check_single();
    return data<T>()[0];
  }
  // Element `i` in row-major order as text or as a double, whatever the dtype.
  std::string_view string_at(int64_t i) const;
  double number_at(int64_t i) const;

  // For the layers below the API.
  const BufferRef& buffer() const { return buffer_; }
  int64_t offset() const { return offset_; }
  void* raw() const { return buffer_ ? static_cast<char*>(buffer_->data) + offset_ : nullptr; }
  View view() const { return {raw(), dtype_, shape_}; }
  // A tensor over part of a buffer, with a new id unless one is given. Pre: it lies inside and is
  // aligned for the dtype.
  static Tensor over(BufferRef buffer, int64_t offset, DType dtype, const Shape& shape,
                     uint64_t id = 0);
  // A value of the graph with that number (never 0); a new id unless one is given.
  static Tensor symbol(uint32_t graph, int32_t value, DType dtype, const Shape& shape,
                       uint64_t id = 0);
  uint32_t graph() const { return graph_; }
  // Pre: is_symbolic().
  int32_t value() const { return static_cast<int32_t>(offset_); }
  // A tensor with its own buffer and the same contents.
  Tensor copy(Tag tag, ledger::Owner owner = 0) const;
  // The same id, dtype and shape without the data. A symbolic tensor is returned unchanged.
  Tensor without_data() const;
  // Another tensor over the same data. Pre: the same shape, when symbolic.
  Tensor shared_as(const Shape& shape) const {
    if (is_symbolic()) return symbol(graph_, value(), dtype_, shape);
    return over(buffer_, offset_, dtype_, shape);
  }
  // True when an op may overwrite this tensor's data, once it is donated.
  bool can_be_overwritten() const {
    return buffer_.is_unique() && !buffer_->read_only && !buffer_->holds_strings && offset_ == 0;
  }

 private:
  static Tensor copy_of(DType dtype, const Shape& shape, const void* values, int64_t count);
  const void* checked_data(DType wanted) const;
  void check_single() const;

  BufferRef buffer_;
  int64_t offset_ = 0;  // bytes; for a symbolic tensor, the value's number
  uint64_t id_ = 0;
  uint32_t graph_ = 0;
  DType dtype_ = DType::kInvalid;
  Shape shape_;
};

// An id that no tensor or variable has.
PEN_API uint64_t new_id() noexcept;

// "tensor([[1, 2], [3, 4]], dtype=int32)"; long ones are cut in the middle.
PEN_API std::string to_string(const Tensor& tensor);

}  // namespace penstock
