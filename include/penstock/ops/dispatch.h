// dispatch: the single entry point that runs an op, for every caller. Implemented by exec/.
#pragma once

#include <cstdint>
#include <span>

#include <penstock/base/export.h>
#include <penstock/base/small_vector.h>
#include <penstock/core/attr.h>
#include <penstock/ops/op_def.h>
#include <penstock/tensor/tensor.h>

namespace penstock {

// Runs `op`: checks, infers, allocates or forwards, runs the kernel, posts to the ledger, notifies
// the tapes. `attrs` are all of the op's attributes, in its order. Bit i of `donated` donates input
// i: if the op can run in place and nobody else holds the data, the result takes its buffer and the
// input is left without data. If this throws, every input is unchanged.
PEN_API Tensors dispatch(const OpDef& op, std::span<const Tensor* const> inputs, Attrs attrs,
                         uint64_t donated = 0);

// While it exists, results of ops on this thread are booked under this tag.
class PEN_API TagScope {
 public:
  explicit TagScope(Tag tag);
  ~TagScope();
  TagScope(const TagScope&) = delete;
  TagScope& operator=(const TagScope&) = delete;

 private:
  Tag before_;
};

}  // namespace penstock
