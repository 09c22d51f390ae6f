#include <penstock/exec/deferred_elementwise.h>

#include <algorithm>
#include <atomic>

#include <penstock/base/threads.h>

#include "autodiff/recording.h"
#include "exec/op_call.h"
#include "exec/trace/trace_state.h"

namespace penstock {
namespace {

// Bytes of the intermediate result that exist at a time, per thread: they stay in a near cache.
constexpr int64_t kBlockBytes = 32 * 1024;
constexpr int64_t kBlocksAThread = 8;  // at least

constexpr DTypeSet kDTypes = DTypeSet(DType::kFloat32) | DType::kFloat64;

bool is_plain(const OpDef& op, size_t num_inputs) {
  return op.traits.has(Trait::kElementwise) && !op.traits.has(Trait::kStateful) &&
         op.cpu != nullptr && op.attrs.size() == 0 && op.outputs.size() == 1 &&
         op.inputs.size() == num_inputs && !op.inputs[num_inputs - 1].many;
}

// Whether input `i` of `op` has this dtype, and this shape or a single element.
bool is_in_step(const OpDef& op, size_t i, const Tensor& input, DType dtype, const Shape& shape) {
  return input.has_data() && input.dtype() == dtype && op.inputs[i].dtypes.has(dtype) &&
         (input.rank() == 0 || input.shape() == shape);
}

View part_of(const View& whole, int64_t begin, int64_t count) {
  if (whole.shape.rank() == 0) return whole;
  char* data = whole.as<char>() + begin * dtype_size(whole.dtype);
  return {data, whole.dtype, Shape{count}};
}

// The first error of any thread.
class Problem {
 public:
  bool keep(const KernelResult& result) {
    if (result.problem == nullptr) return false;
    if (!is_set_.exchange(true)) first_ = result;
    return true;
  }
  const KernelResult* get() const { return is_set_ ? &first_ : nullptr; }

 private:
  std::atomic<bool> is_set_{false};
  KernelResult first_;
};

}  // namespace

DeferredElementwise::DeferredElementwise(const OpDef& op, std::span<const Tensor* const> inputs,
                                         const OutputSpec& spec)
    : op_(op), description_(Tensor::over(BufferRef(), 0, spec.dtype, spec.shape)) {
  for (const Tensor* input : inputs) inputs_.push_back(*input);
}

std::unique_ptr<DeferredElementwise> DeferredElementwise::make(
    const OpDef& op, std::span<const Tensor* const> inputs) {
  if (inputs.empty() || inputs.size() > 2 || !is_plain(op, inputs.size()) ||
      autodiff::is_recording() || exec::t_trace != nullptr)
    return nullptr;
  const auto by_rank = [](const Tensor* a, const Tensor* b) { return a->rank() < b->rank(); };
  const Tensor& largest = **std::max_element(inputs.begin(), inputs.end(), by_rank);
  if (!kDTypes.has(largest.dtype())) return nullptr;
  SmallVector<View, 2> views;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_in_step(op, i, *inputs[i], largest.dtype(), largest.shape())) return nullptr;
    views.push_back(inputs[i]->view());
  }
  InferContext infer(op, views, {});
  op.infer(infer);
  const OutputSpec& spec = infer.outputs()[0];
  if (infer.scratch_bytes() > 0 || spec.shares_input >= 0 || spec.dtype != largest.dtype())
    return nullptr;
  return exec::with_op_named(op, [&] {
    return std::unique_ptr<DeferredElementwise>(new DeferredElementwise(op, inputs, spec));
  });
}

Tensor DeferredElementwise::run() const {
  SmallVector<const Tensor*, 2> inputs;
  for (const Tensor& input : inputs_) inputs.push_back(&input);
  return std::move(dispatch(op_, inputs, {})[0]);
}

bool DeferredElementwise::fits(const OpDef& user, const Tensor& left) const {
  return is_plain(user, 2) && !autodiff::is_recording() && exec::t_trace == nullptr &&
         is_in_step(user, 0, left, description_.dtype(), description_.shape()) &&
         user.inputs[1].dtypes.has(description_.dtype());
}

Tensor DeferredElementwise::run_into(const OpDef& user, const Tensor& left, bool is_donated) const {
  uint64_t donated = is_donated ? 1 : 0;
  const bool may_fit = fits(user, left);
  const View operands[] = {may_fit ? left.view() : View(),
                           {nullptr, description_.dtype(), description_.shape()}};
  InferContext infer(user, operands, {});
  if (may_fit) user.infer(infer);
  if (!may_fit || infer.scratch_bytes() > 0 || infer.outputs()[0].shares_input >= 0) {
    const Tensor right = run();
    const Tensor* const inputs[] = {&left, &right};
    return std::move(dispatch(user, inputs, {}, donated | 2)[0]);
  }
  const Tensor* const inputs[] = {&left, &description_};
  const Tensor* donor = nullptr;
  const Tensor output = exec::with_op_named(user, [&] {
    return exec::make_output(user, inputs, donated, 0, infer.outputs()[0], &donor);
  });

  SmallVector<View, 2> sources;
  for (const Tensor& input : inputs_) sources.push_back(input.view());
  const View result = output.view();
  const int64_t size = output.num_elements();
  const int64_t block = kBlockBytes / dtype_size(description_.dtype());
  Problem problem;
  parallel_for((size + block - 1) / block, kBlocksAThread, [&](int64_t first, int64_t last) {
    alignas(64) char between[kBlockBytes];
    for (int64_t i = first; i < last; ++i) {
      const int64_t begin = i * block;
      const int64_t count = std::min(block, size - begin);
      SmallVector<View, 2> parts;
      for (const View& source : sources) parts.push_back(part_of(source, begin, count));
      View middle{between, description_.dtype(), Shape{count}};
      if (problem.keep(op_.cpu({parts, {&middle, 1}, {}, nullptr}))) return;
      const View both[] = {part_of(operands[0], begin, count), middle};
      View out = part_of(result, begin, count);
      if (problem.keep(user.cpu({both, {&out, 1}, {}, nullptr}))) return;
    }
  });
  if (problem.get() != nullptr) exec::fail_kernel(user, *problem.get());
  if (donor != nullptr) exec::take_donated(user, *donor);
  return output;
}

}  // namespace penstock
