#include "graph/passes/fold_constants.h"

#include <algorithm>

namespace penstock {
namespace {

// The bytes that the result would add to the graph's constants; none if it cannot be a constant.
std::optional<int64_t> bytes_of(const Call& call) {
  int64_t bytes = 0;
  for (const OutputSpec& output : call.outputs) {
    if (output.shares_input >= 0) continue;
    if (output.dtype == DType::kString) return std::nullopt;
    bytes += output.shape.num_bytes(dtype_size(output.dtype));
  }
  return bytes;
}

bool can_fold(const Graph& graph, const Call& call) {
  if (call.op.traits.has(Trait::kStateful) || call.op.traits.has(Trait::kDynamicShape))
    return false;
  int64_t input_bytes = 0;
  for (ValueId input : call.inputs) {
    if (graph.constant_of(input) == nullptr) return false;
    input_bytes += graph.bytes(input);
  }
  const std::optional<int64_t> bytes = bytes_of(call);
  return bytes && std::max(*bytes, call.scratch_bytes) <= std::max(input_bytes, kSmallConstant);
}

}  // namespace

std::optional<Values> fold_step(Rewriter& rewriter, const Call& call) {
  const Graph& graph = rewriter.graph();
  if (!can_fold(graph, call)) return std::nullopt;
  SmallVector<View, 4> in;
  for (ValueId input : call.inputs) in.push_back(graph.view(input));
  SmallVector<Tensor, 2> results;
  SmallVector<View, 2> out;
  bool needs_kernel = false;
  for (const OutputSpec& output : call.outputs) {
    if (output.shares_input >= 0) {
      const ValueId shared = call.inputs[static_cast<size_t>(output.shares_input)];
      const Tensor& whole = *graph.constant_of(shared);
      results.push_back(Tensor::over(whole.buffer(), whole.offset() + output.share_offset,
                                     output.dtype, output.shape));
    } else {
      needs_kernel = true;
      results.push_back(Tensor::empty(output.dtype, output.shape, Tag::kConstant));
    }
    out.push_back(results.back().view());
  }
  if (needs_kernel) {
    BufferRef scratch;
    if (call.scratch_bytes > 0) {
      scratch = BufferRef(
          allocate_buffer({.bytes = call.scratch_bytes, .device = {}, .tag = Tag::kWorkspace}));
    }
    const KernelResult result =
        call.op.cpu({in, out, call.attrs, scratch ? scratch->data : nullptr});
    if (result.problem != nullptr) return std::nullopt;  // the error belongs to the call
  }
  Values values;
  for (const Tensor& result : results) values.push_back(rewriter.constant(result));
  return values;
}

Graph fold_constants(const Graph& graph) { return rewrite(graph, fold_step); }

}  // namespace penstock
