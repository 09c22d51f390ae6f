// DeferredElementwise: a call that waits for the op which uses its result: in a - square(b), the
// square. The two then run block by block, and the square is never whole in memory.
#pragma once

#include <memory>
#include <span>

#include <penstock/base/export.h>
#include <penstock/ops/dispatch.h>

namespace penstock {

struct OutputSpec;

// An elementwise call that has been checked and not been run. It keeps its inputs alive.
class PEN_API DeferredElementwise {
 public:
  // Null where the call cannot wait: its op is not a plain elementwise one, its inputs are not
  // floats of one shape (or single numbers), or a tape listens. Throws what the op itself refuses.
  static std::unique_ptr<DeferredElementwise> make(const OpDef& op,
                                                   std::span<const Tensor* const> inputs);

  // The result's dtype and shape, without data.
  const Tensor& description() const { return description_; }

  // The result itself.
  Tensor run() const;
  // The result of `user` with `left` as its first input and ours as its second. When `left` is
  // donated it may be taken over, as by dispatch.
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
