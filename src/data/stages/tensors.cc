// Tensor: one element, the operands. TensorSlice: their rows.
#include <algorithm>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "data/batch_builder.h"
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

void infer_tensor(DatasetState& state) {
  state.spec.clear();
  for (const Tensor& operand : state.operands)
    state.spec.push_back({operand.dtype(), operand.shape()});
}

class TensorIterator final : public NamedIterator {
 public:
  using NamedIterator::NamedIterator;
  bool next(Element& element) override {
    if (is_given_) return false;
    element.clear();
    for (const Tensor& operand : state_->operands) element.push_back(operand);
    is_given_ = true;
    return true;
  }

 private:
  void save_own(StateWriter& out) override { out.number(is_given_); }
  void restore_own(StateReader& in) override { is_given_ = in.count(1) != 0; }

  bool is_given_ = false;
};

void infer_slices(DatasetState& state) {
  state.spec.clear();
  int64_t rows = kUnknownDim;
  for (size_t i = 0; i < state.operands.size(); ++i) {
    const Tensor& operand = state.operands[i];
    Shape shape = operand.shape();
    if (shape.has_rank()) {
      if (shape.rank() == 0)
        throw InvalidArgumentError(
            cat("[TensorSliceDataset] Unbatching a tensor is only supported for rank >= 1, but "
                "component ",
                i, " is a scalar"));
      if (rows != kUnknownDim && shape[0] != kUnknownDim && shape[0] != rows)
        throw InvalidArgumentError(
            cat("[TensorSliceDataset] All components must have the same number of rows, but "
                "component ",
                i, " has ", shape[0], " and those before have ", rows));
      if (shape[0] != kUnknownDim) rows = shape[0];
      shape.remove(0);
    }
    state.spec.push_back({operand.dtype(), shape});
  }
}

int64_t num_rows(const DatasetState& state) { return state.operands[0].dim(0); }

// Row `i`, over the same memory.
Tensor row_of(const Tensor& tensor, const Shape& shape, int64_t i) {
  const int64_t bytes = shape.num_bytes(dtype_size(tensor.dtype()));
  return Tensor::over(tensor.buffer(), tensor.offset() + i * bytes, tensor.dtype(), shape);
}

class SliceIterator final : public NamedIterator {
 public:
  using NamedIterator::NamedIterator;
  bool next(Element& element) override {
    if (given_ == num_rows(*state_)) return false;
    element.clear();
    for (size_t i = 0; i < state_->operands.size(); ++i)
      element.push_back(row_of(state_->operands[i], state_->spec[i].shape, given_));
    ++given_;
    return true;
  }

  int64_t next_rows(BatchBuilder& builder, int64_t most) override {
    const int64_t count = std::min(most, num_rows(*state_) - given_);
    if (count == 0) return 0;
    Element all;
    for (const Tensor& operand : state_->operands) all.push_back(operand);
    builder.add_rows(all, given_, count);
    given_ += count;
    return count;
  }

 private:
  void save_own(StateWriter& out) override { out.number(given_); }
  void restore_own(StateReader& in) override { given_ = in.count(num_rows(*state_)); }

  int64_t given_ = 0;
};

}  // namespace

extern const StageDef kTensor, kTensorSlice;
const StageDef kTensor = {.name = "Tensor",
                          .num_inputs = 0,
                          .num_operands = kAnyNumber,
                          .infer = infer_tensor,
                          .cardinality = [](const DatasetState&) -> int64_t { return 1; },
                          .iterate = make_iterator<TensorIterator>};
const StageDef kTensorSlice = {.name = "TensorSlice",
                               .num_inputs = 0,
                               .num_operands = kAnyNumber,
                               .infer = infer_slices,
                               .cardinality = num_rows,
                               .iterate = make_iterator<SliceIterator>};

}  // namespace penstock::data
