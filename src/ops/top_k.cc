// TopKV2: the largest elements along the last axis.
#include "kernels/top_k.h"

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/sort.h"

namespace penstock {
namespace {

void infer(InferContext& ctx) {
  Shape shape = ctx.shape(0);
  ctx.check_rank(1, 0);
  if (shape.rank() == 0) ctx.fail("input must be >= 1-D, got shape ", shape);
  bool known = false;
  const IntVector wanted = ctx.ints(1, &known);
  const int64_t k = known ? wanted[0] : kUnknownDim;
  if (known && k < 0) ctx.fail("Need k >= 0, got ", k);
  if (shape.has_rank()) {
    const int64_t width = shape[shape.rank() - 1];
    if (width != kUnknownDim && k > width) {
      ctx.fail("input must have at least k columns. Had ", width, ", needed ", k);
    }
    if (width > INT32_MAX)
      ctx.fail("rows have at most 2^31 - 1 elements, but the shape is ", shape);
    shape.set(shape.rank() - 1, k);
  }
  ctx.add_output(ctx.dtype(0), shape);
  ctx.add_output(DType::kInt32, shape);
  if (!ctx.shape(0).is_known() || k <= 0 || ctx.shape(0).num_elements() == 0) return;
  const int64_t width = ctx.shape(0)[shape.rank() - 1];
  if (!kernels::sorts_rows(width, k)) return;
  const auto scratch =
      kernels::argsort_scratch(ctx.dtype(0), ctx.shape(0).num_elements() / width, width);
  if (scratch.bytes < 0) ctx.fail_size("the size of its scratch memory");
  ctx.set_scratch(scratch.slots, scratch.bytes);
}

KernelResult cpu(const KernelContext& ctx) {
  const View& in = ctx.inputs[0];
  const int last = in.shape.rank() - 1;
  kernels::top_k(in, in.shape[last], ctx.outputs[0].shape[last], ctx.outputs[0],
                 ctx.outputs[1].as<int32_t>(), ctx.scratch);
  return KernelResult::ok();
}

// Puts dy back to where the values were, at (row, position).
Gradients grad(const GradContext& g) {
  const Shape& shape = g.input(0).shape();
  const int64_t picked = g.output().num_elements();
  if (picked == 0) return {zeros_like(g.input(0)), {}};
  const int64_t k = g.output().dim(-1);
  const int64_t rows = picked / k;
  const auto int32_scalar = [](int64_t value) {
    return Tensor::scalar(DType::kInt32, static_cast<double>(value));
  };
  if (rows > INT32_MAX) throw UnimplementedError("[TopKV2] a gradient of more than 2^31 - 1 rows");
  const Tensor row = reshape(range(int32_scalar(0), int32_scalar(rows), int32_scalar(1)),
                             shape_tensor(Shape{rows, 1}));
  const Tensor at[] = {tile(row, shape_tensor(Shape{1, k})),
                       reshape(g.output(1), shape_tensor(Shape{rows, k}))};
  const Tensor dx = scatter_nd(stack(at, 2), reshape(g.dy(), shape_tensor(Shape{rows, k})),
                               shape_tensor(Shape{rows, shape[shape.rank() - 1]}));
  return {reshape(dx, shape_tensor(shape)), {}};
}

std::vector<Sample> samples() {
  const SampleInput two = given(DType::kInt32, {}, {2});
  const auto count = [](double k) { return given(DType::kInt32, {}, {k}); };
  return {
      {{distinct(DType::kFloat32, {6}), two}},
      {{distinct(DType::kFloat32, {2, 5}), two}},
      {{distinct(DType::kFloat64, {2, 2, 4}), count(3)}},
      {{distinct(DType::kFloat32, {2, 5}), count(5)}},
      {{distinct(DType::kFloat32, {2, 5}), count(1)}, {{"sorted", false}}},
      {{distinct(DType::kFloat32, {2, 5}), count(0)}},
      {{f32({0, 3}), given(DType::kInt64, {}, {2})}},
      {{given(DType::kFloat32, {5}, {1, 3, 3, 1, 3}), count(4)}, {}, 0, false},
      {{of(DType::kInt32, {3, 4}, -2, 3), two}},
      {{of(DType::kInt64, {7}, -2, 3), count(5)}},
      {{of(DType::kUInt8, {7}, 0, 4), count(5)}},
      {{distinct(DType::kFloat16, {5}), two}, {}, 0, false},
      {{distinct(DType::kBFloat16, {5}), two}, {}, 0, false},
      {{of(DType::kInt16, {2, 600}, -20, 20), count(3)}},
      {{of(DType::kFloat64, {2, 600}), count(40)}, {}, 0, false},
      {{f32({64, 10000}), count(10)}, {}, 0, false, true},
  };
}

}  // namespace

PEN_OP_DEF(top_k) = {
    .name = "TopKV2",
    .doc = "The k largest elements along the last axis, from large to small, and their positions.",
    .inputs = {in("input", kRealTypes), host("k", kIndexTypes)},
    .attrs = {bool_attr("sorted", true)},
    .outputs = {"values", "indices"},
    .infer = infer,
    .cpu = cpu,
    .grad = grad,
    .saves = {.outputs = 1 << 1},
    .samples = samples,
};

}  // namespace penstock
