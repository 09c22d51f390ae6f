// Names that depend on how an op is called: where TensorFlow's function makes several nodes of it,
// which ones they are may depend on attributes and on the inputs.
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
  // What the result is called within the call's name; empty: that name itself.
  std::string_view result;
  // Names that are taken next to the call's, separated by spaces.
  std::string_view beside;
  // What the result is called next to the call's name, unless it was given one.
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
