#include "data/batch_builder.h"

#include <algorithm>
#include <utility>

#include <penstock/base/checked.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>
#include <penstock/memory/strings.h>

#include "data/element.h"

namespace penstock::data {
namespace {

// A batch is allocated whole if it takes at most this part of the free budget; a larger one grows
// with its elements, since the dataset may end before it is full.
constexpr int64_t kSmallPart = 8;
constexpr int64_t kFirstRows = 64;

Shape with_rows(const Shape& row, int64_t rows) {
  Shape shape = row;
  shape.insert(0, rows);
  return shape;
}

// The shape without the dimension of rows in front, if there is one.
Shape row_of(const Shape& shape, int outer) {
  Shape row = shape;
  if (outer != 0) row.remove(0);
  return row;
}
bool is_row(const Shape& shape, const Shape& row, int outer) {
  return shape.rank() == row.rank() + outer &&
         std::equal(row.begin(), row.end(), shape.begin() + outer);
}

// The first rows of a tensor that nobody else holds; the rest is freed.
Tensor cut(Tensor tensor, const Shape& shape) {
  const int64_t bytes = shape.num_bytes(dtype_size(tensor.dtype()));
  const DType dtype = tensor.dtype();
  BufferRef buffer = tensor.buffer();
  tensor = Tensor();
  shrink_buffer(*buffer.get(), bytes);
  return Tensor::over(std::move(buffer), 0, dtype, shape);
}

}  // namespace

Spec batched(const Spec& spec, int64_t size) {
  Spec result = spec;
  for (ComponentSpec& component : result) {
    if (component.is_dataset())
      throw InvalidArgumentError("[BatchDataset] datasets cannot be batched");
    if (component.shape.has_rank()) component.shape.insert(0, size);
  }
  return result;
}

void BatchBuilder::start(const Element& element, int outer) {
  for (const Component& component : element) {
    const Shape row = row_of(component.tensor.shape(), outer);
    columns_.push_back({component.tensor.dtype(), Tensor(), row, row.num_elements()});
  }
  allocate();
}

void BatchBuilder::allocate() {
  int64_t row_bytes = 0, bytes;
  for (const Column& column : columns_) row_bytes += column.row.num_bytes(dtype_size(column.dtype));
  const int64_t free = ledger::limit(0) - ledger::device_counters(0).current;
  const bool is_small = checked_mul(row_bytes, most_, &bytes) && bytes <= free / kSmallPart;
  capacity_ = is_small ? most_ : std::min(most_, kFirstRows);
  for (Column& column : columns_)
    column.rows = Tensor::empty(column.dtype, with_rows(column.row, capacity_), Tag::kDataset);
}

void* BatchBuilder::add_scalars(DType dtype, int64_t count) {
  if (columns_.empty()) {
    columns_.push_back({dtype, Tensor(), Shape{}, 1});
    allocate();
  }
  if (capacity_ - size_ < count) grow(size_ + count);
  void* const room =
      static_cast<char*>(columns_[0].rows.raw()) + size_ * static_cast<int64_t>(dtype_size(dtype));
  size_ += count;
  return room;
}

void BatchBuilder::grow(int64_t rows) {
  while (capacity_ < rows) capacity_ = capacity_ > most_ / 2 ? most_ : capacity_ * 2;
  for (Column& column : columns_) {
    Tensor larger = Tensor::empty(column.dtype, with_rows(column.row, capacity_), Tag::kDataset);
    copy_values(larger.dtype(), larger.raw(), column.rows.raw(), size_ * column.elements);
    column.rows = std::move(larger);
  }
}

void BatchBuilder::add(const Element& element, int64_t first, int64_t count, int outer) {
  if (columns_.empty()) start(element, outer);
  if (capacity_ - size_ < count) grow(size_ + count);
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    const Tensor& tensor = element[i].tensor;
    if (is_row(tensor.shape(), column.row, outer) && tensor.dtype() == column.dtype) continue;
    throw InvalidArgumentError(
        cat("[IteratorGetNext] Cannot batch tensors with different shapes "
            "in component ",
            i, ". First element had shape ", column.row, " and element ", size_, " had shape ",
            row_of(tensor.shape(), outer), "."));
  }
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    const int64_t bytes = column.elements * static_cast<int64_t>(dtype_size(column.dtype));
    copy_values(column.dtype, static_cast<char*>(column.rows.raw()) + size_ * bytes,
                static_cast<const char*>(element[i].tensor.raw()) + first * bytes,
                column.elements * count);
  }
  size_ += count;
}

Element BatchBuilder::take() {
  Element batch;
  for (Column& column : columns_) {
    const Shape shape = with_rows(column.row, size_);
    batch.push_back(size_ == capacity_ ? std::move(column.rows)
                                       : cut(std::move(column.rows), shape));
  }
  clear();
  return batch;
}

void BatchBuilder::clear() {
  columns_.clear();
  size_ = capacity_ = 0;
}

}  // namespace penstock::data
