// Shape: up to eight dimensions, stored inline. In graphs a dimension, or the rank, may be unknown.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include <penstock/base/export.h>

namespace penstock {

inline constexpr int kMaxRank = 8;
inline constexpr int64_t kUnknownDim = -1;

class PEN_API Shape {
 public:
  Shape() {}  // a scalar; user-provided, so that a const Tensor needs no initialiser
  // Throws InvalidArgumentError for more than kMaxRank dimensions or one below kUnknownDim.
  Shape(std::initializer_list<int64_t> dims);
  explicit Shape(std::span<const int64_t> dims);
  // Copies only the used dimensions: shapes are copied often, and ranks are small.
  Shape(const Shape& other) : rank_(other.rank_) { copy_dims(other); }
  Shape& operator=(const Shape& other) {
    rank_ = other.rank_;
    copy_dims(other);
    return *this;
  }
  static Shape unknown_rank();

  bool has_rank() const { return rank_ >= 0; }
  int rank() const { return rank_; }  // -1 when unknown
  int64_t operator[](int i) const { return dims_[static_cast<size_t>(i)]; }
  std::span<const int64_t> dims() const { return {dims_.data(), static_cast<size_t>(rank_)}; }
  const int64_t* begin() const { return dims_.data(); }
  const int64_t* end() const { return dims_.data() + rank_; }
  // True when every dimension is known.
  bool is_known() const;

  // The number of elements. Pre: is_known(). Throws ResourceExhaustedError on overflow.
  int64_t num_elements() const;
  // num_elements() times `element_size`, also checked for overflow.
  int64_t num_bytes(size_t element_size) const;

  // These throw InvalidArgumentError past kMaxRank.
  void set(int i, int64_t dim);
  void append(int64_t dim);
  void insert(int at, int64_t dim);
  void remove(int at);

  bool operator==(const Shape& other) const;

 private:
  void copy_dims(const Shape& other) {
    for (int i = 0; i < rank_; ++i)
      dims_[static_cast<size_t>(i)] = other.dims_[static_cast<size_t>(i)];
  }

  int rank_ = 0;
  std::array<int64_t, kMaxRank> dims_;  // only the first rank_ are set
};

// "[2,3]"; an unknown dimension is "?", an unknown rank "<unknown>".
PEN_API std::string to_string(const Shape& shape);

// Row-major strides in elements, dimension by dimension. Pre: shape.is_known().
PEN_API std::array<int64_t, kMaxRank> row_major_strides(const Shape& shape);

// NumPy's broadcasting of two shapes into *out; false when they are incompatible.
[[nodiscard]] PEN_API bool broadcast_shapes(const Shape& a, const Shape& b, Shape* out);

}  // namespace penstock
