#include <penstock/core/shape.h>

#include <algorithm>

#include <penstock/base/checked.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>

namespace penstock {

namespace {

void check_rank(size_t rank) {
  if (rank > static_cast<size_t>(kMaxRank)) {
    throw InvalidArgumentError(
        cat("a tensor has at most ", kMaxRank, " dimensions, but ", rank, " were asked for"));
  }
}

void check_dim(int64_t dim) {
  if (dim < kUnknownDim) throw InvalidArgumentError(cat("a dimension cannot be negative: ", dim));
}

}  // namespace

Shape::Shape(std::initializer_list<int64_t> dims)
    : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}

Shape::Shape(std::span<const int64_t> dims) {
  check_rank(dims.size());
  for (int64_t dim : dims) check_dim(dim);
  rank_ = static_cast<int>(dims.size());
  std::copy(dims.begin(), dims.end(), dims_.begin());
}

Shape Shape::unknown_rank() {
  Shape shape;
  shape.rank_ = -1;
  return shape;
}

bool Shape::is_known() const {
  return rank_ >= 0 && std::find(begin(), end(), kUnknownDim) == end();
}

int64_t Shape::num_elements() const {
  int64_t count = 1;
  bool fits = true;
  for (int64_t dim : dims()) {
    if (dim == 0) return 0;
    fits = fits && checked_mul(count, dim, &count);
  }
  if (!fits) {
    throw ResourceExhaustedError(cat("the number of elements of shape ", *this, " overflows"));
  }
  return count;
}

int64_t Shape::num_bytes(size_t element_size) const {
  int64_t bytes = 0;
  if (!checked_mul(num_elements(), static_cast<int64_t>(element_size), &bytes)) {
    throw ResourceExhaustedError(cat("the size in bytes of shape ", *this, " overflows"));
  }
  return bytes;
}

void Shape::set(int i, int64_t dim) {
  check_dim(dim);
  dims_[static_cast<size_t>(i)] = dim;
}

void Shape::append(int64_t dim) { insert(rank_, dim); }

void Shape::insert(int at, int64_t dim) {
  check_rank(static_cast<size_t>(rank_) + 1);
  check_dim(dim);
  std::copy_backward(dims_.begin() + at, dims_.begin() + rank_, dims_.begin() + rank_ + 1);
  dims_[static_cast<size_t>(at)] = dim;
  ++rank_;
}

void Shape::remove(int at) {
  std::copy(dims_.begin() + at + 1, dims_.begin() + rank_, dims_.begin() + at);
  --rank_;
}

bool Shape::operator==(const Shape& other) const {
  return rank_ == other.rank_ && (rank_ < 0 || std::equal(begin(), end(), other.begin()));
}

std::string to_string(const Shape& shape) {
  if (!shape.has_rank()) return "<unknown>";
  std::string out = "[";
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) out += ',';
    out += shape[i] == kUnknownDim ? "?" : std::to_string(shape[i]);
  }
  return out + "]";
}

std::array<int64_t, kMaxRank> row_major_strides(const Shape& shape) {
  std::array<int64_t, kMaxRank> strides{};
  uint64_t stride = 1;  // may wrap around if the shape is empty: strides do not matter then
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[static_cast<size_t>(i)] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(std::max<int64_t>(shape[i], 1));
  }
  return strides;
}

bool broadcast_shapes(const Shape& a, const Shape& b, Shape* out) {
  if (a == b) {
    *out = a;
    return true;
  }
  if (!a.has_rank() || !b.has_rank()) {
    *out = Shape::unknown_rank();
    return true;
  }
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  *out = longer;
  const int lead = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    const int64_t x = longer[lead + i];
    const int64_t y = shorter[i];
    if (x == y || y == 1) continue;
    if (x == 1) {
      out->set(lead + i, y);
    } else if (x == kUnknownDim) {
      out->set(lead + i, y);  // the unknown one must be 1 or equal
    } else if (y != kUnknownDim) {
      return false;
    }
  }
  return true;
}

}  // namespace penstock
