// UnsortedSegmentSum, -Prod, -Max, -Min, -Mean, -SqrtN: rows combined by segment, for ids in any
// order.
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

#include "kernels/indices.h"
#include "kernels/move.h"
#include "kernels/scatter.h"
#include "ops/elementwise.h"

namespace penstock {
namespace {

using kernels::Combine;

void infer(InferContext& ctx) {
  const Shape& data = ctx.shape(0);
  const Shape& ids = ctx.shape(1);
  ctx.check_rank(2, 0);
  if (!data.has_rank() || !ids.has_rank()) {
    return ctx.add_output(ctx.dtype(0), Shape::unknown_rank());
  }
  bool fits = ids.rank() <= data.rank();
  for (int i = 0; fits && i < ids.rank(); ++i)
    fits = ids[i] == data[i] || ids[i] == kUnknownDim || data[i] == kUnknownDim;
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

template <Combine kCombine>
KernelResult cpu(const KernelContext& ctx) {
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
  kernels::fill_start(kCombine, out);
  if (data.size() == 0) return KernelResult::ok();
  kernels::combine_segments(kCombine, ids, data, out, segments,
                            kernels::product(out.shape, 1, out.shape.rank()));
  return KernelResult::ok();
}

Gradients grad_sum(const GradContext& g) { return {gather_or_zero(g.dy(), g.input(1)), {}, {}}; }

// Equal extrema share the gradient. Rows with negative ids gather zeros and get none.
Gradients grad_extremum(const GradContext& g) {
  const Tensor& data = g.input(0);
  const Tensor& ids = g.input(1);
  const Tensor chosen = cast(equal(data, gather_or_zero(g.output(), ids)), data.dtype());
  const Tensor counts = unsorted_segment_sum(chosen, ids, g.input(2));
  const Tensor share = g.dy() / maximum(counts, scalar_like(data, 1));
  return {gather_or_zero(share, ids) * chosen, {}, {}};
}

// A factor's gradient is the product of the others: with exactly one zero, only that factor has a
// non-zero gradient.
Gradients grad_prod(const GradContext& g) {
  const Tensor& data = g.input(0);
  const Tensor& ids = g.input(1);
  const Tensor none = scalar_like(data, 0);
  const Tensor one = scalar_like(data, 1);
  const Tensor is_zero = equal(data, none);
  const Tensor others = select(is_zero, one, data);
  const Tensor zeros_of =
      gather_or_zero(unsorted_segment_sum(cast(is_zero, data.dtype()), ids, g.input(2)), ids);
  const Tensor product = gather_or_zero(unsorted_segment_prod(others, ids, g.input(2)), ids);
  const Tensor part = select(equal(zeros_of, none), product / others,
                             select(logical_and(equal(zeros_of, one), is_zero), product, none));
  return {gather_or_zero(g.dy(), ids) * elementwise::conjugate(part), {}, {}};
}

// Sums divided by the number of their rows, or by its root.
template <bool kRoot>
Tensors compose_mean(const ComposeContext& ctx) {
  const Tensor& ids = ctx.tensor(1);
  const Tensor sums = unsorted_segment_sum(ctx.tensor(0), ids, ctx.tensor(2));
  const Tensor counts = unsorted_segment_sum(ones(sums.dtype(), ids.shape()), ids, ctx.tensor(2));
  Shape column;
  for (int i = 0; i < sums.rank(); ++i) column.append(i == 0 ? sums.dim(0) : 1);
  const Tensor divisor = reshape(maximum(counts, scalar_like(sums, 1)), shape_tensor(column));
  return {sums / (kRoot ? sqrt(divisor) : divisor)};
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

std::vector<Sample> samples_of(DTypeSet dtypes) {
  // Finite differences need rows in every segment: an empty one is the lowest number.
  const SampleInput two = given(DType::kInt32, {}, {2});
  const SampleInput three = given(DType::kInt32, {}, {3});
  const SampleInput ids = ints({1, -1, 0, 1});
  std::vector<Sample> samples = {
      {{distinct(DType::kFloat32, {4, 2}), ids, two}},
      {{distinct(DType::kFloat32, {4, 2}), ids, three}, {}, 0, false},
      {{distinct(DType::kFloat32, {2, 2, 3}), given(DType::kInt64, {2, 2}, {0, 1, 1, -5}), two}},
      {{f32({}), given(DType::kInt32, {}, {1}), three}, {}, 0, false},
      {{f32({0, 2}), i32({0}), three}},
      {{f32({2}), ints({-1, -1}), given(DType::kInt64, {}, {0})}},
  };
  for (DType dtype : {DType::kBFloat16, DType::kFloat16, DType::kFloat64, DType::kInt32,
                      DType::kInt64, DType::kUInt8, DType::kComplex64}) {
    if (dtypes.has(dtype)) samples.push_back({{distinct(dtype, {4, 2}), ids, two}});
  }
  samples.push_back(
      {{f32({4096, 64}), i32({4096}, 0, 256), given(DType::kInt32, {}, {256})}, {}, 0, true, true});
  return samples;
}

std::vector<Sample> number_samples() { return samples_of(kNumberTypes); }
std::vector<Sample> real_samples() { return samples_of(kRealTypes); }
std::vector<Sample> float_samples() { return samples_of(kRealFloatTypes); }

}  // namespace

PEN_OP_DEF(unsorted_segment_sum) = {
    .name = "UnsortedSegmentSum",
    .doc = "The sums of the rows of `data` with the same segment id; negative ids are left out.",
    .inputs = {in("data", kNumberTypes), in("segment_ids", kIndexTypes, 'I'),
               host("num_segments", kIndexTypes)},
    .infer = infer,
    .cpu = cpu<Combine::kAdd>,
    .grad = grad_sum,
    .saves = {.inputs = 1 << 1},
    .samples = sum_samples,
};

PEN_OP_DEF(unsorted_segment_prod) = {
    .name = "UnsortedSegmentProd",
    .doc = "The products of the rows of `data` with the same id; negative ids are left out.",
    .inputs = {in("data", kNumberTypes), in("segment_ids", kIndexTypes, 'I'),
               host("num_segments", kIndexTypes)},
    .infer = infer,
    .cpu = cpu<Combine::kMultiply>,
    .grad = grad_prod,
    .saves = {.inputs = 0b111},
    .samples = number_samples,
};

PEN_OP_DEF(unsorted_segment_max) = {
    .name = "UnsortedSegmentMax",
    .doc =
        "The largest of the rows of `data` with the same id; the least number where none has it.",
    .inputs = {in("data", kRealTypes), in("segment_ids", kIndexTypes, 'I'),
               host("num_segments", kIndexTypes)},
    .infer = infer,
    .cpu = cpu<Combine::kMax>,
    .grad = grad_extremum,
    .saves = {.inputs = 0b111, .outputs = kAll},
    .samples = real_samples,
};

PEN_OP_DEF(unsorted_segment_min) = {
    .name = "UnsortedSegmentMin",
    .doc =
        "The smallest of the rows of `data` with the same id; the largest number where none "
        "has it.",
    .inputs = {in("data", kRealTypes), in("segment_ids", kIndexTypes, 'I'),
               host("num_segments", kIndexTypes)},
    .infer = infer,
    .cpu = cpu<Combine::kMin>,
    .grad = grad_extremum,
    .saves = {.inputs = 0b111, .outputs = kAll},
    .samples = real_samples,
};

PEN_OP_DEF(unsorted_segment_mean) = {
    .name = "UnsortedSegmentMean",
    .doc = "The means of the rows of `data` with the same id; negative ids are left out.",
    .inputs = {in("data", kRealFloatTypes), in("segment_ids", kIndexTypes, 'I'),
               host("num_segments", kIndexTypes)},
    .infer = infer,
    .compose = compose_mean<false>,
    .grad = composed_gradient,
    .samples = float_samples,
    .graph_name = {.result = "truediv"},
};

PEN_OP_DEF(unsorted_segment_sqrt_n) = {
    .name = "UnsortedSegmentSqrtN",
    .doc = "The sums of the rows of `data` with the same id over the root of their number.",
    .inputs = {in("data", kRealFloatTypes), in("segment_ids", kIndexTypes, 'I'),
               host("num_segments", kIndexTypes)},
    .infer = infer,
    .compose = compose_mean<true>,
    .grad = composed_gradient,
    .samples = float_samples,
    .graph_name = {.result = "truediv"},
};

}  // namespace penstock
