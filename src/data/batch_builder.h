// BatchBuilder: stacks elements into one, row by row.
#pragma once

#include <cstdint>
#include <vector>

#include <penstock/data/element.h>

namespace penstock::data {

// The spec of batches: a dimension of that size in front of every component.
Spec batched(const Spec& spec, int64_t size);

class BatchBuilder {
 public:
  // `most` elements at most.
  explicit BatchBuilder(int64_t most) : most_(most) {}

  // Throws InvalidArgumentError if a shape differs from that of the first element.
  void add(const Element& element) { add(element, 0, 1, 0); }
  // Rows of an element whose components have a first dimension of rows.
  // Pre: there is room for `count`.
  void add_rows(const Element& element, int64_t first, int64_t count) {
    add(element, first, count, 1);
  }
  // Room for `count` more rows of scalars, the only component, which the caller writes.
  // Pre: there is room for them.
  void* add_scalars(DType dtype, int64_t count);
  int64_t size() const { return size_; }
  bool is_full() const { return size_ == most_; }
  // The rows so far, which the builder gives up.
  Element take();
  void clear();

 private:
  struct Column {
    DType dtype;
    Tensor rows;       // room for `capacity` of them
    Shape row;         // the shape of one
    int64_t elements;  // of one
  };
  // `outer` is the number of dimensions in front of a row's.
  void add(const Element& element, int64_t first, int64_t count, int outer);
  void start(const Element& element, int outer);
  // The first memory of the columns.
  void allocate();
  void grow(int64_t rows);

  const int64_t most_;
  int64_t size_ = 0, capacity_ = 0;
  std::vector<Column> columns_;
};

}  // namespace penstock::data
