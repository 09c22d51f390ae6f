// GatherNd: rows of a tensor, each named by coordinates.
#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/gather.h"
#include "kernels/move.h"

namespace penstock {
namespace {

int checked_batch_dims(const InferContext& ctx) {
  const Shape& params = ctx.shape(0);
  const Shape& indices = ctx.shape(1);
  const int64_t batch_dims = ctx.attr(0).as_int();
  if (batch_dims < 0 || batch_dims > params.rank() || batch_dims >= indices.rank()) {
    ctx.fail("batch_dims = ", batch_dims, " must be at least 0, at most the rank of params ",
             params, " and less than the rank of indices ", indices);
  }
  for (int i = 0; i < static_cast<int>(batch_dims); ++i) {
    if (params[i] != indices[i] && params[i] != kUnknownDim && indices[i] != kUnknownDim) {
      ctx.fail("the first ", batch_dims, " dimensions of params ", params, " and indices ", indices,
               " must be equal");
    }
  }
  return static_cast<int>(batch_dims);
}

void infer(InferContext& ctx) {
  const Shape& params = ctx.shape(0);
  const Shape& indices = ctx.shape(1);
  if (indices.rank() == 0) ctx.fail("indices must be at least a vector");
  if (!params.has_rank() || !indices.has_rank() || indices[indices.rank() - 1] == kUnknownDim) {
    return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  }
  const int batch_dims = checked_batch_dims(ctx);
  const int last = indices.rank() - 1;
  const int64_t depth = indices[last];
  if (depth > params.rank() - batch_dims) {
    ctx.fail("index innermost dimension length must be <= params rank; saw: ", depth, " vs. ",
             params.rank() - batch_dims);
  }
  Shape shape = indices;
  shape.remove(last);
  for (int i = batch_dims + static_cast<int>(depth); i < params.rank(); ++i) {
    shape.append(params[i]);
  }
  ctx.add_output(ctx.dtype(0), shape);
}

KernelResult cpu(const KernelContext& ctx) {
  const View& params = ctx.inputs[0];
  const auto batch_dims = static_cast<int>(ctx.attrs[0].as_int());
  const auto rows = kernels::Coordinates::into(params.shape, ctx.inputs[1], batch_dims);
  if (const auto bad = rows.find_bad(); bad.at >= 0) {
    return KernelResult::invalid("indices[{}] = {} is not in [0, {})", bad.at, bad.value,
                                 bad.limit);
  }
  if (ctx.outputs[0].size() == 0) return KernelResult::ok();
  const int64_t width =
      kernels::product(params.shape, batch_dims + rows.depth, params.shape.rank());
  kernels::gather_rows(rows, params, ctx.outputs[0],
                       width * static_cast<int64_t>(dtype_size(params.dtype)));
  return KernelResult::ok();
}

// The indices prefixed with their batch positions: coordinates of the whole.
Tensor whole_coordinates(const Tensor& indices, int batch_dims) {
  const auto number = [&](int64_t value) {
    return Tensor::scalar(indices.dtype(), static_cast<double>(value));
  };
  Shape one = indices.shape();
  one.set(one.rank() - 1, 1);
  Tensors parts;
  for (int i = 0; i < batch_dims; ++i) {
    Shape line;
    for (int k = 0; k < one.rank(); ++k) line.append(k == i ? one[k] : 1);
    const Tensor places = range(number(0), number(one[i]), number(1));
    parts.push_back(broadcast_to(reshape(places, shape_tensor(line)), shape_tensor(one)));
  }
  parts.push_back(indices);
  return concat(parts, -1);
}

// Rows of the leading axis stay sparse; anything finer is scattered.
Gradients grad(const GradContext& g) {
  const Tensor& indices = g.input(1);
  const Shape& whole = g.input(0).shape();
  const auto batch_dims = static_cast<int>(g.attr(0).as_int());
  if (batch_dims > 0) {
    if (g.output().num_elements() == 0) return {zeros_like(g.input(0)), {}};
    return {scatter_nd(whole_coordinates(indices, batch_dims), g.dy(), shape_tensor(whole)), {}};
  }
  if (indices.dim(-1) == 1) {
    const int64_t count = indices.num_elements();
    Shape rows = whole;
    rows.set(0, count);
    return {Gradient::sparse(reshape(g.dy(), shape_tensor(rows)),
                             reshape(indices, shape_tensor(Shape{count})), whole),
            {}};
  }
  return {scatter_nd(indices, g.dy(), shape_tensor(whole)), {}};
}

SampleInput pairs(DType dtype, std::vector<double> values) {
  const auto rows = static_cast<int64_t>(values.size()) / 2;
  return given(dtype, {rows, 2}, std::move(values));
}

std::vector<Sample> samples() {
  return {
      {{f32({3, 4}), pairs(DType::kInt32, {0, 1, 2, 3, 0, 1})}},
      {{f32({3, 4}), given(DType::kInt32, {2, 1}, {2, 0})}},
      {{f32({2, 3, 2}), given(DType::kInt64, {1, 2, 2}, {1, 2, 0, 0})}},
      {{f32({2, 3}), i32({2, 0})}},
      {{f32({3}), i32({0, 1})}},
      {{f32({3, 0}), ints({1})}},
      {{f32({2, 3, 2}), given(DType::kInt32, {2, 1}, {2, 0})}, {{"batch_dims", 1}}},
      {{f32({2, 3, 2}), given(DType::kInt32, {2, 2, 2}, {2, 0, 1, 1, 0, 0, 2, 1})},
       {{"batch_dims", 1}}},
      {{f32({2, 2, 3}), given(DType::kInt64, {2, 2, 1}, {2, 0, 1, 1})}, {{"batch_dims", 2}}},
      {{f32({2, 3}), i32({2, 0})}, {{"batch_dims", 1}}},
      {{of(DType::kFloat64, {3}), given(DType::kInt32, {3, 1}, {2, 2, 0})}},
      {{of(DType::kFloat16, {3, 2}), pairs(DType::kInt32, {1, 1})}},
      {{of(DType::kInt64, {3, 2}), pairs(DType::kInt64, {1, 1, 2, 0})}},
      {{of(DType::kBool, {3, 2}), pairs(DType::kInt64, {1, 1, 2, 0})}},
      {{of(DType::kComplex64, {3, 2}), pairs(DType::kInt64, {1, 1, 2, 0})}},
      {{of(DType::kString, {3, 2}), pairs(DType::kInt64, {1, 1, 2, 0})}},
      {{f32({1024, 64}), i32({4096, 1}, 0, 1024)}, {}, 0, true, true},
  };
}

}  // namespace

PEN_OP_DEF(gather_nd) = {
    .name = "GatherNd",
    .doc = "The parts of `params` at `indices`, whose last axis holds coordinates.",
    .inputs = {in("params", kAnyType), in("indices", kIndexTypes, 'I')},
    .attrs = {int_attr("batch_dims", 0)},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.inputs = 1 << 1},
    .samples = samples,
};

}  // namespace penstock
