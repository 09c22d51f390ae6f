// ComposeContext: the argument of OpDef.compose. A composed op is a function of other ops: its
// shapes, gradient, memory and plan are theirs, and no tape or graph ever holds the op itself.
#pragma once

#include <span>

#include <penstock/base/export.h>
#include <penstock/ops/context.h>
#include <penstock/ops/dispatch.h>
#include <penstock/ops/grad_helpers.h>

namespace penstock {

class PEN_API ComposeContext : public InferContext {
 public:
  ComposeContext(const OpDef& op, std::span<const Tensor* const> inputs,
                 std::span<const View> views, Attrs attrs)
      : InferContext(op, views, attrs), tensors_(inputs) {}

  const Tensor& tensor(size_t i) const { return *tensors_[i]; }
  // Inputs from `first` on: the contents of a `many` input.
  Tensors tensors_from(size_t first) const;
  // The values of host input `i`.
  IntVector values(size_t i) const;
  // Throws UnimplementedError if the values of host input `i` are not known.
  void need_values(size_t i) const;

 private:
  std::span<const Tensor* const> tensors_;
};

}  // namespace penstock
