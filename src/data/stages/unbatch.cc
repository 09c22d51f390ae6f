// Unbatch: the rows of every element. Rebatch: rows in batches of other sizes.
#include <algorithm>

#include <penstock/base/checked.h>
#include <penstock/base/error.h>
#include <penstock/base/strings.h>

#include "data/batch_builder.h"
#include "data/items.h"
#include "data/plan_builder.h"
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

// The rows of the components as far as the spec says; kUnknownDim if it does not.
int64_t static_rows(const Spec& spec, std::string_view stage, bool must_match) {
  int64_t rows = kUnknownDim;
  for (const ComponentSpec& component : spec) {
    if (component.is_dataset() || (component.shape.has_rank() && component.shape.rank() == 0))
      throw InvalidArgumentError(
          cat("[", stage, "Dataset] Cannot unbatch an input with scalar components."));
    if (!component.shape.has_rank() || component.shape[0] == kUnknownDim) continue;
    if (must_match && rows != kUnknownDim && rows != component.shape[0])
      throw InvalidArgumentError(cat("[", stage,
                                     "Dataset] components have different numbers of rows: ", rows,
                                     " and ", component.shape[0]));
    rows = component.shape[0];
  }
  return rows;
}

// The rows of an element.
int64_t rows_of(const Element& element, std::string_view stage) {
  int64_t rows = kUnknownDim;
  for (size_t i = 0; i < element.size(); ++i) {
    const Tensor& tensor = element[i].tensor;
    if (tensor.rank() == 0)
      throw InvalidArgumentError(cat(
          "[", stage, "Dataset] Input element must have a non-scalar value in each component."));
    if (rows != kUnknownDim && tensor.dim(0) != rows)
      throw InvalidArgumentError(cat(
          "[", stage, "Dataset] Input element must have the same batch size in each component. ",
          "Component 0 had size ", rows, " but component ", i, " had size, ", tensor.dim(0), "."));
    rows = tensor.dim(0);
  }
  return rows;
}

// Rows [first, first + count), over the same memory, without the first dimension if it is one row
// by itself.
Tensor rows_from(const Tensor& tensor, int64_t first, int64_t count, bool is_row) {
  Shape shape = tensor.shape();
  shape.remove(0);
  const int64_t bytes = shape.num_bytes(dtype_size(tensor.dtype()));
  if (!is_row) shape.insert(0, count);
  return Tensor::over(tensor.buffer(), tensor.offset() + first * bytes, tensor.dtype(), shape);
}

// An iterator that takes its input's elements apart by rows.
class RowsIterator : public InputIterator {
 public:
  using InputIterator::InputIterator;

 protected:
  // Makes rows left; false at the end.
  bool fetch() {
    while (next_row_ == rows_) {
      scope_.step();
      rows_ = next_row_ = 0;
      current_.clear();
      if (has_ended_) return false;
      if (!input_->next(current_)) {
        has_ended_ = true;
        current_.clear();
        return false;
      }
      rows_ = rows_of(current_, state_->stage->name);
      keep(current_);
    }
    return true;
  }

  void save_own(StateWriter& out) override {
    InputIterator::save_own(out);
    out.number(has_ended_);
    out.number(rows_);
    out.number(next_row_);
    out.element(current_);
  }
  void restore_own(StateReader& in) override {
    InputIterator::restore_own(in);
    has_ended_ = in.count(1) != 0;
    const int64_t rows = in.count(INT64_MAX);
    next_row_ = in.count(rows);
    in.element(current_);
    rows_ = current_.empty() ? 0 : rows_of(current_, state_->stage->name);
    next_row_ = std::min(next_row_, rows_);
    keep(current_);
  }

  Element current_;
  int64_t rows_ = 0, next_row_ = 0;
  bool has_ended_ = false;
};

// Unbatch.

void infer_unbatch(DatasetState& state) {
  state.spec = state.input().spec();
  static_rows(state.spec, "Unbatch", true);
  for (ComponentSpec& component : state.spec) {
    if (component.shape.has_rank()) component.shape.remove(0);
  }
}

int64_t cardinality_of_unbatch(const DatasetState& state) {
  const int64_t input = state.input().cardinality();
  if (input == kInfinite) return kInfinite;
  const int64_t rows = static_rows(state.input().spec(), "Unbatch", false);
  int64_t all;
  return input < 0 || rows <= 0 || !checked_mul(input, rows, &all) ? kUnknown : all;
}

class UnbatchIterator final : public RowsIterator {
 public:
  using RowsIterator::RowsIterator;
  bool next(Element& element) override {
    if (!fetch()) return false;
    element.clear();
    for (const Component& component : current_)
      element.push_back(rows_from(component.tensor, next_row_, 1, true));
    ++next_row_;
    return true;
  }
};

void plan_rows(const DatasetState& state, PlanBuilder& plan) {
  plan.elements(state, "the current element", 1, state.input().spec(), false);
}

// Rebatch.

enum { kDropRemainder };

