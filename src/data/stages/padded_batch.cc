// PaddedBatch: several elements as rows of one, each padded to the size of the largest.
#include <algorithm>
#include <cstring>
#include <vector>

#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "data/batch_builder.h"
#include "data/element.h"
#include "data/items.h"
#include "data/plan_builder.h"
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

enum { kDropRemainder };

// The operands: the batch size, then a shape (a vector; kUnknownDim: as large as needed) and a
// padding value for each component.
size_t shape_operand(size_t component) { return 1 + 2 * component; }
size_t value_operand(size_t component) { return 2 + 2 * component; }

// The padded shape of a component, as far as it is known.
Shape declared_shape(const DatasetState& state, size_t component) {
  const Tensor& dims = state.operands[shape_operand(component)];
  if (dims.shape().has_rank() && dims.rank() != 1)
    throw InvalidArgumentError(
        cat("[PaddedBatchDataset] the padded shape of component ", component, " must be a vector"));
  if (!is_known(state, shape_operand(component))) {
    if (!dims.shape().is_known()) return Shape::unknown_rank();
    return Shape(std::vector<int64_t>(static_cast<size_t>(dims.dim(0)), kUnknownDim));
  }
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < dims.dim(0); ++i)
    sizes.push_back(std::max(kUnknownDim, static_cast<int64_t>(dims.number_at(i))));
  return Shape(std::span<const int64_t>(sizes));
}

void infer(DatasetState& state) {
  const Spec& input = state.input().spec();
  if (state.operands.size() != 1 + 2 * input.size())
    throw InvalidArgumentError(
        cat("[PaddedBatchDataset] takes a padded shape and a padding value for each of ",
            static_cast<int64_t>(input.size()), " components"));
  check_scalar(state, 0, "batch_size");
  if (is_known(state, 0) && state.number(0) <= 0)
    throw InvalidArgumentError("[PaddedBatchDataset] Batch size must be greater than zero.");
  Spec padded = input;
  for (size_t i = 0; i < input.size(); ++i) {
    if (input[i].is_dataset())
      throw InvalidArgumentError("[PaddedBatchDataset] datasets cannot be batched");
    const Tensor& value = state.operands[value_operand(i)];
    if (value.dtype() != input[i].dtype)
      throw TypeError(cat("[PaddedBatchDataset] the padding value of component ", i, " has type ",
                          value.dtype(), ", but the component has type ", input[i].dtype));
    if (value.shape().rank() > 0)
      throw InvalidArgumentError(
          cat("[PaddedBatchDataset] the padding value of component ", i, " must be a scalar"));
    padded[i].shape = declared_shape(state, i);
    if (padded[i].shape.has_rank() && input[i].shape.has_rank() &&
        padded[i].shape.rank() != input[i].shape.rank())
      throw InvalidArgumentError(cat("[PaddedBatchDataset] The padded shape ", padded[i].shape,
                                     " is not compatible with the shape ", input[i].shape,
                                     " of the corresponding input component."));
  }
  const bool is_sized = is_known(state, 0) && state.settings[kDropRemainder] != 0;
  state.spec = batched(padded, is_sized ? state.number(0) : kUnknownDim);
}

int64_t cardinality(const DatasetState& state) {
  const int64_t input = state.input().cardinality(), size = state.number(0);
  if (input < 0) return input;
  return input / size + (state.settings[kDropRemainder] == 0 && input % size != 0);
}

// Writes tensors into rows that are larger, and the padding value around them.
class Padder {
 public:
  Padder(const Tensor& value, const Tensor& rows)
      : value_(value), dtype_(value.dtype()), to_(static_cast<char*>(rows.raw())) {}

  void add(const Tensor& tensor, const Shape& row) {
    from_ = static_cast<const char*>(tensor.raw());
    place(tensor.shape(), row, 0);
  }

 private:
  // The number of elements in the dimensions from `dim` on.
  static int64_t elements_from(const Shape& shape, int dim) {
    int64_t elements = 1;
    for (int i = dim; i < shape.rank(); ++i) elements *= shape[i];
    return elements;
  }

  void place(const Shape& from, const Shape& to, int dim) {
    if (std::equal(from.begin() + dim, from.end(), to.begin() + dim)) {
      copy(elements_from(from, dim));
    } else if (dim + 1 == from.rank()) {
      copy(from[dim]);
      pad(to[dim] - from[dim]);
    } else {
      for (int64_t i = 0; i < from[dim]; ++i) place(from, to, dim + 1);
      pad((to[dim] - from[dim]) * elements_from(to, dim + 1));
    }
  }

