// LowerBound, UpperBound, SearchSorted: positions in sorted rows. InTopKV2: whether a class is
// among the best.
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

#include "kernels/counting.h"
#include "kernels/indices.h"
#include "kernels/move.h"

namespace penstock {
namespace {

DType index_type(const InferContext& ctx, const Attr& attr) {
  const DType dtype = attr.as_dtype();
  if (!kIndexTypes.has(dtype)) ctx.fail_type("out_type must be int32 or int64, but is ", dtype);
  return dtype;
}

void infer_bound(InferContext& ctx) {
  const DType dtype = index_type(ctx, ctx.attr(0));
  ctx.check_rank(0, 2);
  ctx.check_rank(1, 2);
  const Shape& sorted = ctx.shape(0);
  const Shape& values = ctx.shape(1);
  if (sorted.is_known() && values.is_known()) {
    if (sorted[0] != values[0]) {
      ctx.fail("Leading dim_size of both tensors must match: ", sorted, " and ", values);
    }
    if (dtype == DType::kInt32 && sorted[1] >= INT32_MAX) {
      ctx.fail("values tensor size must less than INT_MAX: give out_type int64");
    }
  }
  ctx.add_output(dtype, values);
}

template <bool kUpper>
KernelResult cpu_bound(const KernelContext& ctx) {
  const View& sorted = ctx.inputs[0];
  const View& values = ctx.inputs[1];
  if (values.size() == 0) return KernelResult::ok();
  kernels::bounds(sorted, values.shape[0], sorted.shape[1], values, values.shape[1], kUpper,
                  ctx.outputs[0]);
  return KernelResult::ok();
}

// One position per value. Both inputs have the same rows.
void infer_search(InferContext& ctx) {
  const Shape& sorted = ctx.shape(0);
  Shape shape = ctx.shape(1);
  for (int i = 0; shape.has_rank() && sorted.rank() == shape.rank() && i < shape.rank() - 1; ++i) {
    if (shape[i] == kUnknownDim) shape.set(i, sorted[i]);
  }
  ctx.add_output(index_type(ctx, ctx.attr(1)), shape);
}

// All axes but the last are rows.
Tensors compose_search(const ComposeContext& ctx) {
  const Tensor& sorted = ctx.tensor(0);
  const Tensor& values = ctx.tensor(1);
  const std::string_view side = ctx.attr(0).as_string();
  if (side != "left" && side != "right") ctx.fail("side must be left or right, but is ", side);
  const DType dtype = index_type(ctx, ctx.attr(1));
  bool fits = sorted.rank() == values.rank() && sorted.rank() > 0;
  for (int i = 0; fits && i < sorted.rank() - 1; ++i) fits = sorted.dim(i) == values.dim(i);
  if (!fits) {
    ctx.fail("sorted_sequence ", sorted.shape(), " and values ", values.shape(),
             " must agree on all axes but the last");
  }
  const int64_t rows = kernels::product(sorted.shape(), 0, sorted.rank() - 1);
  if (values.num_elements() == 0) return {zeros(dtype, values.shape())};
  const Tensor rows_of_sorted = reshape(sorted, shape_tensor(Shape{rows, sorted.dim(-1)}));
  const Tensor rows_of_values = reshape(values, shape_tensor(Shape{rows, values.dim(-1)}));
  const Tensor found = side == "left" ? lower_bound(rows_of_sorted, rows_of_values, dtype)
                                      : upper_bound(rows_of_sorted, rows_of_values, dtype);
  return {reshape(found, shape_tensor(values))};
}

void infer_top(InferContext& ctx) {
  ctx.check_rank(0, 2);
  ctx.check_rank(1, 1);
  ctx.check_rank(2, 0);
  const Shape& predictions = ctx.shape(0);
  const Shape& targets = ctx.shape(1);
  if (predictions.is_known() && targets.is_known() && predictions[0] != targets[0]) {
    ctx.fail("First dimension of predictions ", predictions[0], " must match length of targets ",
             targets[0]);
  }
  ctx.add_output(DType::kBool, targets);
}

KernelResult cpu_top(const KernelContext& ctx) {
  kernels::in_top_k(ctx.inputs[0], ctx.inputs[1], kernels::index_at(ctx.inputs[2], 0),
                    ctx.outputs[0].as<bool>());
  return KernelResult::ok();
}

std::vector<Sample> bound_samples() {
  std::vector<Sample> samples = {
      {{given(DType::kFloat32, {1, 5}, {0, 1, 1, 3, 9}),
        given(DType::kFloat32, {1, 6}, {-1, 1, 2, 9, 10, 3})}},
      {{given(DType::kFloat64, {2, 3}, {0, 3, 5, 1, 2, 3}),
        given(DType::kFloat64, {2, 2}, {3, 4, 0, 3})},
       {{"out_type", DType::kInt64}}},
      {{f32({1, 0}), f32({1, 3})}},
      {{f32({2, 3}), f32({2, 0})}},
  };
  for (DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kInt32, DType::kInt64,
                      DType::kUInt8, DType::kInt8}) {
    samples.push_back({{given(dtype, {1, 4}, {0, 2, 2, 5}), given(dtype, {1, 4}, {1, 2, 5, 6})}});
  }
  std::vector<double> sorted;
  for (int i = 0; i < 10000; ++i) sorted.push_back(i);
  samples.push_back(
      {{given(DType::kFloat32, {1, 10000}, sorted), f32({1, 10000}, 0, 10000)}, {}, 0, true, true});
  return samples;
}

std::vector<Sample> search_samples() {
  const SampleInput sorted = given(DType::kFloat32, {5}, {0, 1, 1, 3, 9});
  const SampleInput values = given(DType::kFloat32, {6}, {-1, 1, 2, 9, 10, 3});
  return {
      {{sorted, values}},
      {{sorted, values}, {{"side", "right"}, {"out_type", DType::kInt64}}},
      {{given(DType::kInt32, {2, 1, 3}, {0, 3, 5, 1, 2, 3}),
        given(DType::kInt32, {2, 1, 2}, {3, 4, 0, 3})},
       {{"side", "right"}}},
      {{f32({2, 3}), f32({2, 0})}},
  };
}

std::vector<Sample> top_samples() {
  const SampleInput two = given(DType::kInt32, {}, {2});
  const SampleInput scores =
      given(DType::kFloat32, {3, 4}, {0.1, 0.9, 0.3, 0.4, 0.5, 0.5, 0.5, 0.1, 1, INFINITY, 2, 3});
  return {
      {{scores, ints({1, 2, 0}), two}},
      {{scores, given(DType::kInt64, {3}, {2, 7, -1}), given(DType::kInt64, {}, {3})}},
      {{f32({0, 3}), i32({0}), two}},
      {{f32({1024, 1000}), i32({1024}, 0, 1000), two}, {}, 0, true, true},
  };
}

LateName late_searchsorted(const GraphCall& call) {
  if (call.attr("side").as_string() == "left")
    return {"", "Shape Shape Shape strided_slice strided_slice Reshape LowerBound", "Reshape"};
  return {"", "Shape Shape Shape strided_slice strided_slice Reshape UpperBound", "Reshape"};
}

}  // namespace

