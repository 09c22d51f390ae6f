// SegmentSum, -Prod, -Max, -Min, -Mean: rows combined by segment, for ids that never decrease.
#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

#include "kernels/indices.h"
#include "kernels/move.h"
#include "kernels/scatter.h"
#include "ops/elementwise.h"

namespace penstock {
namespace {

using kernels::Combine;

// The rows of the result: one more than the last id.
int64_t count_segments(const InferContext& ctx, size_t input) {
  const View& ids = ctx.input(input);
  const int64_t count = ids.size();
  int64_t last = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t id = kernels::index_at(ids, i);
    if (id < 0) ctx.fail("segment ids must be >= 0, but segment_ids[", i, "] = ", id);
    if (id < last) ctx.fail("segment ids are not increasing: segment_ids[", i, "] = ", id);
    last = id;
  }
  if (last == INT64_MAX) ctx.fail_size("the number of segments");
  return count == 0 ? 0 : last + 1;
}

void infer(InferContext& ctx) {
  Shape shape = ctx.shape(0);
  ctx.check_rank(1, 1);
  if (shape.rank() == 0) ctx.fail("data must be at least 1 dimensional");
  if (!shape.is_known() || !ctx.shape(1).is_known()) {
    if (shape.has_rank()) shape.set(0, kUnknownDim);
    return ctx.add_output(ctx.dtype(0), shape);
  }
  if (shape[0] != ctx.shape(1)[0]) {
    ctx.fail("segment_ids should be the same size as dimension 0 of input: ", ctx.shape(1), " and ",
             shape);
  }
  shape.set(0, ctx.input(1).data == nullptr ? kUnknownDim : count_segments(ctx, 1));
  ctx.add_output(ctx.dtype(0), shape);
}

// Segments without rows are 0, or 1 for products.
template <Combine kCombine>
KernelResult cpu(const KernelContext& ctx) {
  const View& data = ctx.inputs[0];
  const View& out = ctx.outputs[0];
  if (out.size() == 0) return KernelResult::ok();
  kernels::fill_start(kCombine == Combine::kMultiply ? kCombine : Combine::kAdd, out);
  if (data.size() == 0) return KernelResult::ok();
  kernels::combine_sorted_segments(kCombine, ctx.inputs[1], data, out, out.shape[0],
                                   kernels::product(out.shape, 1, out.shape.rank()));
  return KernelResult::ok();
}

Gradients grad_sum(const GradContext& g) { return {gather(g.dy(), g.input(1)), {}}; }

// Equal extrema share the gradient.
Gradients grad_extremum(const GradContext& g) {
  const Tensor& data = g.input(0);
  const Tensor& ids = g.input(1);
  const Tensor chosen = cast(equal(data, gather(g.output(), ids)), data.dtype());
  const Tensor share = g.dy() / maximum(segment_sum(chosen, ids), scalar_like(data, 1));
  return {gather(share, ids) * chosen, {}};
}

// A factor's gradient is the product of the others: with exactly one zero, only that factor has a
// non-zero gradient.
Gradients grad_prod(const GradContext& g) {
  const Tensor& data = g.input(0);
  const Tensor& ids = g.input(1);
  const Tensor is_zero = equal(data, scalar_like(data, 0));
  const Tensor others = select(is_zero, scalar_like(data, 1), data);
  const Tensor zeros_of = segment_sum(cast(is_zero, data.dtype()), ids);
  const Tensor product = gather(segment_prod(others, ids), ids);
  const Tensor none = scalar_like(data, 0);
  const Tensor without_zeros = equal(gather(zeros_of, ids), none);
  const Tensor only_zero = equal(gather(zeros_of, ids), scalar_like(data, 1));
  // Without a zero: the product divided by the factor. With one zero, only its own factor counts.
  const Tensor part = select(without_zeros, product / others,
                             select(logical_and(only_zero, is_zero), product, none));
  return {gather(g.dy(), ids) * elementwise::conjugate(part), {}};
}

// The number of rows of each segment, at least 1, in a shape that divides `sums`.
Tensor row_counts(const Tensor& sums, const Tensor& ids) {
  const Tensor counts = segment_sum(ones(sums.dtype(), ids.shape()), ids);
  Shape column;
  for (int i = 0; i < sums.rank(); ++i) column.append(i == 0 ? sums.dim(0) : 1);
  return reshape(maximum(counts, scalar_like(sums, 1)), shape_tensor(column));
}

Tensors compose_mean(const ComposeContext& ctx) {
  const Tensor sums = segment_sum(ctx.tensor(0), ctx.tensor(1));
  return {sums / row_counts(sums, ctx.tensor(1))};
}

template <int kRoot>
Tensors compose_sparse(const ComposeContext& ctx) {
  ctx.check_rank(1, 1);
  if (ctx.shape(1) != ctx.shape(2)) {
    ctx.fail("segment_ids and indices should have same size: ", ctx.shape(2), " and ",
             ctx.shape(1));
  }
  const Tensor& ids = ctx.tensor(2);
  const Tensor sums = segment_sum(gather(ctx.tensor(0), ctx.tensor(1)), ids);
  if constexpr (kRoot == 0) return {sums};
  if constexpr (kRoot == 1) return {sums / row_counts(sums, ids)};
  return {sums / sqrt(row_counts(sums, ids))};
}

// The same with a given number of segments: those after the last id are zero.
template <int kRoot>
Tensors compose_sparse_n(const ComposeContext& ctx) {
  ctx.check_rank(1, 1);
  if (ctx.shape(1) != ctx.shape(2)) {
    ctx.fail("segment_ids and indices should have same size: ", ctx.shape(2), " and ",
             ctx.shape(1));
  }
  ctx.check_rank(3, 0);
  const int64_t wanted = ctx.values(3)[0];
  ctx.need_values(2);
  const int64_t found = count_segments(ctx, 2);
  if (found > wanted) {
    ctx.fail("segment ids must be < num_segments: ", found - 1, " is not below ", wanted);
  }
  const Tensor rows = gather(ctx.tensor(0), ctx.tensor(1));
  if constexpr (kRoot == 0) return {unsorted_segment_sum(rows, ctx.tensor(2), ctx.tensor(3))};
  if constexpr (kRoot == 1) return {unsorted_segment_mean(rows, ctx.tensor(2), ctx.tensor(3))};
  return {unsorted_segment_sqrt_n(rows, ctx.tensor(2), ctx.tensor(3))};
}

std::vector<Sample> samples_of(DTypeSet dtypes) {
  const SampleInput ids = ints({0, 0, 1, 3});
  std::vector<Sample> samples = {
      {{distinct(DType::kFloat32, {4, 2}), ids}},
      {{distinct(DType::kFloat32, {4}), given(DType::kInt64, {4}, {2, 2, 2, 2})}},
      {{distinct(DType::kFloat32, {5, 1, 2}), ints({0, 1, 1, 2, 2})}},
      {{f32({0, 2}), i32({0})}},
      {{f32({2, 0}), ints({1, 1})}},
  };
  for (DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat64, DType::kInt32,
                      DType::kInt64, DType::kUInt8, DType::kComplex64, DType::kComplex128}) {
    if (dtypes.has(dtype)) samples.push_back({{distinct(dtype, {4, 2}), ids}});
  }
  std::vector<double> long_ids;
  for (int i = 0; i < 4096; ++i) long_ids.push_back(i / 16);
  samples.push_back({{f32({4096, 64}), ints(long_ids)}, {}, 0, true, true});
  return samples;
}

