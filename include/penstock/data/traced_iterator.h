// Iterators, datasets and optionals inside traced functions. There they are handles: int64 scalars
// that stand for something of the process. A handle keeps what it stands for alive. A dataset that
// is part of an element is a handle too.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include <penstock/base/export.h>
#include <penstock/data/dataset.h>
#include <penstock/ops/op_def.h>
#include <penstock/tensor/tensor.h>

namespace penstock::data {

// An iterator that may be replaced, as a TensorFlow 1 graph has it.
class PEN_API IteratorSlot {
 public:
  IteratorSlot();
  explicit IteratorSlot(const Dataset& dataset) : IteratorSlot() { start(dataset); }
  // Starts a new iterator.
  void start(const Dataset& dataset) const;
  // The iterator. Throws FailedPreconditionError if none was started.
  Iterator iterator() const;
  // A scalar that stands for it.
  Tensor handle() const;
  static IteratorSlot of(const Tensor& handle);

  struct State;

 private:
  explicit IteratorSlot(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// These are for traces, but may also be called outside: then they run at once.

// The handle of a new iterator, each time the function runs. The dataset may be a template.
PEN_API Tensor add_iterator(const Dataset& dataset);
// Starts a new iterator in a slot.
PEN_API void add_start(const Tensor& handle, const Dataset& dataset);
// The next element. Throws OutOfRangeError at the end.
PEN_API Tensors add_next(const Tensor& handle, const Spec& spec);
// Goes on to the next element; false at the end. add_current is that element.
PEN_API Tensor add_advance(const Tensor& handle);
PEN_API Tensors add_current(const Tensor& handle, const Spec& spec);
// An optional is an element or nothing. The handle of the next element, which is empty at the end;
// of an element of these components; of nothing.
PEN_API Tensor add_next_optional(const Tensor& handle);
PEN_API Tensor add_optional(std::span<const Tensor> components);
PEN_API Tensor add_empty_optional();
PEN_API Tensor add_has_value(const Tensor& optional);
// Throws InvalidArgumentError if it is empty.
PEN_API Tensors add_value(const Tensor& optional, const Spec& spec);
// data::reduce and data::single_element (reduce.h).
PEN_API Tensors add_reduction(const Dataset& dataset, std::span<const Tensor> state,
                              const ElementFunction& function, const Spec& state_spec);
PEN_API Tensors add_single_element(const Dataset& dataset);
// A dataset as a handle, and the dataset that a handle stands for.
PEN_API Tensor dataset_handle(const Dataset& dataset);
PEN_API Dataset dataset_of(const Tensor& handle, Spec spec);

}  // namespace penstock::data
