#include "run.h"

#include <algorithm>

#include <penstock/exec/function.h>
#include <penstock/exec/trace.h>

namespace penstock::python {
namespace {

// The product of a host input's values: for a shape, the number of elements that the op will write.
int64_t host_product(const Tensor& tensor) {
  const int64_t count = tensor.num_elements();
  if (!tensor.has_data() || count > kMaxRank || !kIndexTypes.has(tensor.dtype())) return 0;
  int64_t product = 1;
  for (int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<int64_t>(tensor.number_at(i));
    if (value <= 0 || __builtin_mul_overflow(product, value, &product)) return 0;
  }
  return product;
}

bool is_worth_releasing(const OpDef& op, std::span<const Tensor* const> inputs) {
  int64_t bytes = 0;
  for (const Tensor* input : inputs) {
    if (input->has_data()) bytes += input->num_bytes();
  }
  if (bytes >= kBytesWorthReleasing) return true;
  for (size_t i = 0; i < op.inputs.size() && i < inputs.size(); ++i) {
    if (op.inputs[i].host && host_product(*inputs[i]) >= kBytesWorthReleasing / 4) return true;
  }
  return false;
}

}  // namespace

Tensors run(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs, uint64_t donated) {
  // A trace needs the GIL to look up the current line.
  const WithoutGil released(!Trace::is_open() && is_worth_releasing(op, inputs));
  return dispatch(op, inputs, attrs, donated);
}

}  // namespace penstock::python
