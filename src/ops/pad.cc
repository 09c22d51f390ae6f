// PadV2: a tensor with a margin of one value. MirrorPad: with a margin of its own reflection.
#include <penstock/base/checked.h>
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/fill.h"
#include "kernels/indices.h"
#include "kernels/move.h"

#include "ops/open_dims.h"

namespace penstock {
namespace {

struct Margin {
  int64_t before, after;
};
Margin margin_at(const View& paddings, int axis) {
  return {kernels::index_at(paddings, 2 * axis), kernels::index_at(paddings, 2 * axis + 1)};
}

// The padded shape; check(size, margin) refuses margins that do not suit an axis.
template <typename Check>
void infer_padded(InferContext& ctx, const Check& check) {
  const Shape& shape = ctx.shape(0);
  const Shape& matrix = ctx.shape(1);
  if (!shape.has_rank()) {
    return ctx.add_output(ctx.dtype(0), open_dims(matrix.rank() == 2 ? matrix[0] : kUnknownDim));
  }
  if (matrix.has_rank() && (matrix.rank() != 2 || (matrix[1] != 2 && matrix[1] != kUnknownDim))) {
    ctx.fail("paddings must be a matrix with 2 columns: ", matrix);
  }
  if (matrix.has_rank() && matrix[0] != kUnknownDim && matrix[0] != shape.rank()) {
    ctx.fail("The first dimension of paddings must be the rank of inputs", matrix, " ", shape);
  }
  Shape padded = shape;
  for (int i = 0; i < shape.rank(); ++i) {
    int64_t size = kUnknownDim;
    if (ctx.input(1).data != nullptr) {
      const Margin margin = margin_at(ctx.input(1), i);
      if (margin.before < 0 || margin.after < 0) {
        ctx.fail("Paddings must be non-negative: ", margin.before, " ", margin.after);
      }
      if (shape[i] != kUnknownDim) {
        check(shape[i], margin);
        if (!checked_add(shape[i], margin.before, &size) ||
            !checked_add(size, margin.after, &size)) {
          ctx.fail_size("the padded size of axis ", i);
        }
      }
    }
    padded.set(i, size);
  }
  ctx.add_output(ctx.dtype(0), padded);
}

// Copies the input into the middle of the output. Pre: the input has elements.
void move_to_middle(const View& in, const View& paddings, const View& out) {
  const auto from = row_major_strides(in.shape);
  const auto to = row_major_strides(out.shape);
  kernels::Move box;
  for (int i = 0; i < in.shape.rank(); ++i) {
    const auto k = static_cast<size_t>(i);
    box.add(in.shape[i], from[k], to[k]);
    box.to_start += margin_at(paddings, i).before * to[k];
  }
  kernels::move(box, in.data, out.data, dtype_size(in.dtype));
}

void infer_pad(InferContext& ctx) {
  ctx.check_rank(2, 0);
  infer_padded(ctx, [](int64_t, Margin) {});
}

KernelResult cpu_pad(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  const View& out = ctx.outputs[0];
  const int64_t count = out.size();
  if (in.size() != count) {
    kernels::fill(out.data, ctx.inputs[2].data, dtype_size(out.dtype), count);
  }
  if (in.size() != 0) move_to_middle(in, ctx.inputs[1], out);
  return KernelResult::ok();
}

// The part of dy that the input went to.
Tensor middle_of(const Tensor& dy, const GradContext& g) {
  IntVector begin;
  for (int i = 0; i < dy.rank(); ++i) {
    begin.push_back(static_cast<int64_t>(g.input(1).number_at(2 * i)));
  }
  return slice(dy, Tensor::from<int64_t>(begin, Shape{dy.rank()}), shape_tensor(g.input(0)));
}

Gradients grad_pad(const GradContext& g) {
  const Tensor dy = g.dy();
  const Tensor dx = middle_of(dy, g);
  if (!g.needs(2)) return {dx, {}, {}};
  const Tensor scalar = shape_tensor(Shape{});
  return {dx, {}, sum_to(dy, scalar) - sum_to(dx, scalar)};
}

// The distance of the reflection from its edge: whether the edge itself is repeated.
int64_t edge_offset(const Attr& mode) { return mode.as_string() == "REFLECT" ? 1 : 0; }

void infer_mirror(InferContext& ctx) {
  const std::string_view mode = ctx.attr(0).as_string();
  if (mode != "REFLECT" && mode != "SYMMETRIC") {
    ctx.fail("mode must be REFLECT or SYMMETRIC, but is ", mode);
  }
  const int64_t offset = edge_offset(ctx.attr(0));
  infer_padded(ctx, [&](int64_t size, Margin margin) {
    const int64_t limit = size - offset;
    if (margin.before > limit || margin.after > limit) {
      ctx.fail(offset == 1 ? "paddings must be less than the dimension size: "
                           : "paddings must be no greater than the dimension size: ",
               margin.before, ", ", margin.after,
               offset == 1 ? " not less than " : " greater than ", size);
    }
  });
}

// Copies `count` slices of `axis` of `out` from position `from` on, backwards, to position `to` on.
void reflect(const View& out, int axis, int64_t from, int64_t to, int64_t count) {
  const kernels::AxisParts parts = kernels::parts_at(out.shape, axis);
  kernels::Move box;
  box.add(parts.outer, parts.size * parts.inner, parts.size * parts.inner);
  box.add(count, -parts.inner, parts.inner);
  box.add(parts.inner, 1, 1);
  box.from_start = from * parts.inner;
  box.to_start = to * parts.inner;
  kernels::move(box, out.data, out.data, dtype_size(out.dtype));
}

// The middle first, then the margins from the last axis to the first: the slices that an axis
// reflects have their own margins by then.
KernelResult cpu_mirror(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  const View& out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  const int64_t offset = edge_offset(ctx.attrs[0]);
  move_to_middle(in, ctx.inputs[1], out);
  for (int i = in.shape.rank() - 1; i >= 0; --i) {
    const Margin margin = margin_at(ctx.inputs[1], i);
    const int64_t end = margin.before + in.shape[i];
    reflect(out, i, 2 * margin.before - 1 + offset, 0, margin.before);
    reflect(out, i, end - 1 - offset, end, margin.after);
  }
  return KernelResult::ok();
}

// `x` from `begin` on along an axis.
Tensor part_of(const Tensor& x, int axis, int64_t begin, int64_t size) {
  Shape starts = x.shape();
  for (int i = 0; i < starts.rank(); ++i) starts.set(i, i == axis ? begin : 0);
  Shape sizes = x.shape();
  sizes.set(axis, size);
  return slice(x, shape_tensor(starts), shape_tensor(sizes));
}

Tensor padded_along(const Tensor& x, int axis, int64_t before, int64_t after) {
  IntVector paddings;
  for (int i = 0; i < x.rank(); ++i) {
    paddings.push_back(i == axis ? before : 0);
    paddings.push_back(i == axis ? after : 0);
  }
  return pad(x, Tensor::from<int64_t>(paddings, Shape{x.rank(), 2}), scalar_like(x, 0));
}

// Folds the margins of every axis back onto what they reflect.
Gradients grad_mirror(const GradContext& g) {
  const int64_t offset = edge_offset(g.attr(0));
  Tensor dx = g.dy();
  for (int i = 0; i < dx.rank(); ++i) {
    const auto before = static_cast<int64_t>(g.input(1).number_at(2 * i));
    const auto after = static_cast<int64_t>(g.input(1).number_at(2 * i + 1));
    const int64_t size = g.input(0).shape()[i];
    Tensor folded = part_of(dx, i, before, size);
    if (before > 0) {
      const Tensor margin = reverse(part_of(dx, i, 0, before), {i});
      folded = std::move(folded) + padded_along(margin, i, offset, size - offset - before);
    }
    if (after > 0) {
      const Tensor margin = reverse(part_of(dx, i, before + size, after), {i});
      folded = std::move(folded) + padded_along(margin, i, size - offset - after, offset);
    }
    dx = folded;
  }
  return {dx, {}};
}

SampleInput paddings(std::vector<double> values) {
  const auto rows = static_cast<int64_t>(values.size()) / 2;
  return given(DType::kInt32, {rows, 2}, std::move(values));
}

std::vector<Sample> pad_samples() {
  return {
      {{f32({2, 3}), paddings({1, 0, 2, 1}), f32({})}},
      {{f32({2}), paddings({0, 0}), f32({})}},
      {{f32({}), paddings({}), f32({})}},
      {{f32({0, 2}), paddings({1, 1, 0, 1}), f32({})}},
      {{of(DType::kFloat64, {1, 2, 2}), paddings({0, 1, 1, 1, 0, 2}), of(DType::kFloat64, {})}},
      {{of(DType::kFloat16, {3}), given(DType::kInt64, {1, 2}, {2, 1}), of(DType::kFloat16, {})}},
      {{of(DType::kInt32, {2, 2}), paddings({1, 1, 1, 1}), of(DType::kInt32, {})}},
      {{of(DType::kUInt8, {2, 2}), paddings({0, 1, 1, 0}), of(DType::kUInt8, {})}},
      {{of(DType::kBool, {2}), paddings({1, 1}), of(DType::kBool, {})}},
      {{of(DType::kComplex64, {2}), paddings({1, 1}), of(DType::kComplex64, {})}},
      {{of(DType::kString, {2, 1}), paddings({1, 0, 1, 1}), of(DType::kString, {})}},
      {{f32({256, 256, 4}), paddings({1, 1, 1, 1, 0, 0}), f32({})}, {}, 0, true, true},
  };
}

std::vector<Sample> mirror_samples() {
  return {
      {{f32({3, 4}), paddings({1, 2, 3, 1})}, {{"mode", "REFLECT"}}},
      {{f32({3, 4}), paddings({3, 2, 0, 4})}, {{"mode", "SYMMETRIC"}}},
      {{f32({}), paddings({})}, {{"mode", "REFLECT"}}},
      {{f32({0, 2}), paddings({0, 0, 1, 2})}, {{"mode", "SYMMETRIC"}}},
      {{of(DType::kFloat64, {2, 2, 3}), paddings({1, 1, 0, 1, 2, 2})}, {{"mode", "REFLECT"}}},
      {{of(DType::kBFloat16, {3}), paddings({2, 0})}, {{"mode", "REFLECT"}}},
      {{of(DType::kInt64, {3}), given(DType::kInt64, {1, 2}, {2, 3})}, {{"mode", "SYMMETRIC"}}},
      {{of(DType::kString, {2}), paddings({1, 1})}, {{"mode", "REFLECT"}}},
      {{f32({256, 256, 4}), paddings({1, 1, 1, 1, 0, 0})}, {{"mode", "REFLECT"}}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(pad) = {
    .name = "PadV2",
    .doc = "A tensor with constant_values around it; paddings has a row (before, after) per axis.",
    .inputs = {in("input", kAnyType), host("paddings", kIndexTypes),
               in("constant_values", kAnyType)},
    .infer = infer_pad,
    .cpu = cpu_pad,
    .grad = grad_pad,
    .saves = {.inputs = 1 << 1},
    .samples = pad_samples,
    .graph_name = {"Pad"},
};

PEN_OP_DEF(mirror_pad) = {
    .name = "MirrorPad",
    .doc = "A tensor with its reflection around it; SYMMETRIC repeats the edge, REFLECT does not.",
    .inputs = {in("input", kAnyType), host("paddings", kIndexTypes)},
    .attrs = {string_attr("mode")},
    .infer = infer_mirror,
    .cpu = cpu_mirror,
    .grad = grad_mirror,
    .saves = {.inputs = 1 << 1},
    .samples = mirror_samples,
};

}  // namespace penstock