void check_sizes(const Tensor& sizes) {
  if (sizes.rank() != 1 || sizes.dim(0) == 0)
    throw InvalidArgumentError("[RebatchDataset] batch_sizes must be a vector of at least one");
  bool is_positive = false;
  for (int64_t i = 0; i < sizes.dim(0); ++i) {
    const double size = sizes.number_at(i);
    if (size < 0) throw InvalidArgumentError("[RebatchDataset] batch sizes must not be negative");
    is_positive = is_positive || size > 0;
  }
  if (!is_positive)
    throw InvalidArgumentError("[RebatchDataset] some batch size must be greater than zero");
}

// The size of all batches, if the parts say so.
int64_t static_size(const DatasetState& state) {
  if (!is_known(state, 0)) return kUnknownDim;
  const Tensor& sizes = state.operands[0];
  const auto size = static_cast<int64_t>(sizes.number_at(0));
  for (int64_t i = 1; i < sizes.dim(0); ++i) {
    if (static_cast<int64_t>(sizes.number_at(i)) != size) return kUnknownDim;
  }
  if (state.settings[kDropRemainder] != 0) return size;
  const int64_t rows = static_rows(state.input().spec(), "Rebatch", true);
  return rows != kUnknownDim && rows % size == 0 ? size : kUnknownDim;
}

void infer_rebatch(DatasetState& state) {
  state.spec = state.input().spec();
  static_rows(state.spec, "Rebatch", true);
  if (is_known(state, 0)) check_sizes(state.operands[0]);
  const int64_t size = static_size(state);
  for (ComponentSpec& component : state.spec) {
    if (component.shape.has_rank()) component.shape.set(0, size);
  }
}

class RebatchIterator final : public RowsIterator {
 public:
  RebatchIterator(StateRef state, const Scope& scope) : RowsIterator(std::move(state), scope) {
    const Tensor& sizes = state_->operands[0];
    for (int64_t i = 0; i < sizes.dim(0); ++i)
      sizes_.push_back(static_cast<int64_t>(sizes.number_at(i)));
  }

  bool next(Element& element) override {
    if (has_ended_ && next_row_ == rows_) return false;  // even where an empty batch is due
    const int64_t size = sizes_[at_];
    at_ = at_ + 1 == sizes_.size() ? 0 : at_ + 1;
    if (!fetch()) return false;
    if (size == 0) {
      make_empty(element);
      return true;
    }
    if (rows_ - next_row_ >= size) {  // one slice
      element.clear();
      for (const Component& component : current_)
        element.push_back(rows_from(component.tensor, next_row_, size, false));
      next_row_ += size;
      return true;
    }
    BatchBuilder builder(size);
    while (!builder.is_full() && fetch()) {
      const int64_t count = std::min(size - builder.size(), rows_ - next_row_);
      const int64_t first = next_row_;
      next_row_ += count;
      builder.add_rows(current_, first, count);
    }
    if (!builder.is_full() && state_->settings[kDropRemainder] != 0) return false;
    element = builder.take();
    return true;
  }

 private:
  // No rows of the spec's shape; dimensions that it does not tell are 0.
  void make_empty(Element& element) const {
    element.clear();
    for (const ComponentSpec& component : state_->spec) {
      Shape shape = component.shape.has_rank() ? component.shape : Shape{0};
      for (int i = 0; i < shape.rank(); ++i) {
        if (i == 0 || shape[i] == kUnknownDim) shape.set(i, 0);
      }
      element.push_back(Tensor::empty(component.dtype, shape));
    }
  }

  void save_own(StateWriter& out) override {
    RowsIterator::save_own(out);
    out.number(static_cast<int64_t>(at_));
  }
  void restore_own(StateReader& in) override {
    RowsIterator::restore_own(in);
    at_ = static_cast<size_t>(in.count(static_cast<int64_t>(sizes_.size()) - 1));
  }

  std::vector<int64_t> sizes_;
  size_t at_ = 0;
};

void plan_rebatch(const DatasetState& state, PlanBuilder& plan) {
  plan_rows(state, plan);
  const Tensor& sizes = state.operands[0];
  int64_t most = 0;
  for (int64_t i = 0; i < sizes.dim(0); ++i)
    most = std::max(most, static_cast<int64_t>(sizes.number_at(i)));
  Spec row = state.spec;
  for (ComponentSpec& component : row) {
    if (component.shape.has_rank()) component.shape.remove(0);
  }
  plan.elements(state, "a batch", most, row, false);
}

}  // namespace

extern const StageDef kUnbatch, kRebatch;
const StageDef kUnbatch = {.name = "Unbatch",
                           .infer = infer_unbatch,
                           .cardinality = cardinality_of_unbatch,
                           .iterate = make_iterator<UnbatchIterator>,
                           .plan = plan_rows};
constexpr Setting kRebatchSettings[] = {{"drop_remainder", 0}};
const StageDef kRebatch = {.name = "Rebatch",
                           .num_operands = 1,
                           .settings = kRebatchSettings,
                           .infer = infer_rebatch,
                           .cardinality = [](const DatasetState&) -> int64_t { return kUnknown; },
                           .iterate = make_iterator<RebatchIterator>,
                           .plan = plan_rebatch};

}  // namespace penstock::data
