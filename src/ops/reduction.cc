#include "ops/reduction.h"

#include <penstock/ops/grad_helpers.h>

namespace penstock {

void infer_reduction(InferContext& ctx) {
  const Shape& in = ctx.shape(0);
  if (!in.has_rank()) return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  const uint32_t axes = ctx.axes(ctx.attr(0).as_ints(), in.rank());
  const bool keeps = ctx.attr(1).as_bool();
  Shape out;
  bool is_same_data = true;
  for (int i = 0; i < in.rank(); ++i) {
    const bool is_reduced = ((axes >> i) & 1) != 0;
    if (!is_reduced) out.append(in[i]);
    if (is_reduced && keeps) out.append(1);
    is_same_data = is_same_data && (!is_reduced || in[i] == 1);
  }
  if (is_same_data) return ctx.share_output(out);
  ctx.add_output(ctx.dtype(0), out);
}

uint32_t reduced_axes(Attrs attrs, int rank) {
  const std::span<const int64_t> axes = attrs[0].as_ints();
  if (is_every_axis(axes)) return (1u << rank) - 1;
  uint32_t bits = 0;
  for (int64_t axis : axes) bits |= 1u << (axis < 0 ? axis + rank : axis);
  return bits;
}

Tensor with_reduced_axes(const GradContext& g, const Tensor& reduced) {
  Shape shape = g.input(0).shape();
  const uint32_t axes = reduced_axes(g.attrs(), shape.rank());
  for (int i = 0; i < shape.rank(); ++i) {
    if (((axes >> i) & 1) != 0) shape.set(i, 1);
  }
  return shape == reduced.shape() ? reduced : reshape(reduced, shape_tensor(shape));
}

Tensor spread(const GradContext& g, const Tensor& reduced) {
  return broadcast_to(with_reduced_axes(g, reduced), shape_tensor(g.input(0)));
}

}  // namespace penstock
