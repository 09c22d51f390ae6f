// DeferredElementwise: a call that is postponed until the op that uses its result, such as the
// square in a - square(b). The two run block by block, and the square never exists in full.
#pragma once

#include <memory>
#include <span>

#include <penstock/base/export.h>
#include <penstock/ops/dispatch.h>

namespace penstock {

struct OutputSpec;

// An elementwise call that has been checked but not run. It keeps its inputs alive.
class PEN_API DeferredElementwise {
 public:
  // Null if the call cannot be deferred: its op is not plainly elementwise, its inputs are not
  // floats of one shape (or single numbers), or a tape records. Throws the op's own errors.
  static std::unique_ptr<DeferredElementwise> make(const OpDef& op,
                                                   std::span<const Tensor* const> inputs);

  // The result's dtype and shape, without data.
  const Tensor& description() const { return description_; }

  // The result itself.
  Tensor run() const;
  // The result of `user` with `left` as its first input and this call's result as its second. A
  // donated `left` may be overwritten, as in dispatch.
  Tensor run_into(const OpDef& user, const Tensor& left, bool is_donated) const;

 private:
  DeferredElementwise(const OpDef& op, std::span<const Tensor* const> inputs,
                      const OutputSpec& spec);
  bool fits(const OpDef& user, const Tensor& left) const;

  const OpDef& op_;
  Tensors inputs_;
  Tensor description_;
};

}  // namespace penstock
