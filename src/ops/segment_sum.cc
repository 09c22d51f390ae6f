// UnsortedSegmentSum: rows added up by segment. GatherOrZero: the way back.
#include <cstring>

#include <penstock/ops/context.h>
#include <penstock/ops/grad_helpers.h>
#include <penstock/ops/sample.h>

#include "kernels/gather.h"
#include "kernels/move.h"
#include "kernels/scatter.h"

namespace penstock {
namespace {

void infer_sum(InferContext& ctx) {
  const Shape& data = ctx.shape(0);
  const Shape& ids = ctx.shape(1);
  ctx.check_rank(2, 0);
  if (!data.is_known() || !ids.is_known()) {
    return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  }
  bool fits = ids.rank() <= data.rank();
  for (int i = 0; fits && i < ids.rank(); ++i) fits = ids[i] == data[i];
  if (!fits) ctx.fail("data.shape = ", data, " does not start with segment_ids.shape = ", ids);
  bool known = false;
  const IntVector segments = ctx.ints(2, &known);
  if (known && segments[0] < 0) {
    ctx.fail("Input num_segments == ", segments[0], " must not be negative.");
  }
  Shape shape = {known ? segments[0] : kUnknownDim};
  for (int i = ids.rank(); i < data.rank(); ++i) shape.append(data[i]);
  ctx.add_output(ctx.dtype(0), shape);
}

KernelResult cpu_sum(const KernelContext& ctx) {
  const View& data = ctx.inputs[0];
  const View& ids = ctx.inputs[1];
  const View& out = ctx.outputs[0];
  const int64_t segments = out.shape[0];
  const auto bad = kernels::find_bad_index(ids, INT64_MIN, segments);
  if (bad.at >= 0) {
    return KernelResult::invalid("segment_ids[{}] = {} is out of range [0, {})", bad.at, bad.value,
                                 segments);
  }
  if (out.size() == 0) return KernelResult::ok();
  std::memset(out.data, 0, static_cast<size_t>(out.shape.num_bytes(dtype_size(out.dtype))));
  if (data.size() == 0) return KernelResult::ok();
  kernels::combine_segments(kernels::Combine::kAdd, ids, data, out, segments,
                            kernels::product(out.shape, 1, out.shape.rank()));
  return KernelResult::ok();
}

Gradients grad_sum(const GradContext& g) { return {gather_or_zero(g.dy(), g.input(1)), {}, {}}; }

void infer_gather(InferContext& ctx) {
  const Shape& params = ctx.shape(0);
  if (params.rank() == 0) ctx.fail("params must be at least a vector");
  if (!params.has_rank() || !ctx.shape(1).has_rank()) {
    return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  }
  Shape shape = ctx.shape(1);
  for (int i = 1; i < params.rank(); ++i) shape.append(params[i]);
  ctx.add_output(ctx.dtype(0), shape);
}

KernelResult cpu_gather(const KernelContext& ctx) {
  const View& params = ctx.inputs[0];
  const View& indices = ctx.inputs[1];
  const auto bad = kernels::find_bad_index(indices, INT64_MIN, params.shape[0]);
  if (bad.at >= 0) {
    return KernelResult::invalid("indices[{}] = {} is not in [0, {})", bad.at, bad.value,
                                 bad.limit);
  }
  if (ctx.outputs[0].size() == 0) return KernelResult::ok();
  const kernels::AxisParts parts = kernels::parts_at(params.shape, 0);
  const auto size = static_cast<int64_t>(dtype_size(params.dtype));
  kernels::gather({1, 1, parts.size, indices.size(), parts.inner * size}, params, indices,
                  ctx.outputs[0]);
  return KernelResult::ok();
}

Gradients grad_gather(const GradContext& g) {
  const Tensor rows = Tensor::scalar(DType::kInt64, static_cast<double>(g.input(0).dim(0)));
  return {unsorted_segment_sum(g.dy(), g.input(1), rows), {}};
}

std::vector<Sample> sum_samples() {
  const SampleInput three = given(DType::kInt32, {}, {3});
  const SampleInput ids = ints({2, -1, 0, 2});
  std::vector<Sample> samples = {
      {{f32({4, 2}), ids, three}},
      {{f32({2, 2, 3}), given(DType::kInt64, {2, 2}, {0, 1, 1, -5}), three}},
      {{f32({}), given(DType::kInt32, {}, {1}), three}},
      {{f32({0, 2}), i32({0}), three}},
      {{f32({2}), ints({-1, -1}), given(DType::kInt64, {}, {0})}},
  };
  for (DType dtype : {DType::kBFloat16, DType::kFloat16, DType::kFloat64, DType::kInt32,
                      DType::kInt64, DType::kUInt8, DType::kComplex64}) {
    samples.push_back({{of(dtype, {4, 2}), ids, three}});
  }
  samples.push_back(
      {{f32({4096, 64}), i32({4096}, 0, 256), given(DType::kInt32, {}, {256})}, {}, 0, true, true});
  return samples;
}

std::vector<Sample> gather_samples() {
  const SampleInput ids = ints({2, -1, 0, 2});
  std::vector<Sample> samples = {
      {{f32({3, 2}), ids}},
      {{f32({3}), given(DType::kInt64, {2, 2}, {2, -1, 0, 2})}},
      {{f32({0, 2}), ints({-1})}},
      {{f32({2, 2}), given(DType::kInt32, {}, {1})}},
  };
  for (DType dtype : {DType::kFloat16, DType::kFloat64, DType::kInt32, DType::kUInt8, DType::kBool,
                      DType::kComplex128}) {
    samples.push_back({{of(dtype, {3, 2}), ids}});
  }
  samples.push_back({{f32({1024, 64}), i32({4096}, -1, 1024)}, {}, 0, true, true});
  return samples;
}

}  // namespace

PEN_OP_DEF(unsorted_segment_sum) = {
    .name = "UnsortedSegmentSum",
    .doc = "The sums of the rows of `data` with the same segment id; negative ids are left out.",
    .inputs = {in("data", kNumberTypes), in("segment_ids", kIndexTypes, 'I'),
               host("num_segments", kIndexTypes)},
    .infer = infer_sum,
    .cpu = cpu_sum,
    .grad = grad_sum,
    .saves = {.inputs = 1 << 1},
    .samples = sum_samples,
};

PEN_OP_DEF(gather_or_zero) = {
    .name = "GatherOrZero",
    .doc = "The rows of `params` at `indices`, and zeros where an index is negative.",
    .inputs = {in("params", kFixedTypes), in("indices", kIndexTypes, 'I')},
    .infer = infer_gather,
    .cpu = cpu_gather,
    .grad = grad_gather,
    .saves = {.inputs = 1 << 1},
    .samples = gather_samples,
};

}  // namespace penstock
