// GatherV2: slices of a tensor picked by indices along an axis.
#include <algorithm>

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/gather.h"
#include "kernels/move.h"

namespace penstock {
namespace {

int counted(int64_t axis, int rank) { return static_cast<int>(axis < 0 ? axis + rank : axis); }

// batch_dims, counted from the end of indices' axes when negative.
int batch_dims_of(const InferContext& ctx, int axis) {
  const Shape& params = ctx.shape(0);
  const Shape& indices = ctx.shape(1);
  const int64_t batch_dims = ctx.attr(1).as_int();
  if (batch_dims < -indices.rank() || batch_dims > indices.rank()) {
    ctx.fail("Expected batch_dims in the range [", -indices.rank(), ", ", indices.rank(),
             "], but got ", batch_dims);
  }
  const int count = counted(batch_dims, indices.rank());
  if (count > axis) {
    ctx.fail("batch_dims (", count, ") must be less than or equal to axis (", axis, ").");
  }
  for (int i = 0; i < count; ++i) {
    if (params[i] != indices[i] && params[i] != kUnknownDim && indices[i] != kUnknownDim) {
      ctx.fail("params.shape[", i, "]: ", params[i], " should be equal to indices.shape[", i,
               "]: ", indices[i]);
    }
  }
  return count;
}

void infer(InferContext& ctx) {
  const Shape& params = ctx.shape(0);
  const Shape& indices = ctx.shape(1);
  if (!params.has_rank() || !indices.has_rank()) {
    return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  }
  const int axis = ctx.axis(ctx.attr(0).as_int(), params.rank());
  const int batch_dims = batch_dims_of(ctx, axis);
  Shape shape;
  for (int i = 0; i < axis; ++i) shape.append(params[i]);
  for (int i = batch_dims; i < indices.rank(); ++i) shape.append(indices[i]);
  for (int i = axis + 1; i < params.rank(); ++i) shape.append(params[i]);
  ctx.add_output(ctx.dtype(0), shape);
}

// The call's sizes, with rows in elements. Pre: infer has checked the attributes.
kernels::GatherShape sizes_of(const Shape& params, const Shape& indices, Attrs attrs) {
  const int axis = counted(attrs[0].as_int(), params.rank());
  const int batch_dims = counted(attrs[1].as_int(), indices.rank());
  return {kernels::product(params, 0, batch_dims), kernels::product(params, batch_dims, axis),
          params[axis], kernels::product(indices, batch_dims, indices.rank()),
          kernels::product(params, axis + 1, params.rank())};
}

KernelResult cpu(const KernelContext& ctx) {
  const View& params = ctx.inputs[0];
  const View& indices = ctx.inputs[1];
  kernels::GatherShape sizes = sizes_of(params.shape, indices.shape, ctx.attrs);
  if (ctx.outputs[0].size() == 0) return KernelResult::ok();
  if (const auto bad = kernels::find_bad_index(indices, 0, sizes.size); bad.at >= 0) {
    return KernelResult::invalid("indices[{}] = {} is not in [0, {})", bad.at, bad.value,
                                 bad.limit);
  }
  sizes.row_bytes *= static_cast<int64_t>(dtype_size(params.dtype));
  kernels::gather(sizes, params, indices, ctx.outputs[0]);
  return KernelResult::ok();
}

// Along the first axis, given as 0, the gradient stays sparse: an embedding's has few rows of many.
Gradient first_axis_grad(const GradContext& g) {
  const Shape& whole = g.input(0).shape();
  const int64_t count = g.input(1).num_elements();
  Shape rows = whole;
  rows.set(0, count);
  return Gradient::sparse(reshape(g.dy(), shape_tensor(rows)),
                          reshape(g.input(1), shape_tensor(Shape{count})), whole);
}

// [batch, outer, count, row] to [batch, count, outer * row], which is added up at (batch, index) of
// [batch, size, outer * row], and then back.
Gradient any_axis_grad(const GradContext& g) {
  const Tensor& indices = g.input(1);
  const auto [batch, outer, size, count, row] =
      sizes_of(g.input(0).shape(), indices.shape(), g.attrs());
  Tensor updates = reshape(g.dy(), shape_tensor(Shape{batch, outer, count, row}));
  updates = transpose(updates, {0, 2, 1, 3});
  const Tensor batches = range(Tensor::scalar(indices.dtype(), 0),
                               Tensor::scalar(indices.dtype(), static_cast<double>(batch)),
                               Tensor::scalar(indices.dtype(), 1));
  const Tensor columns =
      tile(reshape(batches, shape_tensor(Shape{batch, 1})), shape_tensor(Shape{1, count}));
  const Tensor at[] = {columns, reshape(indices, shape_tensor(Shape{batch, count}))};
  Tensor sums = scatter_nd(stack(at, 2), updates, shape_tensor(Shape{batch, size, outer, row}));
  return reshape(transpose(sums, {0, 2, 1, 3}), shape_tensor(g.input(0)));
}

Gradients grad(const GradContext& g) {
  if (g.output().num_elements() == 0) return {zeros_like(g.input(0)), {}};
  return {g.attr(0).as_int() == 0 ? first_axis_grad(g) : any_axis_grad(g), {}};
}

std::vector<Sample> samples() {
  const SampleInput picks = given(DType::kInt32, {2, 2}, {2, 0, 1, 2});
  return {
      {{f32({3, 2}), ints({2, 0, 2})}},
      {{f32({3}), picks}},
      {{f32({2, 3, 2}), picks}, {{"axis", 1}}},
      {{f32({2, 3}), ints({1, 1})}, {{"axis", -1}}},
      {{f32({2, 3, 2}), picks}, {{"axis", 1}, {"batch_dims", 1}}},
      {{f32({2, 2, 3}), picks}, {{"axis", 2}, {"batch_dims", 1}}},
      {{f32({2, 2, 3}), picks}, {{"axis", -1}, {"batch_dims", -1}}},
      {{f32({2, 2, 3}), picks}, {{"axis", 2}, {"batch_dims", 2}}},
      {{f32({3, 2}), given(DType::kInt64, {}, {1})}},
      {{f32({3, 2}), i32({0})}},
      {{f32({3, 0}), ints({1, 2})}},
      {{of(DType::kFloat16, {3}), ints({1, 2})}},
      {{of(DType::kFloat64, {2, 3}), ints({1, 2})}, {{"axis", 1}}},
      {{of(DType::kInt64, {3, 2}), given(DType::kInt64, {2}, {1, 2})}},
      {{of(DType::kUInt8, {3, 3}), ints({1, 2})}, {{"axis", 1}}},
      {{of(DType::kBool, {3}), ints({1, 2})}},
      {{of(DType::kComplex64, {3}), ints({1, 2})}},
      {{of(DType::kComplex128, {2, 3}), ints({1, 2})}, {{"axis", 1}}},
      {{of(DType::kString, {3}), ints({1, 2, 1})}},
      {{f32({10000, 64}), i32({4096}, 0, 10000)}, {}, 0, true, true},
  };
}

// Whether whole rows are gathered, without a batch.
bool takes_rows(Attrs attrs) {
  return std::ranges::all_of(attrs, [](const Attr& attr) { return attr.as_int() == 0; });
}

}  // namespace

PEN_OP_DEF(gather) = {
    .name = "GatherV2",
    .doc = "The slices of `params` at `indices` along an axis.",
    .inputs = {in("params", kAnyType), in("indices", kIndexTypes, 'I')},
    .attrs = {int_attr("axis", 0), int_attr("batch_dims", 0)},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = 1 << 1},
    .samples = samples,
    .takes_rows = takes_rows,
    .graph_name = {.attr_inputs = {{"axis", "axis"}}},
};

}  // namespace penstock
