// Helpers shared by all ways of running an op.
#pragma once

#include <span>
#include <vector>

#include <penstock/base/error.h>
#include <penstock/ops/context.h>
#include <penstock/ops/dispatch.h>

namespace penstock::exec {

using TensorPointers = SmallVector<const Tensor*, 8>;
inline TensorPointers pointers_to(std::span<const Tensor> tensors) {
  TensorPointers pointers;
  for (const Tensor& tensor : tensors) pointers.push_back(&tensor);
  return pointers;
}
inline std::vector<Tensor> tensors_at(std::span<const Tensor* const> pointers) {
  std::vector<Tensor> tensors;
  for (const Tensor* tensor : pointers) tensors.push_back(*tensor);
  return tensors;
}

// The tag of op results on this thread (see TagScope).
extern constinit thread_local Tag t_tag;

// The op's owner slot in the ledger.
ledger::Owner owner_of(const OpDef& op);

// Output `i`: aliased, taken over from a donated input (then `*donor` is that input), or new.
Tensor make_output(const OpDef& op, std::span<const Tensor* const> inputs, uint64_t& donated,
                   size_t i, const OutputSpec& spec, const Tensor** donor);

// Removes the data from a donated input whose buffer a result of `op` has taken over.
void take_donated(const OpDef& op, const Tensor& input);

[[noreturn]] void fail_kernel(const OpDef& op, const KernelResult& result);
[[noreturn]] void name_the_op(const OpDef& op, const ResourceExhaustedError& error);

// Runs `body`; an out-of-memory error names the op.
template <typename Body>
auto with_op_named(const OpDef& op, Body&& body) {
  try {
    return with_memory_errors(op.name, body);
  } catch (const ResourceExhaustedError& error) {
    name_the_op(op, error);
  }
}

}  // namespace penstock::exec
