// ReverseSequence: reverses the first elements of each sequence.
#include <algorithm>

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/indices.h"
#include "kernels/move.h"

namespace penstock {
namespace {

int counted(int64_t axis, int rank) { return static_cast<int>(axis < 0 ? axis + rank : axis); }

void infer(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  ctx.check_rank(1, 1);
  if (!shape.has_rank()) return ctx.add_output(ctx.dtype(0), shape);
  const int seq = ctx.axis(ctx.attr(0).as_int(), shape.rank());
  const int batch = ctx.axis(ctx.attr(1).as_int(), shape.rank());
  if (seq == batch) ctx.fail("batch_dim == seq_dim == ", seq);
  const int64_t lengths = ctx.shape(1).has_rank() ? ctx.shape(1)[0] : kUnknownDim;
  if (lengths != kUnknownDim && shape[batch] != kUnknownDim && lengths != shape[batch]) {
    ctx.fail("Length of seq_lengths != input.dims(", batch, "), (", lengths, " vs. ", shape[batch],
             ")");
  }
  ctx.add_output(ctx.dtype(0), shape);
  if (shape[batch] == kUnknownDim) ctx.outputs()[0].shape.set(batch, lengths);
}

// Two boxes per sequence: one reversed, and the rest unchanged.
KernelResult cpu(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  const View& lengths = ctx.inputs[1];
  const int rank = in.shape.rank();
  const int seq = counted(ctx.attrs[0].as_int(), rank);
  const int batch = counted(ctx.attrs[1].as_int(), rank);
  for (int64_t b = 0; b < lengths.size(); ++b) {
    const int64_t length = kernels::index_at(lengths, b);
    if (length < 0) return KernelResult::invalid("seq_lens({}) < 0", b);
    if (length > in.shape[seq]) {
      return KernelResult::invalid("seq_lens({}) > input.dims({}): {}", b, seq, length);
    }
  }
  if (in.size() == 0) return KernelResult::ok();
  const auto strides = row_major_strides(in.shape);
  for (int64_t b = 0; b < in.shape[batch]; ++b) {
    const int64_t length = kernels::index_at(lengths, b);
    for (const bool reversed : {true, false}) {
      kernels::Move box;
      box.from_start = box.to_start = b * strides[static_cast<size_t>(batch)];
      for (int i = 0; i < rank; ++i) {
        if (i == batch) continue;
        const int64_t stride = strides[static_cast<size_t>(i)];
        if (i != seq) {
          box.add(in.shape[i], stride, stride);
        } else if (reversed) {
          box.add(length, -stride, stride);
          box.from_start += std::max<int64_t>(length - 1, 0) * stride;
        } else {
          box.add(in.shape[i] - length, stride, stride);
          box.from_start += length * stride;
          box.to_start += length * stride;
        }
      }
      kernels::move(box, in.data, ctx.outputs[0].data, dtype_size(in.dtype));
    }
  }
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) {
  return {reverse_sequence(g.dy(), g.input(1), g.attr(0).as_int(), g.attr(1).as_int()), {}};
}

std::vector<Sample> samples() {
  return {
      {{f32({2, 4}), ints({3, 0})}, {{"seq_dim", 1}}},
      {{f32({4, 3}), ints({4, 1, 2})}, {{"seq_dim", 0}, {"batch_dim", 1}}},
      {{f32({2, 3, 4}), given(DType::kInt64, {2}, {2, 4})}, {{"seq_dim", -1}}},
      {{f32({3, 2, 2}), ints({3, 2})}, {{"seq_dim", 0}, {"batch_dim", -1}}},
      {{f32({0, 3}), i32({0})}, {{"seq_dim", 1}}},
      {{of(DType::kFloat64, {2, 3}), ints({2, 3})}, {{"seq_dim", 1}}},
      {{of(DType::kFloat16, {2, 3}), ints({2, 3})}, {{"seq_dim", 1}}},
      {{of(DType::kInt64, {2, 3}), ints({2, 3})}, {{"seq_dim", 1}}},
      {{of(DType::kUInt8, {2, 3}), ints({2, 3})}, {{"seq_dim", 1}}},
      {{of(DType::kBool, {2, 3}), ints({2, 3})}, {{"seq_dim", 1}}},
      {{of(DType::kComplex128, {2, 3}), ints({2, 3})}, {{"seq_dim", 1}}},
      {{of(DType::kString, {2, 3}), ints({2, 3})}, {{"seq_dim", 1}}},
      {{f32({64, 128, 64}), i32({64}, 0, 128)}, {{"seq_dim", 1}}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(reverse_sequence) = {
    .name = "ReverseSequence",
    .doc = "For each slice along batch_dim, its first seq_lengths[i] elements of seq_dim reversed.",
    .inputs = {in("input", kAnyType), in("seq_lengths", kIndexTypes, 'I')},
    .attrs = {int_attr("seq_dim"), int_attr("batch_dim", 0)},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = 0b10},
    .samples = samples,
};

}  // namespace penstock
