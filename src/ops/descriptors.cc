#include <penstock/ops/descriptors.h>

#include <algorithm>

#include <penstock/base/check.h>
#include <penstock/ops/op_def.h>
#include <penstock/tensor/tensor.h>

namespace penstock {

const Attr& GraphCall::attr(std::string_view name) const {
  for (size_t i = 0; i < attrs.size(); ++i) {
    if (op.attrs[i].name == name) return attrs[i];
  }
  PEN_CHECK(false);
  return attrs[0];
}

DType GraphCall::dtype() const { return inputs[0]->dtype(); }
const Shape& GraphCall::shape() const { return inputs[0]->shape(); }

int64_t GraphCall::last_size() const {
  return shape().has_rank() && shape().rank() > 0 ? shape()[shape().rank() - 1] : kUnknownDim;
}

bool GraphCall::is_last(int64_t axis) const {
  return axis == -1 || (shape().has_rank() && axis == shape().rank() - 1);
}

bool GraphCall::is_dilated() const {
  const std::span<const int64_t> dilations = attr("dilations").as_ints();
  return is_given(dilations) && std::ranges::any_of(dilations, [](int64_t d) { return d != 1; });
}

}  // namespace penstock
