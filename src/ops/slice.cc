// Slice: extracts a box.
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/indices.h"
#include "kernels/move.h"
#include "ops/open_dims.h"

namespace penstock {
namespace {

void check_counts(const InferContext& ctx, int rank) {
  for (size_t i : {1, 2}) {
    const Shape& shape = ctx.shape(i);
    if (shape.rank() == 1 && (shape[0] == rank || shape[0] == kUnknownDim)) continue;
    ctx.fail("Expected begin and size arguments to be 1-D tensors of size ", rank,
             ", but got shapes ", ctx.shape(1), " and ", ctx.shape(2), " instead.");
  }
}

// The size of axis `i` of the slice.
int64_t slice_size(const InferContext& ctx, const Shape& whole, int i, int64_t begin,
                   int64_t size) {
  const int64_t dim = whole[i];
  if (dim == kUnknownDim) return size;  // -1, to the end, is unknown then too
  if (begin < 0 || begin > dim) {
    ctx.fail("Expected begin[", i, "] in [0, ", dim, "], but got ", begin);
  }
  if (size < -1 || size > dim - begin) {
    ctx.fail("Expected size[", i, "] in [0, ", dim - begin, "], but got ", size);
  }
  return size == -1 ? dim - begin : size;
}

// True if the slice is contiguous; leading axes of one element do not matter.
bool is_run(const Shape& whole, const Shape& part) {
  int i = 0;
  while (i < part.rank() && part[i] == 1) ++i;
  for (++i; i < part.rank(); ++i) {
    if (part[i] != whole[i]) return false;
  }
  return true;
}

void infer(InferContext& ctx) {
  if (!ctx.shape(0).has_rank() && ctx.shape(1).rank() != 1)
    return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  const Shape whole = ctx.shape(0).has_rank() ? ctx.shape(0) : open_dims(ctx.shape(1)[0]);
  if (!whole.has_rank()) return ctx.add_output(ctx.dtype(0), whole);
  check_counts(ctx, whole.rank());
  bool begin_known = false;
  bool size_known = false;
  const IntVector begin = ctx.ints(1, &begin_known);
  const IntVector size = ctx.ints(2, &size_known);
  Shape part = whole;
  if (!begin_known || !size_known) {
    for (int i = 0; i < part.rank(); ++i) part.set(i, kUnknownDim);
    return ctx.add_output(ctx.dtype(0), part);
  }
  for (int i = 0; i < part.rank(); ++i) {
    const auto k = static_cast<size_t>(i);
    part.set(i, slice_size(ctx, whole, i, begin[k], size[k]));
  }
  if (!part.is_known() || !whole.is_known() || part.num_elements() == 0 || !is_run(whole, part)) {
    return ctx.add_output(ctx.dtype(0), part);
  }
  const auto strides = row_major_strides(whole);
  int64_t start = 0;
  for (size_t k = 0; k < begin.size(); ++k) start += begin[k] * strides[k];
  ctx.share_output(part, 0, start * static_cast<int64_t>(dtype_size(ctx.dtype(0))));
}

KernelResult cpu(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  const View& out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  const auto from = row_major_strides(in.shape);
  const auto to = row_major_strides(out.shape);
  kernels::Move box;
  for (int i = 0; i < in.shape.rank(); ++i) {
    const auto k = static_cast<size_t>(i);
    box.add(out.shape[i], from[k], to[k]);
    box.from_start += kernels::index_at(ctx.inputs[1], i) * from[k];
  }
  kernels::move(box, in.data, out.data, dtype_size(out.dtype));
  return KernelResult::ok();
}

Gradients grad(const GradContext& g) {
  const Shape& whole = g.input(0).shape();
  const Shape& part = g.output().shape();
  IntVector paddings;
  for (int i = 0; i < whole.rank(); ++i) {
    const auto begin = static_cast<int64_t>(g.input(1).number_at(i));
    paddings.push_back(begin);
    paddings.push_back(whole[i] - begin - part[i]);
  }
  const Tensor dy = g.dy();
  return {
      pad(dy, Tensor::from<int64_t>(paddings, Shape{whole.rank(), 2}), scalar_like(dy, 0)), {}, {}};
}

std::vector<Sample> samples() {
  return {
      {{f32({4, 3}), ints({1, 0}), ints({2, 3})}},
      {{f32({4, 3}), ints({1, 1}), ints({-1, 2})}},
      {{f32({2, 3, 4}), ints({0, 1, 2}), ints({2, 1, -1})}},
      {{f32({2, 3}), ints({1, 1}), ints({1, 2})}},
      {{f32({}), ints({}), ints({})}},
      {{f32({3}), ints({3}), ints({0})}},
      {{f32({0, 2}), ints({0, 0}), ints({-1, 1})}},
      {{of(DType::kBFloat16, {3, 3}), ints({0, 1}), ints({3, 2})}},
      {{of(DType::kInt64, {3, 3}), given(DType::kInt64, {2}, {0, 1}),
        given(DType::kInt64, {2}, {-1, 2})}},
      {{of(DType::kBool, {3, 3}), ints({0, 1}), ints({3, 1})}},
      {{of(DType::kComplex128, {3, 3}), ints({0, 1}), ints({3, 1})}},
      {{of(DType::kString, {3, 3}), ints({0, 1}), ints({3, 1})}},
      {{of(DType::kString, {3}), ints({1}), ints({2})}},
      {{f32({512, 512}), ints({0, 100}), ints({512, 300})}, {}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(slice) = {
    .name = "Slice",
    .doc = "The box of the given size from `begin` on; a size of -1 reaches to the end.",
    .inputs = {in("input", kAnyType), host("begin", kIndexTypes), host("size", kIndexTypes)},
    .traits = {Trait::kMoves},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = 1 << 1},
    .samples = samples,
};

}  // namespace penstock