PEN_OP_DEF(lower_bound) = {
    .name = "LowerBound",
    .doc = "For every value, how many elements of the sorted row are less.",
    .inputs = {in("sorted_inputs", kRealTypes), in("values", kRealTypes)},
    .attrs = {dtype_attr("out_type", DType::kInt32)},
    .infer = infer_bound,
    .cpu = cpu_bound<false>,
    .grad = no_gradient,
    .samples = bound_samples,
};

PEN_OP_DEF(upper_bound) = {
    .name = "UpperBound",
    .doc = "For every value, how many elements of the sorted row are not greater.",
    .inputs = {in("sorted_inputs", kRealTypes), in("values", kRealTypes)},
    .attrs = {dtype_attr("out_type", DType::kInt32)},
    .infer = infer_bound,
    .cpu = cpu_bound<true>,
    .grad = no_gradient,
    .samples = bound_samples,
};

PEN_OP_DEF(searchsorted) = {
    .name = "SearchSorted",
    .doc =
        "Where values would go into sorted rows: before equal elements (left) or behind (right).",
    .inputs = {in("sorted_sequence", kRealTypes), in("values", kRealTypes)},
    .attrs = {string_attr("side", "left"), dtype_attr("out_type", DType::kInt32)},
    .infer = infer_search,
    .compose = compose_search,
    .grad = no_gradient,
    .samples = search_samples,
    .graph_name = {.scope = "Reshape", .late = late_searchsorted},
};

PEN_OP_DEF(in_top_k) = {
    .name = "InTopKV2",
    .doc = "Whether the target's prediction is among the k best of its row.",
    .inputs = {in("predictions", DType::kFloat32, 'P'), in("targets", kIndexTypes, 'I'),
               in("k", kIndexTypes, 'I')},
    .outputs = {"precision"},
    .infer = infer_top,
    .cpu = cpu_top,
    .grad = no_gradient,
    .samples = top_samples,
    .graph_name = {"in_top_k", "*"},
};

}  // namespace penstock
