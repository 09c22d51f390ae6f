// Bincount, DenseBincount, HistogramFixedWidth, HistogramFixedWidthBins: how often values occur.
#include "kernels/counting.h"

#include <cmath>

#include <penstock/ops/compose.h>
#include <penstock/ops/sample.h>

#include "kernels/indices.h"

namespace penstock {
namespace {

constexpr DTypeSet kCountTypes = kIndexTypes | DType::kFloat32 | DType::kFloat64;

// The number of bins; checks that there are as many weights as values, or none.
int64_t checked_size(const InferContext& ctx, size_t size_input, size_t weights_input) {
  ctx.check_rank(size_input, 0);
  bool known = false;
  const IntVector size = ctx.ints(size_input, &known);
  if (known && size[0] < 0) ctx.fail("size (", size[0], ") must be non-negative");
  const Shape& weights = ctx.shape(weights_input);
  if (weights.is_known() && ctx.shape(0).is_known() && weights.num_elements() != 0 &&
      weights != ctx.shape(0)) {
    ctx.fail(
        "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it "
        "acts as all weights equal to 1. Received ",
        weights);
  }
  return known ? size[0] : kUnknownDim;
}

void infer_flat(InferContext& ctx) { ctx.add_output(ctx.dtype(2), Shape{checked_size(ctx, 1, 2)}); }

void infer_dense(InferContext& ctx) {
  const Shape& shape = ctx.shape(0);
  if (shape.rank() > 2) ctx.fail("Shape must be at most rank 2 but is rank ", shape.rank());
  const int64_t size = checked_size(ctx, 1, 2);
  ctx.add_output(ctx.dtype(2), shape.rank() == 2 ? Shape{shape[0], size} : Shape{size});
}

KernelResult count(const KernelContext& ctx, int64_t rows, bool binary) {
  const View& values = ctx.inputs[0];
  const View& weights = ctx.inputs[2];
  if (const auto bad = kernels::find_bad_index(values, 0, INT64_MAX); bad.at >= 0) {
    return KernelResult::invalid("Input arr must be non-negative! Got {} at {}", bad.value, bad.at);
  }
  const View& out = ctx.outputs[0];
  kernels::bincount(values, rows, out.shape[out.shape.rank() - 1],
                    weights.size() == 0 ? nullptr : &weights, binary, out);
  return KernelResult::ok();
}

KernelResult cpu_flat(const KernelContext& ctx) { return count(ctx, 1, false); }

KernelResult cpu_dense(const KernelContext& ctx) {
  const Shape& shape = ctx.inputs[0].shape;
  if (ctx.outputs[0].size() == 0) return KernelResult::ok();
  return count(ctx, shape.rank() == 2 ? shape[0] : 1, ctx.attrs[0].as_bool());
}

void check_range(const InferContext& ctx) {
  ctx.check_rank(2, 0);
  if (ctx.shape(1).is_known() && ctx.shape(1) != Shape{2}) {
    ctx.fail("value_range should be a vector of 2 elements, but its shape is ", ctx.shape(1));
  }
}

double number(const View& view, int64_t i) {
  switch (view.dtype) {
    case DType::kInt32:
      return view.as<int32_t>()[i];
    case DType::kInt64:
      return static_cast<double>(view.as<int64_t>()[i]);
    case DType::kFloat32:
      return static_cast<double>(view.as<float>()[i]);
    default:
      return view.as<double>()[i];
  }
}

void infer_histogram(InferContext& ctx) {
  check_range(ctx);
  const DType dtype = ctx.attr(0).as_dtype();
  if (!kIndexTypes.has(dtype)) ctx.fail_type("dtype must be int32 or int64, but is ", dtype);
  bool known = false;
  const IntVector bins = ctx.ints(2, &known);
  if (known && bins[0] <= 0) ctx.fail("nbins should be a positive number, but got '", bins[0], "'");
  const View& range = ctx.input(1);
  if (range.data != nullptr && !(number(range, 0) < number(range, 1))) {
    ctx.fail("value_range should satisfy value_range[0] < value_range[1], but got '[",
             number(range, 0), ", ", number(range, 1), "]'");
  }
  ctx.add_output(dtype, Shape{known ? bins[0] : kUnknownDim});
}

KernelResult cpu_histogram(const KernelContext& ctx) {
  const View& range = ctx.inputs[1];
  const bool counted = kernels::histogram(ctx.inputs[0], number(range, 0), number(range, 1),
                                          ctx.outputs[0].size(), ctx.outputs[0]);
  return counted ? KernelResult::ok() : KernelResult::invalid("values must not contain NaN");
}

Tensors compose_bins(const ComposeContext& ctx) {
  check_range(ctx);
  const DType dtype = ctx.attr(0).as_dtype();
  if (!kIndexTypes.has(dtype)) ctx.fail_type("dtype must be int32 or int64, but is ", dtype);
  const int64_t bins = ctx.values(2)[0];
  if (bins <= 0) ctx.fail("nbins should be a positive number, but got '", bins, "'");
  const bool whole = kIntTypes.has(ctx.dtype(0));
  const Tensor values = whole ? cast(ctx.tensor(0), DType::kFloat64) : ctx.tensor(0);
  const Tensor ends = whole ? cast(ctx.tensor(1), DType::kFloat64) : ctx.tensor(1);
  const Tensors end = unstack(ends, 2, 0);
  const Tensor scaled = (values - end[0]) / (end[1] - end[0]);
  const Tensor places = floor(scaled * static_cast<double>(bins));
  const Tensor last = scalar_like(places, static_cast<double>(bins - 1));
  return {cast(minimum(maximum(places, scalar_like(places, 0)), last), dtype)};
}

std::vector<Sample> flat_samples() {
  const SampleInput five = given(DType::kInt32, {}, {5});
  return {
      {{ints({1, 1, 4, 7, 2}), five, i32({0})}},
      {{ints({1, 1, 4, 7, 2}), five, f32({5})}},
      {{i32({2, 3}, 0, 5), five, of(DType::kFloat64, {2, 3})}},
      {{i32({0}), five, of(DType::kInt64, {0})}},
      {{ints({1, 2}), given(DType::kInt32, {}, {0}), f32({0})}},
      {{i32({100000}, 0, 5), five, f32({0})}, {}, 0, true, true},
  };
}

std::vector<Sample> dense_samples() {
  const SampleInput five = given(DType::kInt32, {}, {5});
  return {
      {{ints({1, 1, 4, 7, 2}), five, i32({0})}},
      {{ints({1, 1, 4, 7, 2}), five, f32({5})}, {{"binary_output", false}}},
      {{ints({1, 1, 4, 7, 2}), five, f32({0})}, {{"binary_output", true}}},
      {{i32({2, 3}, 0, 5), five, of(DType::kFloat64, {2, 3})}},
      {{of(DType::kInt64, {2, 3}, 0, 5), given(DType::kInt64, {}, {4}), of(DType::kInt64, {0})}},
      {{i32({0, 3}), five, f32({0})}},
      {{i32({100000}, 0, 5), five, f32({0})}, {}, 0, true, true},
  };
}

std::vector<Sample> histogram_samples() {
  const SampleInput five = given(DType::kInt32, {}, {5});
  const auto ends = [](DType dtype) { return given(dtype, {2}, {0, 5}); };
  std::vector<Sample> samples = {
      {{given(DType::kFloat32, {6}, {-1, 0, 1.5, 2, 5, 15}), ends(DType::kFloat32), five}},
      {{f32({2, 3, 2}, -1, 6), ends(DType::kFloat32), five}, {{"dtype", DType::kInt64}}},
      {{of(DType::kFloat64, {20}, -1, 6), ends(DType::kFloat64), five}},
      {{i32({20}, -1, 7), ends(DType::kInt32), five}},
      {{of(DType::kInt64, {20}, -1, 7), ends(DType::kInt64), given(DType::kInt32, {}, {3})}},
      {{f32({0}), ends(DType::kFloat32), five}},
  };
  samples.push_back({{f32({100000}), ends(DType::kFloat32), five}, {}, 0, true, true});
  return samples;
}

// TensorFlow's function has no other dtype.
std::vector<Sample> bins_samples() {
  std::vector<Sample> samples = histogram_samples();
  for (Sample& sample : samples) sample.attrs.clear();
  return samples;
}

}  // namespace

PEN_OP_DEF(bincount) = {
    .name = "Bincount",
    .doc = "How often each number below `size` occurs in `arr`, or the sums of its weights.",
    .inputs = {in("arr", kIndexTypes, 'A'), host("size", kIndexTypes), in("weights", kCountTypes)},
    .outputs = {"bins"},
    .infer = infer_flat,
    .cpu = cpu_flat,
    .grad = missing_gradient,
    .samples = flat_samples,
};

PEN_OP_DEF(dense_bincount) = {
    .name = "DenseBincount",
    .doc =
        "How often each number below `size` occurs in a list or in each row of a matrix, the "
        "sums of its weights, or whether it occurs.",
    .inputs = {in("input", kIndexTypes, 'A'), host("size", kIndexTypes),
               in("weights", kCountTypes)},
    .attrs = {bool_attr("binary_output", false)},
    .infer = infer_dense,
    .cpu = cpu_dense,
    .grad = missing_gradient,
    .samples = dense_samples,
};

PEN_OP_DEF(histogram_fixed_width) = {
    .name = "HistogramFixedWidth",
    .doc =
        "How many values fall into each of nbins equal parts of value_range; those outside "
        "count at the ends.",
    .inputs = {in("values", kCountTypes), host("value_range", kCountTypes, 'T'),
               host("nbins", DType::kInt32, 'N')},
    .attrs = {dtype_attr("dtype", DType::kInt32)},
    .outputs = {"out"},
    .infer = infer_histogram,
    .cpu = cpu_histogram,
    .grad = missing_gradient,
    .samples = histogram_samples,
    .graph_name = {"histogram_fixed_width"},
};

PEN_OP_DEF(histogram_fixed_width_bins) = {
    .name = "HistogramFixedWidthBins",
    .doc = "Which of nbins equal parts of value_range each value falls into.",
    .inputs = {in("values", kCountTypes), in("value_range", kCountTypes),
               host("nbins", DType::kInt32, 'N')},
    .attrs = {dtype_attr("dtype", DType::kInt32)},
    .infer = composed,
    .compose = compose_bins,
    .grad = no_gradient,
    .samples = bins_samples,
    .graph_name = {"histogram_fixed_width_bins", "Reshape_1"},
};

}  // namespace penstock
