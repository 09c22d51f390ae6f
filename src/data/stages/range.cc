// Range: whole numbers from `start` up or down to `stop`.
#include <algorithm>

#include <penstock/base/error.h>

#include "data/batch_builder.h"
#include "data/stage_iterator.h"

namespace penstock::data {
namespace {

enum { kStart, kStop, kStep };

// The number of elements. The differences are taken as unsigned numbers: they may not fit.
int64_t count_of(const DatasetState& state) {
  const int64_t start = state.number(kStart), stop = state.number(kStop);
  const int64_t step = state.number(kStep);
  if (step > 0 ? start >= stop : start <= stop) return 0;
  const auto distance = step > 0 ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start)
                                 : static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
  const uint64_t stride =
      step > 0 ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
  const uint64_t count = (distance - 1) / stride + 1;
  return count > INT64_MAX ? INT64_MAX : static_cast<int64_t>(count);
}

void infer(DatasetState& state) {
  for (size_t i = 0; i < 3; ++i) check_scalar(state, i, "each argument");
  if (is_known(state, kStep) && state.number(kStep) == 0)
    throw InvalidArgumentError("[RangeDataset] step must be a non-zero integer.");
  const DType dtype =
      state.settings[0] == 0 ? DType::kInt64 : static_cast<DType>(state.settings[0]);
  state.spec = {{dtype, Shape{}}};
}

class RangeIterator final : public NamedIterator {
 public:
  RangeIterator(StateRef state, const Scope& scope)
      : NamedIterator(std::move(state), scope),
        start_(state_->number(kStart)),
        step_(state_->number(kStep)),
        count_(count_of(*state_)),
        dtype_(state_->spec[0].dtype) {}

  bool next(Element& element) override {
    if (given_ == count_) return false;
    const int64_t value = start_ + given_ * step_;
    if (is_reusable(element)) {
      element[0].tensor = Tensor::over(element[0].tensor.buffer(), 0, DType::kInt64, Shape{});
      *static_cast<int64_t*>(element[0].tensor.raw()) = value;
    } else {
      Tensor tensor = dtype_ == DType::kInt64 ? Tensor(value)
                                              : Tensor::scalar(dtype_, static_cast<double>(value));
      element.clear();
      element.push_back(std::move(tensor));
    }
    ++given_;
    return true;
  }

  int64_t next_rows(BatchBuilder& builder, int64_t most) override {
    if (dtype_ != DType::kInt64) return kNoRows;
    const int64_t count = std::min(most, count_ - given_);
    if (count == 0) return 0;
    auto* const values = static_cast<int64_t*>(builder.add_scalars(DType::kInt64, count));
    for (int64_t i = 0; i < count; ++i) values[i] = start_ + (given_ + i) * step_;
    given_ += count;
    return count;
  }

 private:
  // Whether the element before was such a number, which nobody else has any more.
  bool is_reusable(const Element& element) const {
    if (dtype_ != DType::kInt64 || element.size() != 1 || element[0].dataset != nullptr)
      return false;
    const Tensor& tensor = element[0].tensor;
    return tensor.dtype() == DType::kInt64 && tensor.rank() == 0 && tensor.can_be_overwritten() &&
           tensor.buffer()->tag == Tag::kActivation &&
           tensor.buffer()->bytes == static_cast<int64_t>(sizeof(int64_t)) &&
           !tensor.buffer()->is_followed.load(std::memory_order_relaxed);
  }

  void save_own(StateWriter& out) override { out.number(given_); }
  void restore_own(StateReader& in) override { given_ = in.count(count_); }

  const int64_t start_, step_, count_;
  const DType dtype_;
  int64_t given_ = 0;
};

}  // namespace

extern const StageDef kRange;
constexpr Setting kRangeSettings[] = {{"dtype", 0}};
const StageDef kRange = {.name = "Range",
                         .num_inputs = 0,
                         .num_operands = 3,
                         .settings = kRangeSettings,
                         .infer = infer,
                         .cardinality = count_of,
                         .iterate = make_iterator<RangeIterator>};

}  // namespace penstock::data