  void copy(int64_t elements) {
    const auto bytes = static_cast<size_t>(elements) * dtype_size(dtype_);
    copy_values(dtype_, to_, from_, elements);
    to_ += bytes;
    from_ += bytes;
  }

  void pad(int64_t elements) {
    const size_t size = dtype_size(dtype_);
    if (dtype_ == DType::kString) {
      for (int64_t i = 0; i < elements; ++i, to_ += size) copy_values(dtype_, to_, value_.raw(), 1);
      return;
    }
    const size_t bytes = static_cast<size_t>(elements) * size;
    if (bytes == 0) return;
    std::memcpy(to_, value_.raw(), size);
    for (size_t done = size; done < bytes;) {  // what is there, once more
      const size_t part = std::min(done, bytes - done);
      std::memcpy(to_ + done, to_, part);
      done += part;
    }
    to_ += bytes;
  }

  const Tensor& value_;
  const DType dtype_;
  char* to_;
  const char* from_ = nullptr;
};

class PaddedBatchIterator final : public InputIterator {
 public:
  PaddedBatchIterator(StateRef state, const Scope& scope)
      : InputIterator(std::move(state), scope), size_(static_cast<size_t>(state_->number(0))) {
    for (size_t i = 0; i < state_->spec.size(); ++i)
      declared_.push_back(declared_shape(*state_, i));
  }

  bool next(Element& element) override {
    Elements rows;
    while (rows.size() < size_ && input_->next(element)) {
      scope_.step();
      keep(element);
      rows.push_back(std::move(element));
    }
    if (rows.empty() || (rows.size() < size_ && state_->settings[kDropRemainder] != 0))
      return false;
    Element batch;
    for (size_t i = 0; i < declared_.size(); ++i) batch.push_back(pad(rows, i));
    element = std::move(batch);
    return true;
  }

 private:
  Shape padded_shape(const Elements& rows, size_t component) const {
    Shape shape = declared_[component];
    for (const Element& row : rows) {
      const Tensor& tensor = row[component].tensor;
      if (tensor.rank() != shape.rank())
        throw InvalidArgumentError(cat(
            "[PaddedBatchDataset] All elements in a batch must have the same rank as the padded "
            "shape for component",
            component, ": expected rank ", shape.rank(), " but got element with rank ",
            tensor.rank()));
      for (int i = 0; i < shape.rank(); ++i) {
        const int64_t declared = declared_[component][i];
        if (declared != kUnknownDim && tensor.dim(i) > declared)
          throw DataLossError(
              "[PaddedBatchDataset] Attempted to pad to a smaller size than the input element.");
        shape.set(i, std::max(shape[i], tensor.dim(i)));
      }
    }
    return shape;
  }

  Tensor pad(const Elements& rows, size_t component) const {
    const Shape row = padded_shape(rows, component);
    Shape shape = row;
    shape.insert(0, static_cast<int64_t>(rows.size()));
    Tensor batch = Tensor::empty(state_->spec[component].dtype, shape, Tag::kDataset);
    Padder padder(state_->operands[value_operand(component)], batch);
    for (const Element& each : rows) padder.add(each[component].tensor, row);
    return batch;
  }

  const size_t size_;
  std::vector<Shape> declared_;
};

// The elements of a batch, then the batch.
void plan(const DatasetState& state, PlanBuilder& plan) {
  const int64_t input = state.input().cardinality(), size = state.number(0);
  const int64_t rows = input >= 0 ? std::min(input, size) : size;
  plan.elements(state, "the elements of a batch", rows, state.input().spec(), false);
  Spec padded = state.spec;
  for (ComponentSpec& component : padded) {
    if (component.shape.has_rank()) component.shape.remove(0);
  }
  plan.elements(state, "a batch", rows, padded, false);
}

}  // namespace

extern const StageDef kPaddedBatch;
constexpr Setting kPaddedBatchSettings[] = {{"drop_remainder", 0}};
const StageDef kPaddedBatch = {.name = "PaddedBatch",
                               .num_operands = kAnyNumber,
                               .settings = kPaddedBatchSettings,
                               .infer = infer,
                               .cardinality = cardinality,
                               .iterate = make_iterator<PaddedBatchIterator>,
                               .plan = plan};

}  // namespace penstock::data