std::vector<Sample> number_samples() { return samples_of(kNumberTypes); }
std::vector<Sample> real_samples() { return samples_of(kRealTypes); }
std::vector<Sample> float_samples() { return samples_of(kRealFloatTypes); }

std::vector<Sample> prod_samples() {
  std::vector<Sample> samples = number_samples();
  const SampleInput ids = ints({0, 0, 1, 1, 1});
  samples.push_back({{given(DType::kFloat32, {5}, {0, 2, 3, 0, 0}), ids}});
  samples.back().check_grad = false;  // of second order it ends where a zero is
  return samples;
}

std::vector<Sample> sparse_samples() {
  const SampleInput picks = ints({2, 0, 2});
  const SampleInput ids = ints({0, 0, 2});
  return {
      {{f32({3, 2}), picks, ids}},
      {{f32({3}), given(DType::kInt64, {3}, {1, 1, 0}), given(DType::kInt64, {3}, {0, 1, 1})}},
      {{f32({3, 2}), i32({0}), i32({0})}},
      {{of(DType::kFloat64, {3, 2}), picks, ids}},
      {{of(DType::kFloat16, {3, 2}), picks, ids}},
      {{of(DType::kBFloat16, {3, 2}), picks, ids}},
      {{f32({1024, 64}), i32({4096}, 0, 1024), i32({4096}, 0, 1)}, {}, 0, true, true},
  };
}

std::vector<Sample> sparse_n_samples() {
  std::vector<Sample> samples = sparse_samples();
  for (Sample& sample : samples) sample.inputs.push_back(given(DType::kInt32, {}, {4}));
  return samples;
}

}  // namespace

PEN_OP_DEF(segment_sum) = {
    .name = "SegmentSum",
    .doc = "The sums of the rows of `data` with the same id; ids never decrease.",
    .inputs = {in("data", kNumberTypes), host("segment_ids", kIndexTypes, 'I')},
    .infer = infer,
    .cpu = cpu<Combine::kAdd>,
    .grad = grad_sum,
    .saves = {.inputs = 0b10},
    .samples = number_samples,
};

