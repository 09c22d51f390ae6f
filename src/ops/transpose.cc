// Transpose: permutes the axes.
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/move.h"

namespace penstock {
namespace {

// The axis of the input for axis `i` of the output. Pre: infer has checked `perm`.
int source_axis(std::span<const int64_t> perm, int rank, int i) {
  if (!is_given(perm)) return rank - 1 - i;
  const int64_t axis = perm[static_cast<size_t>(i)];
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

void check_perm(const InferContext& ctx, std::span<const int64_t> perm, int rank) {
  if (!is_given(perm)) return;
  if (static_cast<int64_t>(perm.size()) != rank) {
    ctx.fail("transpose expects a vector of size ", rank, ". But input(1) is a vector of size ",
             perm.size());
  }
  for (int64_t axis : perm) {
    if (axis < -rank || axis >= rank) ctx.fail(axis, " is out of range [0 .. ", rank, ")");
  }
  uint32_t seen = 0;
  for (int i = 0; i < rank; ++i) seen |= 1u << source_axis(perm, rank, i);
  for (int i = 0; i < rank; ++i) {
    if (((seen >> i) & 1) == 0) ctx.fail(i, " is missing from ", ctx.attr(0));
  }
}

void infer(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  if (!shape.has_rank()) return ctx.add_output(ctx.dtype(0), shape);
  const int rank = shape.rank();
  const std::span<const int64_t> perm = ctx.attr(0).as_ints();
  check_perm(ctx, perm, rank);
  Shape permuted;
  bool stays = shape.is_known();  // axes of one element may go anywhere without moving the data
  int before = -1;
  for (int i = 0; i < rank; ++i) {
    const int axis = source_axis(perm, rank, i);
    permuted.append(shape[axis]);
    if (shape[axis] == 1) continue;
    stays = stays && axis > before;
    before = axis;
  }
  if (stays) return ctx.share_output(permuted);
  ctx.add_output(ctx.dtype(0), permuted);
}

KernelResult cpu(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  const View& out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  const int rank = in.shape.rank();
  const auto from = row_major_strides(in.shape);
  const auto to = row_major_strides(out.shape);
  kernels::Move box;
  for (int i = 0; i < rank; ++i) {
    const int axis = source_axis(ctx.attrs[0].as_ints(), rank, i);
    box.add(out.shape[i], from[static_cast<size_t>(axis)], to[static_cast<size_t>(i)]);
  }
  kernels::move(box, in.data, out.data, dtype_size(in.dtype));
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) {
  const std::span<const int64_t> perm = g.attr(0).as_ints();
  if (!is_given(perm)) return {transpose(g.dy())};
  const int rank = g.input(0).rank();
  IntVector inverse;
  inverse.resize(perm.size());
  for (int i = 0; i < static_cast<int>(perm.size()); ++i) {
    inverse[static_cast<size_t>(source_axis(perm, rank, i))] = i;
  }
  return {transpose(g.dy(), std::span<const int64_t>(inverse))};
}

std::vector<Sample> samples() {
  using Perm = std::vector<int64_t>;
  return {
      {{f32({2, 3})}},
      {{f32({2, 3, 4})}},
      {{f32({2, 3, 4})}, {{"perm", Perm{1, 0, 2}}}},
      {{f32({2, 3, 4})}, {{"perm", Perm{0, 2, 1}}}},
      {{f32({2, 1, 3, 2})}, {{"perm", Perm{3, 1, 0, 2}}}},
      {{f32({5, 7})}},
      {{f32({1, 3})}, {{"perm", Perm{1, 0}}}},
      {{f32({})}},
      {{f32({0, 3})}},
      {{of(DType::kFloat64, {3, 2, 2})}, {{"perm", Perm{-1, 0, 1}}}},
      {{of(DType::kFloat16, {3, 2})}},
      {{of(DType::kInt64, {3, 2})}},
      {{of(DType::kUInt8, {3, 2, 3})}, {{"perm", Perm{2, 0, 1}}}},
      {{of(DType::kBool, {3, 2})}},
      {{of(DType::kComplex64, {3, 2})}},
      {{of(DType::kComplex128, {3, 2})}},
      {{of(DType::kString, {3, 2})}},
      {{f32({1024, 1024})}, {}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(transpose) = {
    .name = "Transpose",
    .doc = "The axes in the order `perm`; the other way round when it is not given.",
    .inputs = {in("x", kAnyType)},
    .attrs = {ints_attr("perm", kOptionalInts)},
    .traits = {Trait::kMoves, Trait::kCannotFail, Trait::kPermutes},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .samples = samples,
    .graph_name = {.scope = "transpose", .attr_inputs = {{"perm", "perm"}}},
};

}  // namespace penstock
