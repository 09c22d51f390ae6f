// Names that depend on the call: TensorFlow's function may create several nodes for an op,
// depending on its attributes and inputs.
#pragma once

#include <span>
#include <string_view>

#include <penstock/core/attr.h>
#include <penstock/ops/op_def.h>
#include <penstock/tensor/tensor.h>

namespace penstock::exec {

struct OpCall {
  const OpDef& op;
  std::span<const Tensor* const> inputs;
  Attrs attrs;

  const Attr& attr(std::string_view name) const;
  // Of the first input.
  DType dtype() const { return inputs[0]->dtype(); }
  const Shape& shape() const { return inputs[0]->shape(); }
};

struct LateName {
  // The result's name within the call's name; empty: that name itself.
  std::string_view result;
  // Names reserved next to the call's, separated by spaces.
  std::string_view beside;
  // The result's name next to the call's, unless one was given.
  std::string_view usual;
};
using LateNameFn = LateName (*)(const OpCall& call);

LateName late_gelu(const OpCall& call);
LateName late_swish(const OpCall& call);
LateName late_norm(const OpCall& call);
LateName late_softmax(const OpCall& call);
LateName late_sort(const OpCall& call);
LateName late_argsort(const OpCall& call);
LateName late_searchsorted(const OpCall& call);
LateName late_tensordot(const OpCall& call);
LateName late_count_nonzero(const OpCall& call);
LateName late_convolution(const OpCall& call);
LateName late_sequence_mask(const OpCall& call);
LateName late_nce_loss(const OpCall& call);
LateName late_frame(const OpCall& call);
LateName late_window(const OpCall& call);
LateName late_xor(const OpCall& call);
LateName late_atrous(const OpCall& call);
LateName late_atrous_transpose(const OpCall& call);
LateName late_depthwise(const OpCall& call);
LateName late_dct(const OpCall& call);
LateName late_idct(const OpCall& call);
LateName late_overlap(const OpCall& call);

}  // namespace penstock::exec