PEN_OP_DEF(segment_prod) = {
    .name = "SegmentProd",
    .doc = "The products of the rows of `data` with the same id; ids never decrease.",
    .inputs = {in("data", kNumberTypes), host("segment_ids", kIndexTypes, 'I')},
    .infer = infer,
    .cpu = cpu<Combine::kMultiply>,
    .grad = grad_prod,
    .saves = {.inputs = 0b11},
    .samples = prod_samples,
};

PEN_OP_DEF(segment_max) = {
    .name = "SegmentMax",
    .doc = "The largest of the rows of `data` with the same id, element by element.",
    .inputs = {in("data", kRealTypes), host("segment_ids", kIndexTypes, 'I')},
    .infer = infer,
    .cpu = cpu<Combine::kMax>,
    .grad = grad_extremum,
    .saves = {.inputs = 0b11, .outputs = kAll},
    .samples = real_samples,
};

PEN_OP_DEF(segment_min) = {
    .name = "SegmentMin",
    .doc = "The smallest of the rows of `data` with the same id, element by element.",
    .inputs = {in("data", kRealTypes), host("segment_ids", kIndexTypes, 'I')},
    .infer = infer,
    .cpu = cpu<Combine::kMin>,
    .grad = grad_extremum,
    .saves = {.inputs = 0b11, .outputs = kAll},
    .samples = real_samples,
};

PEN_OP_DEF(segment_mean) = {
    .name = "SegmentMean",
    .doc = "The means of the rows of `data` with the same id; ids never decrease.",
    .inputs = {in("data", kRealFloatTypes), host("segment_ids", kIndexTypes, 'I')},
    .infer = infer,
    .compose = compose_mean,
    .grad = composed_gradient,
    .samples = float_samples,
};

PEN_OP_DEF(sparse_segment_sum) = {
    .name = "SparseSegmentSum",
    .doc = "The sums of the rows of `data` at `indices`, by segment; ids never decrease.",
    .inputs = {in("data", kRealFloatTypes), in("indices", kIndexTypes, 'X'),
               host("segment_ids", kIndexTypes, 'I')},
    .infer = composed,
    .compose = compose_sparse<0>,
    .grad = composed_gradient,
    .samples = sparse_samples,
};

PEN_OP_DEF(sparse_segment_mean) = {
    .name = "SparseSegmentMean",
    .doc = "The means of the rows of `data` at `indices`, by segment; ids never decrease.",
    .inputs = {in("data", kRealFloatTypes), in("indices", kIndexTypes, 'X'),
               host("segment_ids", kIndexTypes, 'I')},
    .infer = composed,
    .compose = compose_sparse<1>,
    .grad = composed_gradient,
    .samples = sparse_samples,
};

PEN_OP_DEF(sparse_segment_sqrt_n) = {
    .name = "SparseSegmentSqrtN",
    .doc =
        "The sums of the rows of `data` at `indices`, by segment, over the root of their number.",
    .inputs = {in("data", kRealFloatTypes), in("indices", kIndexTypes, 'X'),
               host("segment_ids", kIndexTypes, 'I')},
    .infer = composed,
    .compose = compose_sparse<2>,
    .grad = composed_gradient,
    .samples = sparse_samples,
};

PEN_OP_DEF(sparse_segment_sum_with_num_segments) = {
    .name = "SparseSegmentSumWithNumSegments",
    .doc = "The sums of the rows of `data` at `indices`, for num_segments segments.",
    .inputs = {in("data", kRealFloatTypes), in("indices", kIndexTypes, 'X'),
               host("segment_ids", kIndexTypes, 'I'), host("num_segments", kIndexTypes)},
    .infer = composed,
    .compose = compose_sparse_n<0>,
    .grad = composed_gradient,
    .samples = sparse_n_samples,
};

PEN_OP_DEF(sparse_segment_mean_with_num_segments) = {
    .name = "SparseSegmentMeanWithNumSegments",
    .doc = "The means of the rows of `data` at `indices`, for num_segments segments.",
    .inputs = {in("data", kRealFloatTypes), in("indices", kIndexTypes, 'X'),
               host("segment_ids", kIndexTypes, 'I'), host("num_segments", kIndexTypes)},
    .infer = composed,
    .compose = compose_sparse_n<1>,
    .grad = composed_gradient,
    .samples = sparse_n_samples,
};

PEN_OP_DEF(sparse_segment_sqrt_n_with_num_segments) = {
    .name = "SparseSegmentSqrtNWithNumSegments",
    .doc =
        "The sums over the root of their number of the rows of `data` at `indices`, for "
        "num_segments segments.",
    .inputs = {in("data", kRealFloatTypes), in("indices", kIndexTypes, 'X'),
               host("segment_ids", kIndexTypes, 'I'), host("num_segments", kIndexTypes)},
    .infer = composed,
    .compose = compose_sparse_n<2>,
    .grad = composed_gradient,
    .samples = sparse_n_samples,
};

}  // namespace penstock
